/**
 * Makes src/features/verification/lists/ and src/features/accounts/lists/ from the lists on npm, which are pinned in package.json: `bun update` one of them,
 * run this, look at what it says, and commit. The registry is asked for the dates of the releases, and nothing else.
 */
import { domainToASCII } from 'node:url';
import broad from '@dahoom/disposable-email/domains.json';
import common from '@zxcvbn-ts/language-common/src/passwords.json';
import collected from 'disposable-domains';
import { disposableEmailBlocklist } from 'disposable-email-domains-js';
import { getPublicSuffix } from 'tldts';
import { devDependencies } from '../package.json';
import { PASSWORD_CHARS_MIN, passwordHash } from '../src/features/accounts/password-hash.ts';
import { domainHash } from '../src/features/verification/domain-hash.ts';
import { freeProviders, relayServices } from '../src/features/verification/known-domains.ts';

/** The curated one first: it is small and recent; the others are broad, and older. */
const sources = {
  'disposable-email-domains-js': disposableEmailBlocklist(),
  '@dahoom/disposable-email': broad as string[],
  'disposable-domains': collected as string[],
};

const folder = new URL('../src/features/verification/lists/', import.meta.url).pathname;

/** Of passwords: kept by the authors of zxcvbn-ts, from what was found in breaches, most common first. */
const PASSWORDS = '@zxcvbn-ts/language-common';

function main(): void {
  refreshPasswords();
  refreshDomains();
}

/** As hashes of four bytes, sorted: nobody can read the list, and it takes half of what the words would. */
function refreshPasswords(): void {
  const longEnough = (common as string[])
    .map((password) => password.toLowerCase())
    .filter((password) => password.length >= PASSWORD_CHARS_MIN);
  const hashes = Uint32Array.from(new Set(longEnough.map(passwordHash))).sort();
  const lists = new URL('../src/features/accounts/lists/', import.meta.url).pathname;
  Bun.write(`${lists}guessed-passwords.bin`, hashes);
  console.log(`${hashes.length} passwords of ${PASSWORDS} ${devDependencies[PASSWORDS]}`);
}

function refreshDomains(): void {
  const all = new Set(Object.values(sources).flat().map(plain));
  const dropped = { 'no domain': 0, 'a public suffix': 0, 'a known provider': 0, 'below another': 0 };
  const kept = [...all].filter((domain) => {
    const why = whyNot(domain, all);
    if (why) dropped[why] += 1;
    return !why;
  });
  const hashes = Float64Array.from(kept, domainHash).sort();
  if (new Set(hashes).size !== hashes.length) throw new Error('two domains have the same hash');
  const released = Object.fromEntries(
    Object.keys(sources).map((name) => [
      `${name} ${devDependencies[name as keyof typeof sources]}`,
      releaseDate(name),
    ]),
  );
  const date = Object.values(released).sort().at(-1);
  Bun.write(`${folder}disposable.bin`, hashes);
  Bun.write(
    `${folder}disposable.ts`,
    `/** Made by scripts/refresh-lists; what stands in disposable.bin beside this. */
export const disposable_list = {
  /** The release of the newest source. */
  date: '${date}',
  domains: ${kept.length},
  sources: {
${Object.entries(released)
  .map(([name, at]) => `    '${name}': '${at}',`)
  .join('\n')}
  },
} as const;
`,
  );
  console.log(`${kept.length} domains, ${hashes.byteLength} bytes`);
  console.log('left out:', dropped);
}

function plain(domain: string): string {
  return domainToASCII(domain.trim().toLowerCase().replace(/\.$/, ''));
}

type Why = 'no domain' | 'a public suffix' | 'a known provider' | 'below another';

function whyNot(domain: string, all: ReadonlySet<string>): Why | null {
  if (!/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/.test(domain) || domain.length > 253) return 'no domain';
  // Whoever looks a name up walks to its parents: a suffix would hit what thousands of people have below it.
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) return 'a public suffix';
  if (freeProviders.has(domain) || relayServices.has(domain)) return 'a known provider';
  const parents = domain
    .split('.')
    .map((_, index, labels) => labels.slice(index + 1).join('.'))
    .slice(0, -2);
  return parents.some((parent) => all.has(parent) && !whyNot(parent, all)) ? 'below another' : null;
}

/** `2026-09-21`, of the version that is installed. */
function releaseDate(name: string): string {
  const version = devDependencies[name as keyof typeof sources];
  const asked = Bun.spawnSync([process.execPath, 'pm', 'view', name, 'time', '--json'], {
    env: { ...process.env, BUN_BE_BUN: '1' },
  });
  const at = JSON.parse(asked.stdout.toString() || '{}')[version];
  if (typeof at !== 'string')
    throw new Error(`the registry does not tell when ${name} ${version} was released`);
  return at.slice(0, 10);
}

main();
