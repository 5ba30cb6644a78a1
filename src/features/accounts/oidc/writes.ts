/** Writes of a sign-in with OpenID Connect. */
import { fail, failField } from '../../../platform/core/failure.ts';
import {
  type AnyWriteOp,
  type AuditedTx,
  auditedOp,
  type Reading,
  type Tx,
} from '../../../platform/store/operation.ts';
import { type AuditDetails, recordAudit } from '../../audit/writes.ts';
import { canSignIn, type SignInOptions } from '../passkeys/sql.ts';
import { forgetPasskeys } from '../passkeys/writes.ts';
import { requireInvite } from '../sessions/invite.ts';
import { findPerson, recordSignIn } from '../sessions/sign-in-record.ts';
import { listSessionMembers, readPasswordHash, readPerson, requireProven } from '../sessions/sql.ts';
import { insertSession, type NewSession } from '../sessions/writes.ts';
import { findAccountByNo, listUsers, type User } from '../sql.ts';
import { insertUser, storePassword } from '../writes.ts';
import {
  findIdentity,
  isLinkedToAnother,
  listLinked,
  listUnlinked,
  MEMBERSHIPS_MAX,
  type OidcPerson,
  type Welcome,
} from './sql.ts';

interface SignInByOidc extends OidcPerson, Welcome {
  /** Whether people without an account join the home account. */
  mayJoin: boolean;
  /** The role in the home account; null if the provider does not decide it. */
  isOwner: boolean | null;
  /** The one-time link that the person opened; null without one. */
  inviteHash: Uint8Array | null;
  session: NewSession;
}

/**
 * Signs in to every account that has this person as a member. A member is found by the provider's permanent id (issuer
 * and subject), or the first time by email. A member linked to another id is another person with the same email.
 */
export const signInByOidcOp = auditedOp('sessions.oidc', (tx, input: SignInByOidc): void => {
  const invited = input.inviteHash && acceptInvite(tx, input, input.inviteHash);
  const found = listUnlinked(tx, input);
  const members = [...listLinked(tx, input), ...found];
  for (const user of found) link(tx, user, input);
  // An account that a stranger made must neither keep the person from the others nor be the first that they see.
  const people: User[] = members.toSorted((one, other) => other.is_trusted - one.is_trusted);
  if (!members.some(({ is_trusted }) => is_trusted === 1)) joinHome(tx, input, people);
  const home = people.find(({ account_no }) => account_no === input.homeNo);
  if (home && input.isOwner !== null) followGroup(tx, home, input.isOwner);
  // The account of the invitation is the one that they want to see.
  const all = new Set([...(invited ? [invited] : []), ...people].map(({ no }) => no));
  const userNos = [...all].slice(0, MEMBERSHIPS_MAX);
  noteEmail(tx, input);
  insertSession(tx, input.session, userNos, input.issuer);
  recordSignIn(tx, userNos, 'oidc');
});

/** Adds the person to the home account, as the first of `people`. Throws if they may not join and are nobody else. */
function joinHome(tx: AuditedTx, input: SignInByOidc, people: User[]): void {
  const { email, homeNo, mayJoin, isOwner } = input;
  const isTaken = isLinkedToAnother(tx, input);
  if (isTaken || !mayJoin || homeNo === null) {
    if (people.length > 0) return;
    if (isTaken) fail('conflict', { text: `${email} belongs to another person at the identity provider.` });
    fail('account_forbidden', { text: `${email} is a member of no account here.` });
  }
  const role = isOwner ? 'owner' : 'member';
  const user = insertUser(tx, { account_no: homeNo, email, role, password_hash: null });
  const by = { kind: 'user', id: user.id, name: email } as const;
  recordAudit(tx, {
    action: 'member.added',
    account_no: homeNo,
    target: email,
    details: { role, by: 'oidc' },
    by,
  });
  link(tx, user, input);
  people.unshift(user);
}

/**
 * Uses up a one-time link, and links its member to the person. Earlier passwords and sessions end, as with any such link.
 */
function acceptInvite(tx: AuditedTx, input: SignInByOidc, inviteHash: Uint8Array): User {
  const { user } = requireInvite(tx, inviteHash, tx.nowUs);
  if (requireUnlinked(tx, user, input)) {
    link(tx, user, input);
    recordAudit(tx, { action: 'single_sign_on.connected', ...findPerson(tx, user.no) });
  } else endSessions(tx, user);
  const hadPassword = readPasswordHash(tx, user.no) !== null;
  storePassword(tx, user.no, null);
  if (hadPassword)
    recordAudit(tx, { action: 'password.changed', ...findPerson(tx, user.no), details: REMOVED });
  return user;
}

const REMOVED = { password: 'removed, with its sessions' };

/** Returns false if the member is linked to the person already. Throws if they are another person. */
function requireUnlinked(tx: Tx, user: User, { issuer, subject, email }: OidcPerson): boolean {
  if (user.email !== email) failField('email', `is ${email} at the identity provider`);
  const identity = findIdentity(tx, user.no, issuer);
  if (identity && identity.subject !== subject) {
    fail('conflict', { text: `${email} belongs to another person at the identity provider.` });
  }
  return identity === null;
}

interface ConnectOidc extends OidcPerson {
  session_id: string;
  /** The members for whom the person confirmed that it is them; first the current one. */
  userNos: readonly number[];
}

/**
 * Links members of a session, who keep their passwords, to the person at the provider. Throws not_found if the session
 * has ended meanwhile.
 */
export const connectOidcOp = auditedOp('oidc.connect', (tx, input: ConnectOidc): void => {
  const members = listSessionMembers(tx, input.session_id, tx.nowUs).filter(({ no }) =>
    input.userNos.includes(no),
  );
  const current = members.find(({ no }) => no === input.userNos[0]) ?? fail('not_found');
  requireUnlinked(tx, current, input);
  for (const user of members) {
    if (user.email !== input.email || findIdentity(tx, user.no, input.issuer)) continue;
    insertIdentity(tx, user, input);
    recordAudit(tx, { action: 'single_sign_on.connected', ...findPerson(tx, user.no) });
  }
});

interface DisconnectOidc {
  session_no: number;
  user_no: number;
  issuer: string;
  signInOptions: SignInOptions;
}

/**
 * Removes a member's link to the person at the provider, from every account that the session proved, and ends the sessions
 * that began by it. Throws if the person could no longer sign in to one of the accounts.
 */
export const disconnectOidcOp = auditedOp('oidc.disconnect', (tx, input: DisconnectOidc): void => {
  const { issuer, signInOptions } = input;
  const { subject } = findIdentity(tx, input.user_no, issuer) ?? fail('not_found');
  for (const userNo of requireProven(tx, input.session_no)) {
    if (findIdentity(tx, userNo, issuer)?.subject !== subject) continue;
    requireOtherWays(tx, userNo, signInOptions);
    tx.sql('DELETE FROM identity WHERE user_no = ? AND issuer = ?').run(userNo, issuer);
    const { changes } = tx
      .sql(
        `DELETE FROM session WHERE issuer = ? AND no IN
           (SELECT session_no FROM session_member WHERE user_no = ?)`,
      )
      .run(issuer, userNo);
    const details: AuditDetails = changes > 0 ? { sessions: String(changes) } : {};
    recordAudit(tx, { action: 'single_sign_on.removed', ...findPerson(tx, userNo), details });
  }
});

/** Throws if the provider is a member's only way to sign in. */
export function requireOtherWays(reading: Reading, userNo: number, signInOptions: SignInOptions): void {
  if (canSignIn(reading, userNo, { ...signInOptions, issuer: null })) return;
  const { account_no } = readPerson(reading, userNo);
  const name = findAccountByNo(reading, account_no)?.name ?? '';
  fail('conflict', {
    text: `Single sign-on is your only way to sign in to ${name}. Add a passkey first, or ask an owner of the account for a link that sets a password.`,
  });
}

/** One-time links that set a password stop working. */
function insertIdentity(tx: Tx, user: User, { issuer, subject, email }: OidcPerson): void {
  tx.sql('INSERT INTO identity (user_no, issuer, subject, created_at, email) VALUES (?, ?, ?, ?, ?)').run(
    user.no,
    issuer,
    subject,
    tx.nowUs,
    email,
  );
  tx.sql('DELETE FROM invite WHERE user_no = ?').run(user.no);
}

/** Notes the person's email at the provider, which may have changed there, for their pages. */
function noteEmail(tx: Tx, { issuer, subject, email }: OidcPerson): void {
  tx.sql('UPDATE identity SET email = ? WHERE issuer = ? AND subject = ? AND email IS NOT ?').run(
    email,
    issuer,
    subject,
    email,
  );
}

/** Ends the sessions of a member: others may have begun them by a link. */
function endSessions(tx: AuditedTx, user: User): void {
  const { changes } = tx
    .sql('DELETE FROM session WHERE no IN (SELECT session_no FROM session_member WHERE user_no = ?)')
    .run(user.no);
  if (changes === 0) return;
  const details = { sessions: String(changes), by: 'oidc' };
  recordAudit(tx, { action: 'sessions.ended', ...findPerson(tx, user.no), details });
}

/**
 * Links a member to the person at the provider, and ends the member's sessions. Where strangers can make accounts, what
 * they may have set is removed.
 */
function link(tx: AuditedTx, user: User, input: SignInByOidc): void {
  insertIdentity(tx, user, input);
  endSessions(tx, user);
  if (!input.isSignUpOpen) return;
  // Where anyone can sign up with any email, a password does not show whose email it is. The app may be that stranger's
  // too, and a password set later must not depend on it.
  tx.sql('DELETE FROM totp WHERE user_no = ?').run(user.no);
  const passkeys = forgetPasskeys(tx, user.no);
  const { changes } = tx
    .sql('UPDATE user SET password_hash = NULL WHERE no = ? AND password_hash IS NOT NULL')
    .run(user.no);
  // The operator's keys, such as the first of an account, are in use before their member ever comes.
  const keys = tx.sql('DELETE FROM api_key WHERE user_no = ? AND made_by_operator = 0').run(user.no).changes;
  if (changes + passkeys + keys === 0) return;
  const details = { password: 'removed, with its keys, passkeys and second factor', by: 'oidc' };
  recordAudit(tx, { action: 'password.changed', account_no: user.account_no, target: user.email, details });
}

/**
 * Gives a member the role that the provider's group implies. The last owner keeps the role, so that nobody is locked
 * out.
 */
function followGroup(tx: AuditedTx, user: User, isOwner: boolean): void {
  const role = isOwner ? 'owner' : 'member';
  if (user.role === role) return;
  const owners = listUsers(tx, user.account_no).filter((each) => each.role === 'owner');
  if (!isOwner && owners.length === 1) return;
  tx.sql('UPDATE user SET role = ? WHERE no = ?').run(role, user.no);
  tx.sql('UPDATE api_key SET role = ? WHERE user_no = ?').run(role, user.no);
  const details = { role: `${user.role} → ${role}`, by: 'oidc' };
  recordAudit(tx, {
    action: 'member.role_changed',
    account_no: user.account_no,
    target: user.email,
    details,
  });
}

/** For src/app/writes.ts. */
export const oidcWrites: readonly AnyWriteOp[] = [signInByOidcOp, connectOidcOp, disconnectOidcOp];
