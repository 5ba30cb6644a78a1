/** Every write to second factors. */
import { fail } from '../../../platform/core/failure.ts';
import { type AnyWriteOp, auditedOp, type Tx } from '../../../platform/store/operation.ts';
import { type AuditDetails, type AuditEvent, recordAudit } from '../../audit/writes.ts';
import { forgetPasskeys } from '../passkeys/writes.ts';
import { findUserByEmail, type User } from '../sql.ts';
import { findTotp } from './sql.ts';

/** What proves that a person has their second factor: the time step of a code, or the hash of a recovery code. */
export type FactorProof = { step: number } | { recoveryHash: Uint8Array };

/**
 * Uses up the proof of a member's second factor. Returns true if the member has none; false if it is not proven, or if
 * the code has been used meanwhile.
 */
export function useProof(tx: Tx, userNo: number, proof: FactorProof | null): boolean {
  if (!findTotp(tx, userNo)) return true;
  if (proof === null) return false;
  const { changes } =
    'step' in proof
      ? tx
          .sql('UPDATE totp SET last_step = ? WHERE user_no = ? AND last_step < ?')
          .run(proof.step, userNo, proof.step)
      : tx
          .sql('DELETE FROM recovery_code WHERE user_no = ? AND code_hash = ?')
          .run(userNo, proof.recoveryHash);
  return changes === 1;
}

/** The members of a session for whom the person's password was confirmed. */
interface Confirmed {
  session_no: number;
  userNos: readonly number[];
}

interface SetTotp extends Confirmed {
  secret: Uint8Array;
  /** The time step of the code that showed that the app has the secret. It can't be used again. */
  step: number;
  recoveryHashes: readonly Uint8Array[];
}

/** Adds the app to every account that the password opens, replacing an earlier one. */
export const setTotpOp = auditedOp('second_factor.set', (tx, input: SetTotp): void => {
  const persons = listPersons(tx, input);
  // The session has ended meanwhile. Recovery codes that are not stored must not be shown.
  if (persons.length === 0) fail('authentication_required');
  for (const person of persons) {
    tx.sql(
      `INSERT OR REPLACE INTO totp (user_no, secret, last_step, created_at)
       VALUES (?, ?, ?, ?)`,
    ).run(person.no, input.secret, input.step, tx.nowUs);
    replaceRecoveryCodes(tx, person.no, input.recoveryHashes);
    recordAudit(tx, { action: 'second_factor.added', ...describe(person) });
  }
});

/** Replaces the recovery codes in every account where the person has a second factor and the password was right. */
export const renewRecoveryCodesOp = auditedOp(
  'second_factor.renew_codes',
  (tx, { recoveryHashes, ...confirmed }: Confirmed & Pick<SetTotp, 'recoveryHashes'>): void => {
    const persons = listPersons(tx, confirmed).filter(({ no }) => findTotp(tx, no));
    if (persons.length === 0) fail('not_found');
    for (const person of persons) {
      replaceRecoveryCodes(tx, person.no, recoveryHashes);
      recordAudit(tx, { action: 'recovery_codes.created', ...describe(person) });
    }
  },
);

/** Removes the second factor from every account that the password opens. */
export const removeTotpOp = auditedOp('second_factor.remove', (tx, confirmed: Confirmed): void => {
  for (const person of listPersons(tx, confirmed)) {
    const { changes } = tx.sql('DELETE FROM totp WHERE user_no = ?').run(person.no);
    if (changes > 0) recordAudit(tx, { action: 'second_factor.removed', ...describe(person) });
  }
});

/**
 * Copies a second factor to a member of another account with the same email, as the password is copied too. One that is
 * shared already is left alone, so that no used code works again.
 */
export function copyTotp(tx: Tx, fromUserNo: number, toUserNo: number): void {
  const { changes } = tx
    .sql(
      `INSERT OR IGNORE INTO totp (user_no, secret, last_step, created_at)
       SELECT ?, secret, last_step, created_at FROM totp WHERE user_no = ?`,
    )
    .run(toUserNo, fromUserNo);
  if (changes === 0) return;
  tx.sql(
    `INSERT INTO recovery_code (user_no, code_hash)
     SELECT ?, code_hash FROM recovery_code WHERE user_no = ?`,
  ).run(toUserNo, fromUserNo);
}

/**
 * Removes the app, recovery codes and passkeys of a member who lost their phone, and ends their sessions. The person's
 * other accounts keep them.
 */
export const resetTotpOp = auditedOp(
  'second_factor.reset',
  (tx, { account_no, email }: { account_no: number; email: string }): User & { passkeys: number } => {
    const user = findUserByEmail(tx, account_no, email);
    if (!user) fail('not_found', { text: `No member of this account has the email ${email}.` });
    const { changes } = tx.sql('DELETE FROM totp WHERE user_no = ?').run(user.no);
    const passkeys = forgetPasskeys(tx, user.no);
    if (changes + passkeys === 0) {
      fail('conflict', { text: `${email} has no second factor and no passkey in this account.` });
    }
    // Someone else may have the phone, with a session on it.
    tx.sql('DELETE FROM session WHERE no IN (SELECT session_no FROM session_member WHERE user_no = ?)').run(
      user.no,
    );
    const details: AuditDetails = passkeys > 0 ? { passkeys: `${passkeys} removed` } : {};
    recordAudit(tx, { action: 'second_factor.reset', account_no, target: user.email, details });
    return { ...user, passkeys };
  },
);

function replaceRecoveryCodes(tx: Tx, userNo: number, hashes: readonly Uint8Array[]): void {
  tx.sql('DELETE FROM recovery_code WHERE user_no = ?').run(userNo);
  for (const hash of hashes)
    tx.sql('INSERT INTO recovery_code (user_no, code_hash) VALUES (?, ?)').run(userNo, hash);
}

function listPersons(tx: Tx, { session_no, userNos }: Confirmed): User[] {
  const members = tx
    .sql(
      `SELECT u.no, u.id, u.account_no, u.email, u.role
       FROM session_member m JOIN user u ON u.no = m.user_no
       WHERE m.session_no = ?`,
    )
    .all(session_no) as User[];
  return members.filter(({ no }) => userNos.includes(no));
}

function describe({ id, account_no, email }: User): Pick<AuditEvent, 'account_no' | 'target' | 'by'> {
  return { account_no, target: email, by: { kind: 'user', id, name: email } };
}

/** For src/app/writes.ts. */
export const secondFactorWrites: readonly AnyWriteOp[] = [
  setTotpOp,
  renewRecoveryCodesOp,
  removeTotpOp,
  resetTotpOp,
];
