import { randomBytes } from 'node:crypto';
import { countSecondsUntil, SECOND_US } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { hashSecret } from '../../../platform/core/id.ts';
import type { Windows } from '../../../platform/core/window.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { newPlans } from '../../../rules/plans.ts';
import { readEmail } from '../email.ts';
import { readName } from '../name.ts';
import { findSignInOptions } from '../passkeys/place.ts';
import { hashPassword, isPassword, requirePasswords } from '../password.ts';
import { proveSecondFactor } from '../second-factor/prove.ts';
import type { FactorProof } from '../second-factor/writes.ts';
import type { User } from '../sql.ts';
import { recordFailedSignIn } from './failed-sign-in.ts';
import { requireInvite } from './invite.ts';
import {
  findSessionByHash,
  listMembersWithPassword,
  listSessionPasswords,
  type MemberWithPassword,
  type OpenedMember,
  readPasswordHash,
  type Session,
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
 * How a person gets a session. A token is 32 random bytes that only their browser has; the store has its SHA-256. Every
 * sign-in creates a new token, so one that an attacker planted in the browser earlier is worthless.
 *
 * The same email is a separate person in each account, with a user row of its own. The owner of an account may invite
 * any address, give the link to anyone, and so set "its" password there. An email therefore proves nothing across
 * accounts: a session can switch only to accounts that the same password opened.
 */

type Parts = Pick<PlatformServices, 'store' | 'settings'>;
export interface SignInServices extends PlatformServices {
  /** Counts wrong passwords by email. */
  readonly wrongPasswords: Windows;
  /** Counts right passwords by member and address. Separate, so that guesses at many emails do not push them out. */
  readonly rightPasswords: Windows;
  /** Counts the failed sign-ins that were recorded, by email. Emails that no account has share one count. */
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
/** A password is compared in at most this many accounts, which bounds the work of one sign-in. */
const MEMBERSHIPS_MAX = 20;
const BROWSER_CHARS_MAX = 300;
/** Seconds between two records of a session's use. */
const TOUCH_EVERY_S = 600;

/** The browser of the person who signs in, the token that it sent, if any, and its address as limits count it. */
export interface Browser {
  name: string;
  token: string | null;
  address: string;
}

/** Returns the session of a browser's token, or null. Records that the session is in use. */
export function findSession(
  { store, log }: Pick<PlatformServices, 'store' | 'log'>,
  token: string,
  nowUs: number,
): Session | null {
  const session = findSessionByHash(store, hashSecret(token), nowUs);
  if (session && nowUs - session.seen_at > TOUCH_EVERY_S * SECOND_US) {
    store.write(touchSessionOp, { no: session.no }).catch((fault: unknown) => {
      log.warn('the use of a session could not be recorded', { fault: String(fault) });
    });
  }
  return session;
}

export interface Credentials {
  email: string;
  password: string;
  /** The code of the authenticator app, or a recovery code. */
  code?: string | undefined;
}

/**
 * Signs in with a password; returns the new token. An unknown email and a wrong or missing password get the same error
 * after the same time. A second factor is asked for (`fields.code`) only after the right password.
 */
export async function signIn(
  services: Guarded,
  { email: given, password, code }: Credentials,
  browser: Browser,
): Promise<string> {
  requirePasswords(services);
  const { store } = services;
  const email = given.trim().toLowerCase();
  const members = listMembersWithPassword(store, email, MEMBERSHIPS_MAX);
  const guard = guardPerson(services, email, members, browser.address);
  const hashes = [...new Set(guard.open.map((member) => member.password_hash))];
  const compared = Promise.all(
    (hashes.length > 0 ? hashes : [null]).map((hash) =>
      isPassword(password, hash, browser.address, guard.isKnown),
    ),
  );
  const isRight = await guard.refundUnlessWrong(compared, (all) => all.includes(true));
  const right = new Set(hashes.filter((_, at) => isRight[at]));
  const proven = guard.open.filter((member) => right.has(member.password_hash));
  if (proven.length === 0) {
    // Not awaited: failures for unknown emails are soon no longer recorded, and the quicker answer would reveal them.
    recordFailedSignIn(services, email, members, 'wrong_password').catch((fault: unknown) => {
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
 * Returns those of the members that a password proved who have no second factor, or whose second factor the code
 * proves. Throws if some of them have a second factor and the code proves none: then the password opens no account at
 * all, not even those without a second factor.
 */
async function proveFactors(
  services: Guarded,
  email: string,
  proven: readonly MemberWithPassword[],
  code: string | undefined,
  address: string,
): Promise<{ member: MemberWithPassword; proof: FactorProof | null }[]> {
  const found = proven.map((member) => ({ member, proof: proveSecondFactor(services, member, code ?? '') }));
  if (found.every(({ proof }) => proof === 'none'))
    return found.map(({ member }) => ({ member, proof: null }));
  if (!code) fail('authentication_required', { text: CODE_NEEDED, fields: { code: ['is required'] } });
  // Counted like a wrong password, or someone who has stolen one could try all codes.
  const guarded = found.filter(({ proof }) => proof !== 'none').map(({ member }) => member);
  const guard = guardPerson(services, email, guarded, address);
  const isRight = found.some(
    ({ member, proof }) => proof !== 'none' && proof !== null && guard.open.includes(member),
  );
  await guard.refundUnlessWrong(Promise.resolve(isRight), Boolean);
  if (!isRight) {
    await recordFailedSignIn(services, email, proven, 'wrong_code');
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

/** For this long after a sign-in, wrong passwords from elsewhere do not lock out the address that signed in. */
const KNOWN_S = 7 * 86_400;

/**
 * Throws if this email has had too many wrong passwords lately. An address may then still try the members that have
 * signed in from it, and no others: another account with the same email may be the guesser's own. The attempt counts as
 * wrong until it is compared, or all attempts that a stranger sends at once would pass.
 */
function guardPerson<Member extends Pick<User, 'id'>>(
  services: Guarded,
  email: string,
  members: readonly Member[],
  address: string,
) {
  const { settings, limits, clock, wrongPasswords: windows, rightPasswords } = services;
  const { max, windowS, code } = limits.wrong_passwords_per_hour;
  const nowUs = clock.nowUs();
  const name = Buffer.from(hashSecret(email)).toString('base64');
  // By id, because the number of a removed member can be reused for another person.
  const nameKnown = ({ id }: Pick<User, 'id'>) => `${id} ${address}`;
  const { remaining, resetS } = windows.look(name, max, windowS, nowUs);
  const known = members.filter(
    (member) => rightPasswords.look(nameKnown(member), 1, KNOWN_S, nowUs).remaining === 0,
  );
  const open = settings.limits && remaining === 0 ? known : members;
  if (settings.limits && remaining === 0 && open.length === 0) {
    fail(code, { retryAfterS: countSecondsUntil(resetS * SECOND_US, nowUs) });
  }
  windows.take(name, windowS, nowUs);
  return {
    /** The members that may be tried. */
    open,
    /** Whether this address has signed in as one of the members before. */
    isKnown: known.length > 0,
    /** Awaits the comparison. Takes the attempt off the count unless the password was wrong. */
    async refundUnlessWrong<R>(compared: Promise<R>, isRight: (result: R) => boolean): Promise<R> {
      let isWrong = false;
      try {
        const result = await compared;
        isWrong = !isRight(result);
        return result;
      } finally {
        if (!isWrong) windows.take(name, windowS, nowUs, -1);
      }
    },
    noteRight(proven: readonly Pick<User, 'id'>[]): void {
      for (const member of proven) rightPasswords.take(nameKnown(member), KNOWN_S, nowUs);
    },
  };
}

/**
 * Throws unless this is the current password of the session's person. Returns the members of the session that it opens.
 * The person may have another password in another account, and then it proves nothing there.
 */
export async function requirePassword(
  services: Guarded,
  { no, user }: Session,
  password: string,
  address: string,
): Promise<OpenedMember[]> {
  const guard = guardPerson(services, user.email, [user], address);
  const own = readPasswordHash(services.store, user.no);
  if (!(await guard.refundUnlessWrong(isPassword(password, own, address, true), Boolean))) {
    fail('validation_error', { fields: { current_password: ['is not your current password'] } });
  }
  const members = listSessionPasswords(services.store, no);
  const hashes = [...new Set(members.map(({ hash }) => hash))].filter((hash) => hash !== own);
  const isRight = await Promise.all(hashes.map((hash) => isPassword(password, hash, address, true)));
  const right = new Set([own, ...hashes.filter((_, at) => isRight[at])]);
  return members.filter(({ hash }) => right.has(hash));
}

/** Changes the password wherever it was the current one, and ends the sessions there. Returns a new session's token. */
export async function changePassword(
  services: Guarded,
  session: Session,
  input: { current_password: string; password: string },
  browser: Browser & { token: string },
): Promise<string> {
  requirePasswords(services);
  const opened = await requirePassword(services, session, input.current_password, browser.address);
  const { user, account } = session;
  const owner = { email: user.email, name: account.name };
  const passwordHash = await hashPassword(input.password, owner, browser.address);
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
 * Signs in with a one-time link, and sets the password unless passwords are off. Returns the token of the new session,
 * or null if the person has a second factor: then the password is set, but the link alone does not sign in.
 */
export async function acceptInvite(
  { store, clock, settings }: Pick<PlatformServices, 'store' | 'clock' | 'settings'>,
  input: { token: string; password: string },
  browser: Browser,
): Promise<string | null> {
  // Checked first, so that a link that no longer works costs no hash.
  const { user, account } = requireInvite(store, hashSecret(input.token), clock.nowUs());
  const passwordHash = settings.passwords
    ? await hashPassword(input.password, { email: user.email, name: account.name }, browser.address)
    : null;
  const { token, session } = prepareSession(browser);
  const isSignedIn = await store.write(acceptInviteOp, {
    inviteHash: hashSecret(input.token),
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
  const prepared = await prepareAccount(input, browser, settings.passwords);
  const account = { ...prepared.account, plan: newPlans.created, operator: true, outbound: true } as const;
  await store.write(setUpOp, { ...prepared.op, account, signInOptions: findSignInOptions({ settings }) });
  return prepared.token;
}

/** Creates an account for a visitor who signs up. It is on the free plan and can't send. */
export async function signUp({ store }: Parts, input: NewOwner, browser: Browser): Promise<string> {
  const prepared = await prepareAccount(input, browser, true);
  const account = { ...prepared.account, plan: newPlans.signUp, operator: false, outbound: false } as const;
  await store.write(signUpOp, { ...prepared.op, account });
  return prepared.token;
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

/** Creates a session's token. Returns it with the session to store, which replaces the one that the browser had. */
export function prepareSession({ name, token: old }: Browser): { token: string; session: NewSession } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const replaces = old === null ? null : hashSecret(old);
  return {
    token,
    session: { token_hash: hashSecret(token), browser: name.slice(0, BROWSER_CHARS_MAX), replaces },
  };
}
