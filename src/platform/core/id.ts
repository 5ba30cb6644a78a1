import { createHash, randomBytes } from 'node:crypto';
import { API_KEY_PREFIX, API_KEY_SHOWN_CHARS, type IdKind, idPrefixes } from '../../rules/ids.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_BYTES = 16;
const KEY_BYTES = 32;

/** Returns a new public id: the kind's prefix and 128 random bits in hexadecimal. */
export function newId(kind: IdKind): string {
  return idPrefixes[kind] + randomBytes(ID_BYTES).toString('hex');
}

/** Whether a string has the form of an id of this kind; a malformed id is answered like an unknown one. */
export function isId(kind: IdKind, value: string): boolean {
  const prefix = idPrefixes[kind];
  return value.startsWith(prefix) && /^[0-9a-f]{32}$/.test(value.slice(prefix.length));
}

export interface NewApiKey {
  /** Plaintext, shown once. */
  api_key: string;
  key_prefix: string;
  hash: Uint8Array;
}

/** Returns a new API key, of which only the hash is stored. @param apiKey a key that was chosen already. */
export function newApiKey(apiKey = API_KEY_PREFIX + encodeBase62(randomBytes(KEY_BYTES))): NewApiKey {
  return { api_key: apiKey, key_prefix: apiKey.slice(0, API_KEY_SHOWN_CHARS), hash: hashSecret(apiKey) };
}

/** Hashes a secret with SHA-256. These secrets are random and long, so a slow hash would add nothing. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Returns a local part for an inbox that is created without one: 10 characters of a-z and 2-7 (50 random bits). */
export function randomLocalPart(): string {
  return Array.from(randomBytes(10), (byte) => BASE32[byte & 31]).join('');
}

function encodeBase62(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (number > 0n) {
    text = BASE62[Number(number % 62n)] + text;
    number /= 62n;
  }
  // 32 bytes need at most 43 digits; padding gives all keys the same length.
  return text.padStart(43, '0');
}
