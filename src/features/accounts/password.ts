import { fail, failField } from '../../platform/core/failure.ts';
import { isCommonPassword } from './breached-passwords.ts';
import { PASSWORD_CHARS_MIN } from './password-hash.ts';
import { PasswordTurns } from './password-turns.ts';

/** No real password is longer. Bounds the work of one hash. */
const PASSWORD_BYTES_MAX = 1024;

/** OWASP's parameters for argon2id; one hash takes about 30 ms and 19 MiB. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** Throws account_forbidden if the operator has turned passwords off. */
export function requirePasswords({ settings }: { settings: { passwords: boolean } }): void {
  if (settings.passwords) return;
  fail('account_forbidden', {
    text: 'Passwords are off on this server (POSTERN_PASSWORDS). Use a passkey, single sign-on, or a link of postern member link.',
  });
}

/** What someone who guesses would know about the owner of the password. */
export interface PasswordOwner {
  email: string;
  /** The account's name. */
  name?: string;
}

/** Throws validation_error for a password that is too short, too long, common, or an obvious guess for this person. */
export function checkPassword(password: string, owner: PasswordOwner): void {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    failField('password', `may have at most ${PASSWORD_BYTES_MAX} bytes`);
  }
  const visible = password.replaceAll(/\p{C}/gu, '').trim();
  if (visible === '' && password !== '') failField('password', 'must not be blank');
  // Surrounding blanks are not counted: they only pad a short password, as guessers know.
  if (visible.length < PASSWORD_CHARS_MIN) {
    failField('password', `must have at least ${PASSWORD_CHARS_MIN} characters`);
  }
  if (isOwnName(password, owner)) failField('password', 'must not be your email or the name of the account');
  if (isCommonPassword(visible)) {
    failField('password', 'is one of the most common passwords, which are guessed first; choose another');
  }
}

function isOwnName(password: string, { email, name = '' }: PasswordOwner): boolean {
  const simplify = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[\s\p{C}]/gu, '');
  const [local = ''] = email.split('@');
  return [email, local, name].some((own) => simplify(own) === simplify(password));
}

/** The hash of a password that nobody knows. Compared for an unknown email, so that both cases take the same time. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$yISfUNd1kbrsoZx8vUYFVHYXWCdrJXcP6S5gjq/1CEk$dp+noKFmNJKrrI7mhyFusB+7dxGl5w14q46k5kxaLd4';

/** One for the whole process, because it bounds the use of the machine's cores. */
const turns = new PasswordTurns();

/**
 * Checks a new password and returns the hash to store. Runs in Bun's thread pool, never in the writer thread. Throws
 * validation_error for a bad password, and rate_limited when too many hashes are waiting.
 * @param address The client's address, whose network waits its turn.
 */
export function hashPassword(
  password: string,
  owner: PasswordOwner,
  address: string | null = null,
): Promise<string> {
  checkPassword(password, owner);
  return turns.run(address, () => Bun.password.hash(password, ARGON2));
}

/**
 * Whether this is the password. Without a hash the answer is false and takes equally long. Throws rate_limited when
 * too many comparisons are waiting.
 * @param isKnown Whether the client has proved a password of this person before.
 */
export async function isPassword(
  password: string,
  hash: string | null,
  address: string,
  isKnown: boolean,
): Promise<boolean> {
  // No password this long can be set. The quick answer reveals nothing about the person.
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) return false;
  const isRight = await turns.run(address, () => Bun.password.verify(password, hash ?? DUMMY_HASH), isKnown);
  return isRight && hash !== null;
}
