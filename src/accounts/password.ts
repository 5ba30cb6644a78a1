import { failField } from '../core/failure.ts';

const PASSWORD_CHARS_MIN = 8;
/** Bounds the work of one hash; no person's password is longer. */
const PASSWORD_BYTES_MAX = 1024;

/** OWASP's parameters for argon2id; one hash takes about 30 ms and 19 MiB. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** Throws validation_error for one that nobody may have. */
export function checkPassword(password: string): void {
  if (password.length < PASSWORD_CHARS_MIN) {
    failField('password', `must have at least ${PASSWORD_CHARS_MIN} characters`);
  }
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    failField('password', `may have at most ${PASSWORD_BYTES_MAX} bytes`);
  }
}

/** The hash to store. Runs in Bun's pool, never in the writer thread. */
export async function hashPassword(password: string): Promise<string> {
  checkPassword(password);
  return Bun.password.hash(password, ARGON2);
}
