/** One-time codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds), and recovery codes. */
import { randomBytes, randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { failField } from '../../../platform/core/failure.ts';
import type { ServerKey } from '../../../platform/core/sealed.ts';

/** RFC 4226 4, R6: the recommended length. */
const SECRET_BYTES = 20;
const PERIOD_MS = 30_000;
/** Steps accepted to either side, for a phone whose clock is wrong. */
const WINDOW = 1;

const RECOVERY_CODES = 10;
/** Without characters that look alike. */
const RECOVERY_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const RECOVERY_CHARS = 16;

/** Returns a new secret in base32, the form that apps accept. */
export function createTotpSecret(): string {
  return new Secret({ buffer: randomBytes(SECRET_BYTES).buffer as ArrayBuffer }).base32;
}

/** Decodes a secret that createTotpSecret returned. Throws validation_error for any other text. */
export function readSecret(base32: string): Uint8Array {
  const isSecret = /^[A-Z2-7]{32}$/.test(base32);
  return isSecret ? Secret.fromBase32(base32).bytes : failField('secret', 'is not a secret that was shown');
}

/** Formats the text of the QR code: Google Authenticator's Key Uri Format, which every app reads. */
export function formatUri(base32: string, email: string, issuer: string): string {
  return makeTotp(Secret.fromBase32(base32), email, issuer).toString();
}

/** Returns the time step that a code belongs to, or null for a wrong code. */
export function findStep(secret: Uint8Array, code: string, nowUs: number): number | null {
  const digits = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return null;
  const nowMs = nowUs / 1000;
  const totp = makeTotp(new Secret({ buffer: Uint8Array.from(secret).buffer }));
  const delta = totp.validate({ token: digits, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / PERIOD_MS) + delta;
}

function makeTotp(secret: Secret, label = '', issuer = ''): TOTP {
  return new TOTP({ issuer, label, secret, algorithm: 'SHA1', digits: 6, period: PERIOD_MS / 1000 });
}

/** Returns new recovery codes such as `abcd-efgh-jkmn-pqrs`, each with 79 random bits. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from(
      { length: RECOVERY_CHARS },
      () => RECOVERY_LETTERS[randomInt(RECOVERY_LETTERS.length)]!,
    );
    return letters.join('').match(/.{4}/g)!.join('-');
  });
}

/** Brings a recovery code into the form that is hashed, however it was typed. Returns null for any other text. */
export function normalizeRecoveryCode(code: string): string | null {
  const letters = code.toLowerCase().replace(/[\s-]/g, '');
  return letters.length === RECOVERY_CHARS ? letters : null;
}

/** The email, not the member, is the context: a person has the same secret in every account with that email. */
const makeContext = (email: string) => `totp ${email}`;

export function sealTotpSecret(key: ServerKey, email: string, secret: Uint8Array): Uint8Array {
  return key.seal(secret, makeContext(email));
}

export function openTotpSecret(key: ServerKey, email: string, sealed: Uint8Array): Uint8Array {
  return key.open(sealed, makeContext(email));
}
