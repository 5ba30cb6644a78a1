/**
 * Looks for a newer version, only when asked: nothing else in the program does, and there is no address by default.
 * What the address answers is only shown; install.sh verifies what it installs.
 */
import { version as own } from '../../../package.json';
import { namesLoopback } from '../../platform/net/own-host.ts';
import { isUntrusted, readNetworkReason, readTrust } from './client/remote.ts';
import { type LocalCommand, OperatorError, UsageError } from './command.ts';
import { plainLine } from './plain-text.ts';

/** Written by scripts/release. */
const INDEX = 'release.json';
/** Ten times the size of today's: a server can't fill the memory. */
const BYTES_MAX = 256 * 1024;
/** For the whole answer, so that a server that sends a byte a minute can't delay the command for long. */
const MS_MAX = 15_000;
const REDIRECTS_MAX = 5;
const CHANGES_MAX = 30;
/** A version as semver.org defines it, short enough for a line. */
const VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}(?:-[0-9A-Za-z.-]{1,40})?$/;

interface Release {
  version: string;
  released: string | null;
  changes: string[];
}

export const upgrade: LocalCommand = {
  name: 'upgrade',
  meaning: 'check whether a newer version was released, and show how to install it; changes nothing',
  flags: [
    { name: 'check', meaning: 'check now; Postern never checks by itself' },
    {
      name: 'from',
      value: 'URL',
      meaning: `folder of a release, with ${INDEX}; POSTERN_RELEASES_URL by default`,
    },
  ],
  takesSettings: 'client',
  mainSettings: ['releases_url'],
  examples: ['postern upgrade --check --from https://releases.example.com/latest'],
  async runHere({ input, json, loaded }) {
    if (input.check === undefined) {
      throw new UsageError(
        "postern upgrade only checks for a newer version: add --check. To upgrade, run the new version's install.sh.",
      );
    }
    const from = input.from ?? loaded.settings.releases_url;
    if (from === null) {
      throw new UsageError('No address to check. Add --from URL, or set POSTERN_RELEASES_URL.');
    }
    const base = from.replace(/\/+$/, '');
    const trust = readTrust(loaded.settings.extra_ca_file);
    const release = readRelease(await fetchIndex(`${base}/${INDEX}`, trust));
    const isNewer = Bun.semver.order(release.version, own) > 0;
    const install = `curl -fsS ${base}/install.sh | sudo sh -s -- --from ${base}/`;
    const answer = { installed: own, newest: release.version, newer: isNewer, released: release.released };
    process.stdout.write(
      json
        ? `${JSON.stringify({ ...answer, changes: release.changes, install: isNewer ? install : null })}\n`
        : show(release, isNewer, install),
    );
    return 0;
  },
};

function show({ version, released, changes }: Release, isNewer: boolean, install: string): string {
  if (!isNewer) return `No newer version: ${own} is installed, and the latest release is ${version}.\n`;
  const lines = changes.map((change) => `  - ${plainLine(change)}`);
  return [
    `Postern ${version}${released ? ` (${released})` : ''} is available; ${own} is installed.`,
    ...lines,
    '',
    'To upgrade (checks the checksum, makes a backup, and rolls back if the new version does not start):',
    `  ${install}`,
    '',
  ].join('\n');
}

/** Follows redirects itself, because each target must be as safe as the first address. */
async function fetchIndex(first: string, trust: BunFetchRequestInit): Promise<string> {
  const signal = AbortSignal.timeout(MS_MAX);
  let url = first;
  try {
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const answer = await fetch(checkAddress(url), { ...trust, redirect: 'manual', signal });
      const location = answer.headers.get('location');
      if (answer.status >= 300 && answer.status < 400 && location) {
        await answer.body?.cancel();
        url = follow(location, url);
        continue;
      }
      if (!answer.ok) throw new OperatorError(`${url} answered ${answer.status}. Check the address.`);
      return await readBounded(answer, url);
    }
  } catch (fault) {
    if (fault instanceof OperatorError) throw fault;
    const remedy = isUntrusted(fault)
      ? 'Set POSTERN_EXTRA_CA_FILE to a PEM file with its certificate or its CA.'
      : 'Check the address and the network.';
    throw new OperatorError(`${url} could not be read: ${plainLine(readNetworkReason(fault))}. ${remedy}`);
  }
  throw new OperatorError(`${first} redirects too many times. Check the address.`);
}

/** Returns a redirect's target. A server reached by https must not direct requests to plain http on this machine. */
function follow(location: string, from: string): string {
  const to = new URL(location, from);
  if (from.startsWith('https:') && to.protocol !== 'https:') {
    throw new OperatorError(
      `${from} redirects to ${plainLine(to.href)}, which is not https. Check the address.`,
    );
  }
  return to.href;
}

function checkAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHere = url !== null && namesLoopback(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isHere)) {
    throw new OperatorError(
      `The address must begin with https:// (or http:// on this machine), not ${plainLine(text)}.`,
    );
  }
  return url.href;
}

async function readBounded(answer: Response, url: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer.body ?? []) {
    size += piece.length;
    if (size > BYTES_MAX)
      throw new OperatorError(`${url} is not a release index: it is too large. Check the address.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function readRelease(text: string): Release {
  const { version, released, changes } = parse(text);
  if (typeof version !== 'string' || !VERSION.test(version)) {
    throw new OperatorError('The answer is not a release index: it has no version. Check the address.');
  }
  const isDay = typeof released === 'string' && /^\d{4}-\d\d-\d\d$/.test(released);
  const texts = Array.isArray(changes) ? changes.filter((change) => typeof change === 'string') : [];
  return { version, released: isDay ? released : null, changes: texts.slice(0, CHANGES_MAX).map(plainLine) };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
