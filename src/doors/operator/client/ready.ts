import type { LoadedSettings } from '../../../platform/core/settings.ts';
import { WITHOUT_PROXY } from '../../../platform/net/without-proxy.ts';
import { findBaseUrl } from '../base-url.ts';
import { type LocalCommand, UsageError } from '../command.ts';
import { TIMED_OUT } from '../exit-status.ts';
import { makeRemote, type Remote, STARTING, Unreachable } from './remote.ts';

const TRY_AGAIN_MS = 100;
/** A server that accepts the connection and does not answer is not ready either. */
const ANSWER_MS_MAX = 5_000;

export const ready: LocalCommand = {
  name: 'ready',
  meaning: 'check that a server accepts mail and requests',
  flags: [
    {
      name: 'wait',
      value: 'SECONDS',
      check: readSeconds,
      meaning: 'how long to wait for it to be ready; 0 by default',
    },
  ],
  takesSettings: 'client',
  exits: { [TIMED_OUT]: 'not ready in time' },
  examples: ['postern ready --wait 30', 'postern capture & postern ready --wait 5 && npm test'],
  async runHere({ input, json, loaded }) {
    const remote =
      loaded.sources.url?.source === 'default' ? findOwnServer(loaded) : makeRemote(loaded.settings);
    const endsMs = performance.now() + (input.wait === undefined ? 0 : readSeconds(input.wait)) * 1000;
    for (;;) {
      const reason = await findReason(remote);
      const leftMs = endsMs - performance.now();
      if (reason === null || leftMs <= 0) {
        if (json) process.stdout.write(`${JSON.stringify({ ready: reason === null, reason })}\n`);
        if (reason !== null) process.stderr.write(`${reason}\n`);
        return reason === null ? 0 : TIMED_OUT;
      }
      await Bun.sleep(Math.min(TRY_AGAIN_MS, leftMs));
    }
  },
};

/**
 * The server with these settings on this machine, as a container's health check, which has the same environment, needs.
 * Its certificate is not for loopback, so it is not verified, and no key is sent.
 */
function findOwnServer({ settings }: LoadedSettings): Remote {
  const url = findBaseUrl({ ...settings, base_url: null }, null);
  const remote = makeRemote({ url, api_key: null, extra_ca_file: null });
  return {
    ...remote,
    ask: (path, init) => remote.ask(path, { ...init, ...WITHOUT_PROXY, tls: { rejectUnauthorized: false } }),
  };
}

/** Returns why the server is not ready; null if it is. */
async function findReason(remote: Remote): Promise<string | null> {
  try {
    const answer = await remote.ask('/readyz', {
      allowed: STARTING,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    if (answer.ok) return null;
    // A proxy answers with its own page, not with JSON.
    const { reason } = (await answer.json().catch(() => ({}))) as { reason?: string };
    return `Not ready: ${reason ?? answer.status}`;
  } catch (fault) {
    if (fault instanceof Unreachable) return fault.message;
    if (fault instanceof Error && fault.name === 'TimeoutError') return `${remote.url} does not answer.`;
    throw fault;
  }
}

function readSeconds(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text)) throw new UsageError('--wait must be a number of seconds');
  return Number(text);
}
