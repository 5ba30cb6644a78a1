/** Writes of a sign-in with OpenID Connect. */
import { fail } from '../../../platform/core/failure.ts';
import { type AuditedTx, auditedOp, type Tx } from '../../../platform/store/operation.ts';
import { recordAudit } from '../../audit/writes.ts';
import { forgetPasskeys } from '../passkeys/writes.ts';
import { recordSignIn } from '../sessions/sign-in-record.ts';
import { insertSession, type NewSession } from '../sessions/writes.ts';
import { listUsers, type User } from '../sql.ts';
import { insertUser } from '../writes.ts';

/** At most this many accounts are opened by one sign-in. */
const MEMBERSHIPS_MAX = 20;

interface SignInByOidc {
  issuer: string;
  subject: string;
  /** Verified by the provider; in lower case. */
  email: string;
  /** The account that people without one join, if `mayJoin`. The provider's group decides the roles in it. */
  homeNo: number | null;
  mayJoin: boolean;
  /** Null if the provider does not decide roles. */
  isOwner: boolean | null;
  /** Whether linking a member removes their password, because a stranger may have set it. */
  voidsPasswords: boolean;
  session: NewSession;
}

/**
 * Signs in to every account that has this person as a member. A member is found by the provider's permanent id (issuer
 * and subject), or the first time by email. A member linked to another id is another person with the same email.
 */
export const signInByOidcOp = auditedOp('sessions.oidc', (tx, input: SignInByOidc): void => {
  const { issuer, subject, email } = input;
  const known = listLinked(tx, issuer, subject);
  const found = listUnlinked(tx, issuer, email);
  const people = [...known, ...found];
  if (people.length === 0) people.push(joinHome(tx, input));
  for (const user of people.slice(known.length)) link(tx, user, input);
  const home = people.find(({ account_no }) => account_no === input.homeNo);
  if (home && input.isOwner !== null) followGroup(tx, home, input.isOwner);
  const userNos = people.slice(0, MEMBERSHIPS_MAX).map(({ no }) => no);
  insertSession(tx, input.session, userNos);
  recordSignIn(tx, userNos, 'oidc');
});

const MEMBER = 'u.no, u.id, u.account_no, u.email, u.role';

function listLinked(tx: Tx, issuer: string, subject: string): User[] {
  return tx
    .sql(
      `SELECT ${MEMBER}
       FROM identity i JOIN user u ON u.no = i.user_no JOIN account a ON a.no = u.account_no
       WHERE i.issuer = ? AND i.subject = ? AND a.deleted_at IS NULL
       ORDER BY u.no LIMIT ?`,
    )
    .all(issuer, subject, MEMBERSHIPS_MAX) as User[];
}

function listUnlinked(tx: Tx, issuer: string, email: string): User[] {
  return tx
    .sql(
      `SELECT ${MEMBER}
       FROM user u INDEXED BY user_by_email JOIN account a ON a.no = u.account_no
       WHERE u.email = ? AND a.deleted_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM identity i WHERE i.user_no = u.no AND i.issuer = ?)
       ORDER BY u.no LIMIT ?`,
    )
    .all(email, issuer, MEMBERSHIPS_MAX) as User[];
}

function joinHome(tx: AuditedTx, { email, homeNo, mayJoin, isOwner }: SignInByOidc): User {
  const taken = tx
    .sql(
      `SELECT 1 FROM user u INDEXED BY user_by_email JOIN account a ON a.no = u.account_no
       WHERE u.email = ? AND a.deleted_at IS NULL LIMIT 1`,
    )
    .get(email);
  if (taken) fail('conflict', { text: `${email} belongs to another person at the identity provider.` });
  if (!mayJoin || homeNo === null) {
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
  return user;
}

/** Links a member to the person at the provider. One-time links that set a password stop working. */
function link(tx: AuditedTx, user: User, { issuer, subject, voidsPasswords }: SignInByOidc): void {
  tx.sql('INSERT INTO identity (user_no, issuer, subject, created_at) VALUES (?, ?, ?, ?)').run(
    user.no,
    issuer,
    subject,
    tx.nowUs,
  );
  tx.sql('DELETE FROM invite WHERE user_no = ?').run(user.no);
  if (!voidsPasswords) return;
  // The app may be that stranger's too, and a password set later must not depend on it.
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
