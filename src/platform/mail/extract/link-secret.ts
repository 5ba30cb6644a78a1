/** Finds secrets in a web address: long random strings, short ones, and parameters whose name says so. */
import { decodeUrl } from './unwrap.ts';

export type Parameter = [name: string, value: string];

/** Parameters of an address that are read. */
export const PARAMETERS_MAX = 30;

/** How much an address seems to contain a secret, by three signs; each from 0 to 1. */
export interface Secret {
  /** A long random string. */
  token: number;
  /** A short one, which may also be a name. */
  short: number;
  /** A parameter whose name says that it is one. */
  query: number;
}

export const NO_SECRET: Secret = { token: 0, short: 0, query: 0 };

const TOKEN_NAME =
  /(?:^|[_-])(?:token|code|key|hash|secret|otp|pin|ticket|nonce|signature|sig|jwt|invite|invitation|oobcode|verification|confirmation|reset|magic|auth|confirm|verify|activation|activate|uid|t|k|h|c|q|upn|data|payload|state|id|i|ref)$/i;
const STRONG_TOKEN_NAME =
  /token|code|secret|otp|oobcode|nonce|jwt|invit|verif|confirm|reset|magic|auth|activ|passcode|password|hash|key|ticket|signature|sesame|credential/i;
/** A parameter of this name is the number of an order or a booking, whatever else the name says. */
export const NUMBER_NAME = /(?:number|num|nr|no)$/i;

/** Whether a value is a long random string. */
function isToken(value: string): boolean {
  if (value.length < 8 || value.length > 4000 || !/^[\w.~+/=%:|$!*-]+$/.test(value)) return false;
  if (/^\d{13,}$/.test(value)) return true;
  const digits = /\d/.test(value);
  // Letters alternate with digits, which they do in no word.
  if (countChanges(value) >= 3) return true;
  if (/^[0-9a-f-]{16,}$/i.test(value) && digits) return true;
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  if (value.length >= 12 && (mixed ? digits || value.length >= 16 : digits))
    return !/^[a-z]+(?:[-_][a-z0-9]+)+$/.test(value) || findLongest(value) >= 16;
  return value.length >= 16 && mixed && !/[-_]/.test(value.slice(1, -1));
}

/** Counts how often a letter follows a digit, or a digit a letter. */
export const countChanges = (value: string) => value.match(/(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d/g)?.length ?? 0;

/** How little a short piece looks like a word: 1 for `qnYbhwRf4`, 0.6 for `rkb7gw`, 0 for `oauth2` and `step-3`. */
function shareOfSecret(value: string): number {
  if (!/^[A-Za-z0-9_-]{3,11}$/.test(value) || /^\d+$/.test(value)) return 0;
  if (/^[A-Z]?[a-z]+[-_]?\d{0,2}$/.test(value)) return /\d/.test(value) && UNSPEAKABLE.test(value) ? 0.6 : 0;
  if (/^[a-z]+(?:[-_][a-z0-9]+)*$/.test(value) && countChanges(value) < 2) return 0;
  const turns = countChanges(value) + (value.match(/(?<=[a-z0-9])[A-Z]/g)?.length ?? 0);
  return turns >= 2 && value.length >= 5 ? 1 : turns >= 1 ? 0.6 : 0;
}

/** Runs of consonants that no word has. */
const UNSPEAKABLE = /[bcdfghjklmnpqrstvwxz]{5}|(?:[qjx][bcdfghjklmnpqrstvwxz])/;

const findLongest = (value: string) => Math.max(...value.split(/[-_]/).map((part) => part.length));

/** Looks for secrets in the path, the parameters and the fragment of an address. */
export function findSecret(url: URL, parameters: readonly Parameter[]): Secret {
  let token = 0;
  let query = 0;
  let short = 0;
  for (const [name, value] of [...parameters, ...readFragment(url.hash)].slice(0, PARAMETERS_MAX)) {
    const tokenLike = isToken(value);
    const strong = STRONG_TOKEN_NAME.test(name) && !NUMBER_NAME.test(name);
    if (tokenLike) token = 1;
    short = Math.max(short, shareOfSecret(value));
    if ((strong && value.length >= 4) || (tokenLike && TOKEN_NAME.test(name)))
      query = Math.max(query, strong ? 1 : 0.6);
  }
  const parts = url.pathname.slice(0, 4000).split('/').slice(0, 20);
  if (parts.some((part) => isToken(part.includes('%') ? (decodeUrl(part) ?? part) : part))) token = 1;
  // Several pieces that are not words count as much as one long secret.
  short = Math.max(
    short,
    Math.min(
      1,
      parts.reduce((sum, part) => sum + shareOfSecret(part), 0),
    ),
  );
  return { token, query, short: token === 0 ? short : 0 };
}

export function hasSecret(url: URL): boolean {
  const { token, query, short } = findSecret(url, [...url.searchParams].slice(0, PARAMETERS_MAX));
  return token + query + short > 0;
}

const readFragment = (hash: string): Parameter[] =>
  hash.length < 5
    ? []
    : hash.includes('=')
      ? [...new URLSearchParams(hash.slice(hash.indexOf('?') + 1).replace(/^#/, ''))]
      : [['fragment', hash.slice(1)]];
