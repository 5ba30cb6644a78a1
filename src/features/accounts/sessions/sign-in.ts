import { randomBytes } from 'node:crypto';
import { fail } from '../../../platform/core/failure.ts';
import { hashSecret } from '../../../platform/core/id.ts';
import type { Windows } from '../../../platform/core/window.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { newPlans } from '../../../rules/plans.ts';
import { readName } from '../create.ts';
import { readEmail } from '../email.ts';
import { findWays } from '../passkeys/place.ts';
import { hashPassword, isPassword, requirePasswords } from '../password.ts';
import { proveSecondFactor } from '../second-factor/prove.ts';
import type { FactorProof } from '../second-factor/writes.ts';
import type { User } from '../sql.ts';
import { noteFailure } from './failed-sign-in.ts';
import { requireInvite } from './invite.ts';
import {
  findSessionByHash,
  listSessionPasswords,
  listSigningIn,
  type OpenedMember,
  readPasswordHash,
  type Session,
  type SigningIn,
} from './sql.ts';
import {
  acceptInviteOp,
  changePasswordOp,
  type NewSession,
  setUpOp,
  signUpOp,
  startSessionOp,
  touchSessionOp,
} from './writes.ts';

/*
 * How a person gets a session. A token is 32 random bytes that only their browser has; the store has its SHA-256.
 * Every sign-in creates a new token, so one that an attacker planted in the browser earlier is worthless.
 *
 * The same email is a separate person in each account (one user row each). An account's owner may invite any address,
 * give the link to anyone, and so set "its" password there. An email therefore proves nothing across accounts: a
 * session may switch only to accounts whose password was the one given.
 */

type Parts = Pick<PlatformServices, 'store' | 'settings'>;
export interface SignInServices extends PlatformServices {
  /** Counts wrong passwords by email. */
  readonly wrongPasswords: Windows;
  /** Counts right ones by member and address: apart, so that guesses at very many emails do not push them out. */
  readonly rightPasswords: Windows;
  /** Counts the failed sign-ins that were recorded, by email; emails that nobody has share one count. */
  readonly failedSignIns: Windows;
}

export type Guarded = Pick<
  SignInServices,
  | 'store'
  | 'key'
  | 'settings'
  | 'limits'
  | 'clock'
  | 'log'
  | 'wrongPasswords'
  | 'rightPasswords'
  | 'failedSignIns'
>;

const TOKEN_BYTES = 32;
/** A password is compared with at most this many accounts, to bound the work of one sign-in. */
const MEMBERSHIPS_MAX = 20;
const BROWSER_CHARS_MAX = 300;
/** Seconds between two records that a session is in use. */
const TOUCH_EVERY_S = 600;

/** The browser of the person who signs in, and the token it sent, if any. */
export interface Browser {
  name: string;
  token: string | null;
  /** As limits count it. */
  address: string;
}

/** The person behind a browser's token, or null. Records that they were active. */
export function findSession(
  { store, log }: Pick<PlatformServices, 'store' | 'log'>,
  token: string,
  nowUs: number,
): Session | null {
  const session = findSessionByHash(store, hashSecret(token), nowUs);
  if (session && nowUs - session.seen_at > TOUCH_EVERY_S * 1_000_000) {
    store.write(touchSessionOp, { no: session.no }).catch((fault: unknown) => {
      log.warn('the use of a session could not be recorded', { fault: String(fault) });
    });
  }
  return session;
}

export interface Credentials {
  email: string;
  password: string;
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined;
}

/**
 * Signs in; returns the new token. An unknown email and a wrong or missing password look the same, also in time. A
 * second factor is asked for (`fields.code`) only after the right password.
 */
export async function signIn(
  services: Guarded,
  { email: given, password, code }: Credentials,
  browser: Browser,
): Promise<string> {
  requirePasswords(services);
  const { store } = services;
  const email = given.trim().toLowerCase();
  const members = listSigningIn(store, email, MEMBERSHIPS_MAX);
  const guard = guardPerson(services, email, members, browser.address);
  const hashes = [...new Set(guard.open.map((member) => member.password_hash))];
  const compared = Promise.all(
    (hashes.length > 0 ? hashes : [null]).map((hash) =>
      isPassword(password, hash, browser.address, guard.isKnown),
    ),
  );
  const isRight = await guard.unless(compared, (all) => all.includes(true));
  const right = new Set(hashes.filter((_, at) => isRight[at]));
  const proven = guard.open.filter((member) => right.has(member.password_hash));
  if (proven.length === 0) {
    // Not waited for: an email that nobody has is soon no longer recorded, and the quicker answer would reveal that.
    noteFailure(services, email, members, 'wrong_password').catch((fault: unknown) => {
      services.log.rarely('warn', 'a failed sign-in could not be recorded', { fault: String(fault) });
    });
    fail('authentication_required', { text: WRONG });
  }
  const factors = await proveFactors(services, email, proven, code, browser.address);
  guard.noteRight(factors.map(({ member }) => member));
  const { token, session } = prepareSession(browser);
  await store.write(startSessionOp, {
    session,
    proven: factors.map(({ member: { no, password_hash }, proof }) => ({ no, hash: password_hash, proof })),
  });
  return token;
}

/**
 * Of the members that a password proved, returns those who have no second factor or whose second factor is the code.
 * Throws when one has a second factor that the code does not prove any of: then the password alone opens no account,
 * not even those without a second factor.
 */
async function proveFactors(
  services: Guarded,
  email: string,
  proven: readonly SigningIn[],
  code: string | undefined,
  address: string,
): Promise<{ member: SigningIn; proof: FactorProof | null }[]> {
  const found = proven.map((member) => ({ member, proof: proveSecondFactor(services, member, code ?? '') }));
  if (found.every(({ proof }) => proof === 'none'))
    return found.map(({ member }) => ({ member, proof: null }));
  if (!code) fail('authentication_required', { text: CODE_NEEDED, fields: { code: ['is required'] } });
  // Counted like a wrong password, or a thief of one could try all codes.
  const guarded = found.filter(({ proof }) => proof !== 'none').map(({ member }) => member);
  const guard = guardPerson(services, email, guarded, address);
  const isRight = found.some(
    ({ member, proof }) => proof !== 'none' && proof !== null && guard.open.includes(member),
  );
  await guard.unless(Promise.resolve(isRight), Boolean);
  if (!isRight) {
    await noteFailure(services, email, proven, 'wrong_code');
    fail('authentication_required', { text: CODE_WRONG, fields: { code: ['is wrong or was used'] } });
  }
  return found.flatMap(({ member, proof }) =>
    proof === null || (proof !== 'none' && !guard.open.includes(member))
      ? []
      : [{ member, proof: proof === 'none' ? null : proof }],
  );
}

const CODE_NEEDED = 'Enter the code of your authenticator app, or a recovery code.';
const CODE_WRONG = 'The code is wrong, or was used already.';

const WRONG = 'The email or the password is wrong.';

/** After a sign-in from an address, strangers' guesses do not lock that address out for this long. */
const KNOWN_S = 7 * 86_400;

/**
 * Throws when this email had too many wrong passwords lately. An address may still try the members whose sign-in it has
 * seen, and no others: another account of the same email may be the guesser's own. Counts this attempt as wrong until
 * it is compared: otherwise all attempts that a stranger sends at once would pass.
 */
function guardPerson<Member extends Pick<User, 'id'>>(
  services: Guarded,
  email: string,
  members: readonly Member[],
  address: string,
) {
  const { settings, limits, clock, wrongPasswords: windows, rightPasswords } = services;
  const { max, window_s, code } = limits.wrong_passwords_per_hour;
  const nowUs = clock.nowUs();
  const name = Buffer.from(hashSecret(email)).toString('base64');
  // By id: the number of a removed member can become another person's.
  const nameKnown = ({ id }: Pick<User, 'id'>) => `${id} ${address}`;
  const { remaining, resetS } = windows.look(name, max, window_s, nowUs);
  const known = members.filter(
    (member) => rightPasswords.look(nameKnown(member), 1, KNOWN_S, nowUs).remaining === 0,
  );
  const open = settings.limits && remaining === 0 ? known : members;
  if (settings.limits && remaining === 0 && open.length === 0) {
    fail(code, { retry_after_s: Math.max(1, Math.ceil(resetS - nowUs / 1_000_000)) });
  }
  windows.take(name, window_s, nowUs);
  return {
    /** The members that may be tried. */
    open,
    /** Whether this address has signed in as one of the members before. */
    isKnown: known.length > 0,
    /** Undoes the count if the password was right or the comparison failed. */
    async unless<Result>(compared: Promise<Result>, isRight: (result: Result) => boolean): Promise<Result> {
      let isWrong = false;
      try {
        const result = await compared;
        isWrong = !isRight(result);
        return result;
      } finally {
        if (!isWrong) windows.take(name, window_s, nowUs, -1);
      }
    },
    noteRight(proven: readonly Pick<User, 'id'>[]): void {
      for (const member of proven) rightPasswords.take(nameKnown(member), KNOWN_S, nowUs);
    },
  };
}

/**
 * Throws unless this is the current password of the session's person. Returns the session's members that it opens: in
 * another account of theirs they may have another password, so there it shows nothing.
 */
export async function requirePassword(
  services: Guarded,
  { no, user }: Session,
  password: string,
  address: string,
): Promise<OpenedMember[]> {
  const guard = guardPerson(services, user.email, [user], address);
  const own = readPasswordHash(services.store, user.no);
  if (!(await guard.unless(isPassword(password, own, address, true), Boolean))) {
    fail('validation_error', { fields: { current_password: ['is not your current password'] } });
  }
  const members = listSessionPasswords(services.store, no);
  const hashes = [...new Set(members.map(({ hash }) => hash))].filter((hash) => hash !== own);
  const isRight = await Promise.all(hashes.map((hash) => isPassword(password, hash, address, true)));
  const right = new Set([own, ...hashes.filter((_, at) => isRight[at])]);
  return members.filter(({ hash }) => right.has(hash));
}

/** Ends every session of the person where the password was the current one. Returns the token of a new session. */
export async function changePassword(
  services: Guarded,
  session: Session,
  input: { current_password: string; password: string },
  browser: Browser & { token: string },
): Promise<string> {
  requirePasswords(services);
  const opened = await requirePassword(services, session, input.current_password, browser.address);
  const { user, account } = session;
  const whose = { email: user.email, name: account.name };
  const passwordHash = await hashPassword(input.password, whose, browser.address);
  const next = prepareSession(browser);
  const replaces = hashSecret(browser.token);
  await services.store.write(changePasswordOp, {
    session: { ...next.session, replaces },
    opened,
    password_hash: passwordHash,
  });
  return next.token;
}

/**
 * Signs in with a one-time link, and sets the password, unless passwords are off. Null when the password is set but
 * nobody is signed in: a link does not replace a second factor.
 */
export async function acceptInvite(
  { store, clock, settings }: Pick<PlatformServices, 'store' | 'clock' | 'settings'>,
  input: { token: string; password: string },
  browser: Browser,
): Promise<string | null> {
  // A void link is not worth the cost of a hash.
  const { user, account } = requireInvite(store, hashSecret(input.token), clock.nowUs());
  const passwordHash = settings.passwords
    ? await hashPassword(input.password, { email: user.email, name: account.name }, browser.address)
    : null;
  const { token, session } = prepareSession(browser);
  const isSignedIn = await store.write(acceptInviteOp, {
    invite_hash: hashSecret(input.token),
    password_hash: passwordHash,
    session,
  });
  return isSignedIn ? token : null;
}

export interface NewOwner {
  email: string;
  name: string;
  password: string;
}

/** Creates the operator's own account, or sets its owner's password. Only while no operator can sign in. */
export async function setUp({ store, settings }: Parts, input: NewOwner, browser: Browser): Promise<string> {
  const made = await prepareAccount(input, browser, settings.passwords);
  const account = { ...made.account, plan: newPlans.created, operator: true, outbound: true } as const;
  await store.write(setUpOp, { ...made.op, account, ways: findWays({ settings }) });
  return made.token;
}

/** Creates an account for whoever asks. It is on the free plan and can never send. */
export async function signUp({ store }: Parts, input: NewOwner, browser: Browser): Promise<string> {
  const made = await prepareAccount(input, browser, true);
  const account = { ...made.account, plan: newPlans.signUp, operator: false, outbound: false } as const;
  await store.write(signUpOp, { ...made.op, account });
  return made.token;
}

async function prepareAccount(input: NewOwner, browser: Browser, hasPasswords: boolean) {
  const email = readEmail(input.email);
  const name = readName(input.name) || email;
  const passwordHash = hasPasswords
    ? await hashPassword(input.password, { email, name }, browser.address)
    : null;
  const { token, session } = prepareSession(browser);
  const account = {
    email,
    name,
    kind: 'standard',
    status: 'active',
    custom_domains: true,
    trap: false,
  } as const;
  return { token, account, op: { password_hash: passwordHash, session } };
}

export function prepareSession({ name, token: old }: Browser): { token: string; session: NewSession } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const replaces = old === null ? null : hashSecret(old);
  return {
    token,
    session: { token_hash: hashSecret(token), browser: name.slice(0, BROWSER_CHARS_MAX), replaces },
  };
}
