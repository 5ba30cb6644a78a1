/** Every write to passkeys. */
import { fail } from '../../../platform/core/failure.ts';
import { newId } from '../../../platform/core/id.ts';
import {
  type AnyWriteOp,
  type AuditedTx,
  auditedOp,
  jobOp,
  type Tx,
  writeOp,
} from '../../../platform/store/operation.ts';
import { recordAudit } from '../../audit/writes.ts';
import { findPerson } from '../sessions/sign-in-record.ts';
import { requireProven } from '../sessions/sql.ts';
import {
  canSignIn,
  isCredentialKnown,
  listByCredential,
  listPasskeys,
  PASSKEYS_MAX,
  type Passkey,
  type SignInOptions,
} from './sql.ts';

/** At most this many accounts are opened by one sign-in. */
const MEMBERSHIPS_MAX = 20;

export type NewPasskey = Omit<Passkey, 'no' | 'id' | 'user_no' | 'created_at' | 'used_at'>;

/** The challenge that was answered. The write records it, so that it works only once. */
export interface UsedChallenge {
  hash: Uint8Array;
  expires_at: number;
}

/** The verified answer of a stored passkey. */
export interface UsedPasskey {
  rp_id: string;
  credential_id: Uint8Array;
  /** The key that the answer was verified with. */
  public_key: Uint8Array;
  sign_count: number;
  is_synced: number;
  challenge: UsedChallenge;
}

interface AddPasskey {
  session_no: number;
  /** The members that get it. Those that have left the session meanwhile are skipped. */
  userNos: readonly number[];
  passkey: NewPasskey;
  challenge: UsedChallenge;
}

export const addPasskeyOp = auditedOp('passkeys.add', (tx, input: AddPasskey): void => {
  const userNos = requireProven(tx, input.session_no).filter((userNo) => input.userNos.includes(userNo));
  if (userNos.length === 0) fail('authentication_required');
  useChallenge(tx, input.challenge);
  if (isCredentialKnown(tx, input.passkey.credential_id)) fail('conflict', { text: KNOWN });
  for (const userNo of userNos) insertPasskey(tx, userNo, input.passkey);
});

const KNOWN = 'This passkey is registered already.';

/** Adds a passkey within another operation. */
export function insertPasskey(tx: AuditedTx, userNo: number, input: NewPasskey): void {
  if (listPasskeys(tx, userNo).length >= PASSKEYS_MAX) {
    fail('conflict', { text: `A person may have at most ${PASSKEYS_MAX} passkeys. Remove one first.` });
  }
  tx.sql(
    `INSERT INTO passkey (id, user_no, rp_id, credential_id, public_key, user_handle, sign_count, transports, is_synced,
       name, created_at, used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
  ).run(
    newId('passkey'),
    userNo,
    input.rp_id,
    input.credential_id,
    input.public_key,
    input.user_handle,
    input.sign_count,
    input.transports,
    input.is_synced,
    input.name,
    tx.nowUs,
  );
  recordAudit(tx, { action: 'passkey.added', ...findPerson(tx, userNo), details: { passkey: input.name } });
}

/** Adds these passkeys to a member of another account with the same email, next to those that member has. */
export function copyPasskeys(tx: Tx, passkeys: readonly Passkey[], toUserNo: number): void {
  for (const { no, credential_id } of passkeys) {
    if (listPasskeys(tx, toUserNo).length >= PASSKEYS_MAX) return;
    tx.sql(
      `INSERT OR IGNORE INTO passkey (id, user_no, rp_id, credential_id, public_key, user_handle, sign_count, transports,
         is_synced, name, created_at, used_at)
       SELECT ?, ?, rp_id, ?, public_key, user_handle, sign_count, transports, is_synced, name, created_at, used_at
       FROM passkey WHERE no = ?`,
    ).run(newId('passkey'), toUserNo, credential_id, no);
  }
}

export const renamePasskeyOp = writeOp(
  'passkeys.rename',
  (tx, input: { session_no: number; user_no: number; id: string; name: string }): void => {
    const { credential_id } = requireOwn(tx, input.user_no, input.id);
    for (const userNo of requireProven(tx, input.session_no)) {
      tx.sql('UPDATE passkey SET name = ? WHERE credential_id = ? AND user_no = ?').run(
        input.name,
        credential_id,
        userNo,
      );
    }
  },
);

interface RemovePasskey {
  session_no: number;
  user_no: number;
  id: string;
  signInOptions: SignInOptions;
}

/**
 * Removes a passkey from every account that the session proved. Throws if the person could no longer sign in to one.
 */
export const removePasskeyOp = auditedOp('passkeys.remove', (tx, input: RemovePasskey): void => {
  const { credential_id, rp_id, name } = requireOwn(tx, input.user_no, input.id);
  for (const userNo of requireProven(tx, input.session_no)) {
    const { changes } = tx
      .sql('DELETE FROM passkey WHERE credential_id = ? AND user_no = ?')
      .run(credential_id, userNo);
    if (changes === 0) continue;
    // A passkey of another host name opens nothing here.
    if (rp_id === input.signInOptions.rp_id && !canSignIn(tx, userNo, input.signInOptions))
      fail('conflict', { text: LAST });
    recordAudit(tx, { action: 'passkey.removed', ...findPerson(tx, userNo), details: { passkey: name } });
  }
});

const LAST =
  'This passkey is the only way to sign in. Add another one first, or ask an owner of the account for a link that sets a password.';

/** Removes a lost device's passkeys from a member; the person's other accounts keep them. Returns how many. */
export function forgetPasskeys(tx: Tx, userNo: number): number {
  return tx.sql('DELETE FROM passkey WHERE user_no = ?').run(userNo).changes;
}

/** Uses up the passkey answer by which a signed-in person confirms a change. */
export const confirmByPasskeyOp = writeOp(
  'passkeys.confirm',
  (tx, { user_no, used }: { user_no: number; used: UsedPasskey }): void => {
    if (!usePasskey(tx, used).includes(user_no)) fail('not_found');
  },
);

/**
 * Uses up an answer and returns the members that its passkey opens. Throws a conflict if the answer was used before or
 * the counter went back.
 */
export function usePasskey(tx: Tx, used: UsedPasskey): number[] {
  useChallenge(tx, used.challenge);
  const { rp_id, credential_id, public_key, sign_count } = used;
  const userNos = listByCredential(tx, rp_id, credential_id, MEMBERSHIPS_MAX).map(({ user_no }) => user_no);
  const { changes } = tx
    .sql(
      `UPDATE passkey SET sign_count = ?, is_synced = ?, used_at = ?
       WHERE credential_id = ? AND rp_id = ? AND public_key = ?
         AND (sign_count < ? OR (sign_count = 0 AND ? = 0))`,
    )
    .run(sign_count, used.is_synced, tx.nowUs, credential_id, rp_id, public_key, sign_count, sign_count);
  if (userNos.length === 0 || changes < userNos.length) fail('conflict', { text: USED });
  return userNos;
}

const USED = 'This passkey was used elsewhere at the same moment. Try again.';

export function useChallenge(tx: Tx, { hash, expires_at }: UsedChallenge): void {
  const { changes } = tx
    .sql('INSERT OR IGNORE INTO passkey_challenge (hash, expires_at) VALUES (?, ?)')
    .run(hash, expires_at);
  if (changes === 0) fail('conflict', { text: USED });
}

const GONE = 'You have no such passkey in this account any more. Reload the page.';

function requireOwn(tx: Tx, userNo: number, id: string) {
  return listPasskeys(tx, userNo).find((passkey) => passkey.id === id) ?? fail('not_found', { text: GONE });
}

/** Deletes used challenges that have expired anyway. Returns how many. */
export const forgetChallengesOp = jobOp(
  'passkeys.forget_challenges',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        'DELETE FROM passkey_challenge WHERE hash IN (SELECT hash FROM passkey_challenge WHERE expires_at <= ? LIMIT ?)',
      )
      .run(tx.nowUs, max).changes,
);

/** For src/app/writes.ts. */
export const passkeyWrites: readonly AnyWriteOp[] = [
  addPasskeyOp,
  renamePasskeyOp,
  removePasskeyOp,
  confirmByPasskeyOp,
  forgetChallengesOp,
];
