import type { EnvelopeMailbox } from '../../platform/mail/address-syntax.ts';

/*
 * Reduces all spellings of a mailbox to one, as far as known: to compare addresses, never to send to. Only uses rules
 * that a provider itself has published.
 */

/** Domains that are aliases of another domain. */
const sameAs: Readonly<Record<string, string>> = {
  'googlemail.com': 'gmail.com',
  'protonmail.com': 'proton.me',
  'pm.me': 'proton.me',
  'me.com': 'icloud.com',
  'mac.com': 'icloud.com',
  'ya.ru': 'yandex.ru',
  'yandex.com': 'yandex.ru',
};

/** The part of a local part that a provider ignores. */
const without: Readonly<Record<string, RegExp>> = {
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

/** Lower case; without dots and tags where the provider ignores them. */
export function normalizeAddress({ local, domain }: EnvelopeMailbox): string {
  const name = local.toLowerCase();
  const home = (Object.hasOwn(sameAs, domain) && sameAs[domain]) || domain;
  const ignored = Object.hasOwn(without, home) && without[home];
  const kept = ignored && !name.startsWith('"') ? name.replace(ignored, '') : name;
  return `${kept || name}@${home}`;
}
