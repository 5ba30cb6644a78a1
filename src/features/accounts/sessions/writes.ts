/** Every write to sessions, and setting a password by a link. Only the SHA-256 of a token reaches this file. */
import { SECOND_US } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { newId } from '../../../platform/core/id.ts';
import {
  type AnyWriteOp,
  type AuditedTx,
  auditedOp,
  jobOp,
  onFullDisk,
  type Tx,
  writeOp,
} from '../../../platform/store/operation.ts';
import { recordAudit } from '../../audit/writes.ts';
import type { SignInOptions } from '../passkeys/sql.ts';
import { findTotp } from '../second-factor/sql.ts';
import { type FactorProof, useProof } from '../second-factor/writes.ts';
import { findAccountByNo, type User } from '../sql.ts';
import { INVITE_US, insertAccount, insertUser, type NewAccount, storePassword } from '../writes.ts';
import { requireInvite } from './invite.ts';
import { joinByInviteOp } from './join/writes.ts';
import { findPerson, recordSignIn } from './sign-in-record.ts';
import {
  canAnyOperatorSignIn,
  findOperatorsOwner,
  findSessionByHash,
  isInSession,
  listMembersWithPassword,
  type OpenedMember,
  readPasswordHash,
} from './sql.ts';

/** A session ends this many seconds after its sign-in, even if it is in use. */
export const SESSION_LIFETIME_S = 30 * 86_400;
/** Sessions of one member. A further sign-in ends the session that has been idle longest. */
const SESSIONS_MAX = 50;

export interface NewSession {
  token_hash: Uint8Array;
  browser: string;
  /** The hash of the token that the browser had. That session ends, so that none survives a new sign-in. */
  replaces: Uint8Array | null;
}

/**
 * @param userNos The members that the sign-in proved. The session starts as the first.
 * @param issuer The identity provider by which the session begins; null for any other way.
 */
export function insertSession(
  tx: Tx,
  { token_hash, browser, replaces }: NewSession,
  userNos: number[],
  issuer: string | null = null,
): void {
  if (replaces) tx.sql('DELETE FROM session WHERE token_hash = ?').run(replaces);
  const [first] = userNos;
  const { lastInsertRowid } = tx
    .sql(
      `INSERT INTO session (id, token_hash, user_no, browser, created_at, seen_at, expires_at, issuer)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      newId('session'),
      token_hash,
      first,
      browser,
      tx.nowUs,
      tx.nowUs,
      tx.nowUs + SESSION_LIFETIME_S * SECOND_US,
      issuer,
    );
  for (const userNo of userNos) {
    tx.sql('INSERT INTO session_member (session_no, user_no) VALUES (?, ?)').run(lastInsertRowid, userNo);
  }
  tx.sql(
    `DELETE FROM session WHERE no IN
       (SELECT s.no FROM session_member m JOIN session s ON s.no = m.session_no
        WHERE m.user_no = ? ORDER BY s.seen_at DESC, s.no DESC LIMIT -1 OFFSET ?)`,
  ).run(first, SESSIONS_MAX);
}

/** A member whose password was right. */
interface Proven {
  no: number;
  /** The hash that the password was compared with. If the member's hash has changed since, this proves nothing. */
  hash: string;
  /** Null if the member had no second factor. */
  proof: FactorProof | null;
}

/**
 * Starts a session for the members that are still proven, and uses up the second factor's code. Throws if none is left.
 */
export const startSessionOp = auditedOp(
  'sessions.start',
  (tx, { session, proven }: { session: NewSession; proven: Proven[] }): void => {
    const hashes = new Set(proven.map(({ hash }) => hash));
    const still = proven.filter(({ no, proof }) => {
      const hash = readPasswordHash(tx, no);
      return hash !== null && hashes.has(hash) && useProof(tx, no, proof);
    });
    const proof = proven.find((one) => one.proof !== null)?.proof;
    const isProven = !proof || still.some((one) => one.proof !== null);
    if (still.length === 0 || !isProven) fail('authentication_required', proof ? { fields: PROOF_USED } : {});
    const userNos = still.map(({ no }) => no);
    keepOneHash(tx, still);
    insertSession(tx, session, userNos);
    const factor = proof && ('step' in proof ? 'code' : 'recovery_code');
    recordSignIn(tx, userNos, 'password', factor ? { second_factor: factor } : {});
  },
);

/** Gives members with the same password the same hash, which shows that they share it (join/writes.ts). */
function keepOneHash(tx: Tx, [first, ...others]: readonly Proven[]): void {
  const hash = first && readPasswordHash(tx, first.no);
  for (const { no } of others)
    tx.sql('UPDATE user SET password_hash = ? WHERE no = ? AND password_hash <> ?').run(hash, no, hash);
}

const PROOF_USED = { code: ['is wrong or was used'] };

/** Records that the person is active now. */
export const touchSessionOp = writeOp('sessions.touch', (tx, { no }: { no: number }): void => {
  tx.sql('UPDATE session SET seen_at = max(seen_at, ?) WHERE no = ?').run(tx.nowUs, no);
});

/** Switches the session to another of the accounts that its sign-in proved. */
export const switchSessionOp = writeOp(
  'sessions.switch',
  (tx, { no, account_id }: { no: number; account_id: string }): void => {
    const changed = tx
      .sql(
        `UPDATE session SET user_no =
           (SELECT u.no FROM session_member m JOIN user u ON u.no = m.user_no
              JOIN account a ON a.no = u.account_no
            WHERE m.session_no = session.no AND a.id = ? AND a.deleted_at IS NULL)
         WHERE no = ? AND EXISTS
           (SELECT 1 FROM session_member m JOIN user u ON u.no = m.user_no
              JOIN account a ON a.no = u.account_no
            WHERE m.session_no = session.no AND a.id = ? AND a.deleted_at IS NULL)`,
      )
      .run(account_id, no, account_id).changes;
    if (changed === 0) fail('not_found');
  },
);

export const endSessionOp = auditedOp('sessions.end', (tx, { hash }: { hash: Uint8Array }): void => {
  const session = findSessionByHash(tx, hash, tx.nowUs);
  if (session) recordAudit(tx, { action: 'sign_out', ...findPerson(tx, session.user.no) });
  tx.sql('DELETE FROM session WHERE token_hash = ?').run(hash);
});

/** Ends one session of this member. Throws not_found for another member's session. */
export const endOwnSessionOp = auditedOp(
  'sessions.end_own',
  (tx, { user_no, id }: { user_no: number; id: string }): void => {
    const gone = tx
      .sql(
        `DELETE FROM session
         WHERE id = ? AND no IN (SELECT session_no FROM session_member WHERE user_no = ?)`,
      )
      .run(id, user_no).changes;
    if (gone === 0) fail('not_found');
    recordAudit(tx, { action: 'sessions.ended', ...findPerson(tx, user_no), details: { sessions: '1' } });
  },
);

/** Ends every session of every member that this session can switch to, except `but`. Returns how many. */
export const endSessionsOp = auditedOp(
  'sessions.end_all',
  (tx, { session_no, but }: { session_no: number; but: number | null }): number => {
    const current = tx.sql('SELECT user_no FROM session WHERE no = ?').get(session_no);
    const { changes } = tx
      .sql(
        `DELETE FROM session WHERE no IS NOT ? AND no IN
           (SELECT other.session_no
            FROM session_member mine JOIN session_member other ON other.user_no = mine.user_no
            WHERE mine.session_no = ?)`,
      )
      .run(but, session_no);
    if (current && changes > 0) {
      const person = findPerson(tx, (current as { user_no: number }).user_no);
      recordAudit(tx, { action: 'sessions.ended', ...person, details: { sessions: String(changes) } });
    }
    return changes;
  },
);

interface ChangePassword {
  session: NewSession & { replaces: Uint8Array };
  /** The members that the current password opened. */
  opened: readonly OpenedMember[];
  password_hash: string;
}

/**
 * Sets a new password wherever the old one was right. Every session there ends, and a new one continues this one: it still began with
 * the identity provider, which may be all that opened its other accounts.
 */
export const changePasswordOp = auditedOp('sessions.change_password', (tx, input: ChangePassword): void => {
  const { replaces } = input.session;
  const known = findSessionByHash(tx, replaces, tx.nowUs) ?? fail('authentication_required');
  const still = input.opened.filter(
    ({ no, hash }) => isInSession(tx, known.no, no) && readPasswordHash(tx, no) === hash,
  );
  if (!still.some(({ no }) => no === known.user.no)) fail('authentication_required');
  const members = tx
    .sql('SELECT user_no FROM session_member WHERE session_no = ? ORDER BY user_no = ? DESC, user_no')
    .all(known.no, known.user.no) as { user_no: number }[];
  const { issuer } = tx.sql('SELECT issuer FROM session WHERE no = ?').get(known.no) as {
    issuer: string | null;
  };
  for (const { no } of still) {
    storePassword(tx, no, input.password_hash);
    recordAudit(tx, { action: 'password.changed', ...findPerson(tx, no) });
  }
  insertSession(
    tx,
    input.session,
    members.map(({ user_no }) => user_no),
    issuer,
  );
});

interface AcceptInvite {
  inviteHash: Uint8Array;
  /** Null if passwords are off: then the link only signs in. */
  password_hash: string | null;
  session: NewSession;
}

/**
 * Uses up a link: sets the member's password, and signs them in unless they have a second factor. Returns whether they
 * are signed in.
 */
export const acceptInviteOp = auditedOp('sessions.accept_invite', (tx, input: AcceptInvite): boolean => {
  const { user } = requireInvite(tx, input.inviteHash, tx.nowUs);
  if (input.password_hash === null) tx.sql('DELETE FROM invite WHERE user_no = ?').run(user.no);
  else {
    storePassword(tx, user.no, input.password_hash);
    recordAudit(tx, { action: 'password.changed', ...findPerson(tx, user.no) });
    if (findTotp(tx, user.no)) return false;
  }
  insertSession(tx, input.session, [user.no]);
  recordSignIn(tx, [user.no], 'link');
  return true;
});

/** The account of someone who sets up the server or signs up. */
export type FirstAccount = Omit<NewAccount, 'made_by_operator'> & { email: string };

interface SetUp {
  /** Creates this account if there is no operator's account yet. */
  account: FirstAccount;
  /** Null if passwords are off. */
  password_hash: string | null;
  signInOptions: SignInOptions;
  session: NewSession;
}

/** The operator's first sign-in: sets the password of the account's owner, or creates the account with its owner. */
export const setUpOp = auditedOp('sessions.set_up', (tx, input: SetUp): void => {
  if (canAnyOperatorSignIn(tx, input.signInOptions))
    fail('conflict', { text: 'Postern is already set up. Sign in instead.' });
  const owner = findOperatorsOwner(tx) ?? insertOwner(tx, input.account);
  if (input.password_hash !== null) storePassword(tx, owner.no, input.password_hash);
  insertSession(tx, input.session, [owner.no]);
  recordSignIn(tx, [owner.no], 'setup_link');
});

/** At most this many accounts can sign up with one email, because a sign-in compares the password in each of them. */
const SIGN_UPS_MAX = 3;

/**
 * Creates a separate account even if others have the email, so that the response does not reveal who has an account.
 */
export const signUpOp = auditedOp('sessions.sign_up', (tx, input: Omit<SetUp, 'signInOptions'>): void => {
  if (listMembersWithPassword(tx, input.account.email, SIGN_UPS_MAX).length === SIGN_UPS_MAX) {
    fail('conflict', {
      text: 'There are already several accounts under this email. Sign in to one of them.',
    });
  }
  const owner = insertOwner(tx, input.account);
  storePassword(tx, owner.no, input.password_hash);
  insertSession(tx, input.session, [owner.no]);
  recordSignIn(tx, [owner.no], 'sign_up');
});

export function insertOwner(tx: AuditedTx, input: FirstAccount): User {
  // The person who sets up the server is its operator. Everyone else signs up.
  const account = insertAccount(tx, { ...input, made_by_operator: input.operator });
  const owner = { account_no: account.no, email: input.email, role: 'owner', password_hash: null } as const;
  const details = { plan: account.plan, operator: String(account.operator) };
  recordAudit(tx, { action: 'account.created', account_no: account.no, target: input.email, details });
  return insertUser(tx, owner);
}

interface RenewInvite {
  account_no: number;
  user_id: string;
  token_hash: Uint8Array;
}

/** Creates another link for a member. Earlier links stop working; the password stays until the new one is used. */
export const renewInviteOp = auditedOp('sessions.renew_invite', (tx, input: RenewInvite): User => {
  findAccountByNo(tx, input.account_no) ?? fail('not_found');
  const user = tx
    .sql('SELECT no, id, account_no, email, role FROM user WHERE id = ? AND account_no = ?')
    .get(input.user_id, input.account_no) as User | undefined;
  if (!user) fail('not_found');
  tx.sql('DELETE FROM invite WHERE user_no = ?').run(user.no);
  tx.sql('INSERT INTO invite (token_hash, user_no, created_at, expires_at) VALUES (?, ?, ?, ?)').run(
    input.token_hash,
    user.no,
    tx.nowUs,
    tx.nowUs + INVITE_US,
  );
  recordAudit(tx, { action: 'member.link_created', account_no: user.account_no, target: user.email });
  return user;
});

/** Deletes expired sessions and links. Returns how many. */
export const forgetSessionsOp = jobOp('sessions.forget', (tx, { max }: { max: number }): number => {
  const sessions = tx
    .sql('DELETE FROM session WHERE no IN (SELECT no FROM session WHERE expires_at <= ? LIMIT ?)')
    .run(tx.nowUs, max).changes;
  const invites = tx
    .sql(
      'DELETE FROM invite WHERE token_hash IN (SELECT token_hash FROM invite WHERE expires_at <= ? LIMIT ?)',
    )
    .run(tx.nowUs, max).changes;
  return sessions + invites;
});

/** For src/app/writes.ts. */
export const sessionWrites: readonly AnyWriteOp[] = [
  onFullDisk(startSessionOp),
  onFullDisk(touchSessionOp),
  onFullDisk(switchSessionOp),
  onFullDisk(endSessionOp),
  onFullDisk(endOwnSessionOp),
  onFullDisk(endSessionsOp),
  onFullDisk(changePasswordOp),
  acceptInviteOp,
  joinByInviteOp,
  onFullDisk(setUpOp),
  signUpOp,
  renewInviteOp,
  forgetSessionsOp,
];
