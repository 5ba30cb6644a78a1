/** Writes of a sign-in with OpenID Connect. */
import { fail } from '../../../platform/core/failure.ts';
import { type AuditedTx, auditedOp } from '../../../platform/store/operation.ts';
import { recordAudit } from '../../audit/writes.ts';
import { forgetPasskeys } from '../passkeys/writes.ts';
import { recordSignIn } from '../sessions/sign-in-record.ts';
import { insertSession, type NewSession } from '../sessions/writes.ts';
import { listUsers, type User } from '../sql.ts';
import { insertUser } from '../writes.ts';
import {
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
  session: NewSession;
}

/**
 * Signs in to every account that has this person as a member. A member is found by the provider's permanent id (issuer
 * and subject), or the first time by email. A member linked to another id is another person with the same email.
 */
export const signInByOidcOp = auditedOp('sessions.oidc', (tx, input: SignInByOidc): void => {
  const found = listUnlinked(tx, input);
  const members = [...listLinked(tx, input), ...found];
  for (const user of found) link(tx, user, input);
  // An account that a stranger made must neither keep the person from the others nor be the first that they see.
  const people: User[] = members.toSorted((one, other) => other.is_trusted - one.is_trusted);
  if (!members.some(({ is_trusted }) => is_trusted === 1)) joinHome(tx, input, people);
  const home = people.find(({ account_no }) => account_no === input.homeNo);
  if (home && input.isOwner !== null) followGroup(tx, home, input.isOwner);
  const userNos = people.slice(0, MEMBERSHIPS_MAX).map(({ no }) => no);
  insertSession(tx, input.session, userNos);
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

/** Links a member to the person at the provider. One-time links that set a password stop working. */
function link(tx: AuditedTx, user: User, { issuer, subject, isSignUpOpen }: SignInByOidc): void {
  tx.sql('INSERT INTO identity (user_no, issuer, subject, created_at) VALUES (?, ?, ?, ?)').run(
    user.no,
    issuer,
    subject,
    tx.nowUs,
  );
  tx.sql('DELETE FROM invite WHERE user_no = ?').run(user.no);
  if (!isSignUpOpen) return;
  // Where anyone can sign up with any email, a password does not show whose email it is. The app may be that stranger's
  // too, and a password set later must not depend on it.
  tx.sql('DELETE FROM totp WHERE user_no = ?').run(user.no);
  const passkeys = forgetPasskeys(tx, user.no);
  const { changes } = tx
    .sql('UPDATE user SET password_hash = NULL WHERE no = ? AND password_hash IS NOT NULL')
    .run(user.no);
  if (changes + passkeys === 0) return;
  tx.sql('DELETE FROM session WHERE no IN (SELECT session_no FROM session_member WHERE user_no = ?)').run(
    user.no,
  );
  tx.sql('DELETE FROM api_key WHERE user_no = ?').run(user.no);
  const details = { password: 'removed, with its sessions, keys, passkeys and second factor', by: 'oidc' };
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
