import type { EnvelopeMailbox } from '../../platform/mail/address-syntax.ts';

/*
 * Reduces all known spellings of a mailbox to one, to compare addresses with, never to send to. Uses only rules that a
 * provider itself has published.
 */

/** Domains that are aliases of another domain. */
const aliases: Readonly<Record<string, string>> = {
  'googlemail.com': 'gmail.com',
  'protonmail.com': 'proton.me',
  'pm.me': 'proton.me',
  'me.com': 'icloud.com',
  'mac.com': 'icloud.com',
  'ya.ru': 'yandex.ru',
  'yandex.com': 'yandex.ru',
};

/** What a provider ignores in a local part. */
const ignoredParts: Readonly<Record<string, RegExp>> = {
  'gmail.com': /\.|\+.*$/g,
  'proton.me': /[._-]|\+.*$/g,
  'icloud.com': /\+.*$/g,
  'outlook.com': /\+.*$/g,
  'hotmail.com': /\+.*$/g,
  'live.com': /\+.*$/g,
  'msn.com': /\+.*$/g,
  'fastmail.com': /\+.*$/g,
  'yandex.ru': /\+.*$/g,
};

/** Returns an address in lower case, without dots and tags where its provider ignores them. */
export function normalizeAddress({ local, domain }: EnvelopeMailbox): string {
  const name = local.toLowerCase();
  const home = (Object.hasOwn(aliases, domain) && aliases[domain]) || domain;
  const ignored = Object.hasOwn(ignoredParts, home) && ignoredParts[home];
  const kept = ignored && !name.startsWith('"') ? name.replace(ignored, '') : name;
  return `${kept || name}@${home}`;
}
