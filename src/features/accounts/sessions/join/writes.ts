/*
 * Joining another account with the session that one has. The person's credentials are copied to the new account, but
 * only those that open all of the session's accounts: the owner of one of them may have used a link meant for this
 * person to set a password or add a passkey.
 */
import { fail } from '../../../../platform/core/failure.ts';
import { type AuditedTx, auditedOp, type Tx } from '../../../../platform/store/operation.ts';
import { listPasskeys, type Passkey } from '../../passkeys/sql.ts';
import { copyPasskeys } from '../../passkeys/writes.ts';
import { hasOwnTotp } from '../../second-factor/sql.ts';
import { copyTotp } from '../../second-factor/writes.ts';
import { storePassword } from '../../writes.ts';
import { requireInvite } from '../invite.ts';
import { recordSignIn } from '../sign-in-record.ts';
import { findSessionByHash, isInSession, readPasswordHash, type Session } from '../sql.ts';

interface JoinByInvite {
  inviteHash: Uint8Array;
  tokenHash: Uint8Array;
  /** Whether strangers can make accounts, with any email and any members. */
  isSignUpOpen: boolean;
}

/**
 * Accepts an invitation for the email that is signed in: the person keeps their password, and the session gets the
 * account.
 */
export const joinByInviteOp = auditedOp(
  'sessions.join_by_invite',
  (tx, { inviteHash, tokenHash, isSignUpOpen }: JoinByInvite): void => {
    const { user } = requireInvite(tx, inviteHash, tx.nowUs);
    const session = findSessionByHash(tx, tokenHash, tx.nowUs) ?? fail('authentication_required');
    if (session.user.email !== user.email) fail('conflict', { text: `The link is for ${user.email}.` });
    if (isInSession(tx, session.no, user.no)) tx.sql('DELETE FROM invite WHERE user_no = ?').run(user.no);
    // The email alone proves nothing across accounts: the owner of the session's account may have chosen it to pose as
    // this person.
    else if (hasOwnTotp(tx, user.no, session.user.no)) fail('conflict', { text: SIGN_IN_WITH_CODE });
    else adopt(tx, session, user.no, isSignUpOpen);
    tx.sql('UPDATE session SET user_no = ? WHERE no = ?').run(user.no, session.no);
    recordSignIn(tx, [user.no], 'link');
  },
);

const SIGN_IN_WITH_CODE =
  'This member has a second factor. Sign out, choose a password by the link, and sign in with the code.';

/** Copies the credentials of the session's person to a member, and adds the member to the session. */
function adopt(tx: AuditedTx, { no, user }: Session, userNo: number, isSignUpOpen: boolean): void {
  const others = listOthers(tx, no, user.no);
  const hash = readPasswordHash(tx, user.no);
  const isShared = others.every((other) => readPasswordHash(tx, other) === hash);
  storePassword(tx, userNo, isShared ? hash : null);
  if (isShared) copyTotp(tx, user.no, userNo);
  copyPasskeys(tx, listShared(tx, user.no, others), userNo);
  if (!isSignUpOpen) copyIdentities(tx, user.no, userNo);
  tx.sql('INSERT INTO session_member (session_no, user_no) VALUES (?, ?)').run(no, userNo);
}

/**
 * Only the identity provider's answer creates these rows, so the session's owner can't have planted one. But a stranger's session
 * may pose as the person, and would link them to ever more accounts: where anyone can sign up, people link themselves.
 */
function copyIdentities(tx: Tx, from: number, to: number): void {
  tx.sql(
    `INSERT OR IGNORE INTO identity (user_no, issuer, subject, created_at, email)
     SELECT ?, issuer, subject, ?, email FROM identity WHERE user_no = ?`,
  ).run(to, tx.nowUs, from);
}

function listOthers(tx: Tx, sessionNo: number, userNo: number): number[] {
  const rows = tx
    .sql('SELECT user_no FROM session_member WHERE session_no = ? AND user_no <> ?')
    .all(sessionNo, userNo) as { user_no: number }[];
  return rows.map(({ user_no }) => user_no);
}

function listShared(tx: Tx, userNo: number, others: readonly number[]): Passkey[] {
  const nameKey = ({ credential_id }: Passkey) => Buffer.from(credential_id).toString('base64url');
  const known = others.map((other) => new Set(listPasskeys(tx, other).map(nameKey)));
  return listPasskeys(tx, userNo).filter((passkey) => known.every((keys) => keys.has(nameKey(passkey))));
}
