/** Every write to API keys; the keys themselves never come here, only their SHA-256. */
import { fail } from '../../../platform/core/failure.ts';
import { newId } from '../../../platform/core/id.ts';
import { type AnyWriteOp, type Tx, writeOp } from '../../../platform/store/operation.ts';
import type { MemberRole } from '../../../rules/plans.ts';
import { findMember } from '../find.ts';
import { accountByNo, countLiveKeys, type Key, keyById, usersOf } from '../sql.ts';

/** `hash` and `key_prefix` as core/id's newApiKey gives them; the key itself never comes here. */
export interface NewKey {
  account_no: number;
  user_no: number | null;
  role: MemberRole;
  name: string;
  hash: Uint8Array;
  key_prefix: string;
}

export function insertKey(tx: Tx, wish: NewKey): Key {
  const { account_no, user_no, role, name, hash, key_prefix } = wish;
  const id = newId('key');
  const taken = tx.sql('SELECT 1 FROM api_key WHERE hash = ?').get(hash);
  if (taken) fail('conflict', { text: 'That API key exists already.' });
  const { lastInsertRowid } = tx
    .sql(
      `INSERT INTO api_key (id, account_no, user_no, hash, key_prefix, name, role, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(id, account_no, user_no, hash, key_prefix, name, role, tx.nowUs);
  const no = Number(lastInsertRowid);
  return { no, id, account_no, key_prefix, name, role, created_at: tx.nowUs, revoked_at: null, user_no };
}

interface CreateKey {
  account_no: number;
  /** Live keys that the plan allows. */
  cap: number;
  /** Who mints it; null for the owner. */
  email: string | null;
  name: string;
  hash: Uint8Array;
  key_prefix: string;
}

/** Revoked keys that are kept, for the list; those revoked first are forgotten. A loop of create and revoke ends here. */
const REVOKED_MAX = 1_000;

/** Throws plan_limit_reached: each key brings a window of requests, so without a cap the limit of a key is none. */
export const createKeyOp = writeOp('accounts.create_key', (tx, wish: CreateKey): Key => {
  const { account_no, email, name, hash, key_prefix, cap } = wish;
  accountByNo(tx, account_no) ?? fail('not_found');
  if (countLiveKeys(tx, account_no) >= cap) {
    fail('plan_limit_reached', {
      text: `This account has ${cap} live API keys, which is all that its plan allows. Revoke one that is not used.`,
    });
  }
  tx.sql(
    `DELETE FROM api_key WHERE no IN
       (SELECT no FROM api_key WHERE account_no = ? AND revoked_at IS NOT NULL
        ORDER BY revoked_at DESC, no DESC LIMIT -1 OFFSET ?)`,
  ).run(account_no, REVOKED_MAX);
  const minter = email === null ? usersOf(tx, account_no)[0] : findMember(tx, account_no, email);
  // An agent's account has no people; its keys are the owner's.
  const role = minter?.role ?? 'owner';
  return insertKey(tx, { account_no, user_no: minter?.no ?? null, role, name, hash, key_prefix });
});

export const revokeKeyOp = writeOp('accounts.revoke_key', (tx, { id }: { id: string }): Key => {
  tx.sql('UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL').run(tx.nowUs, id);
  return (
    keyById(tx, id) ?? fail('not_found', { text: `There is no key ${id}; postern key list A shows them.` })
  );
});

/** For src/app/writes.ts. */
export const keyWrites: readonly AnyWriteOp[] = [createKeyOp, revokeKeyOp];
