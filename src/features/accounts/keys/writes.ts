/** Every write to API keys. Only the SHA-256 of a key reaches this file, never the key. */
import { fail } from '../../../platform/core/failure.ts';
import { newId } from '../../../platform/core/id.ts';
import { type AnyWriteOp, auditedOp, onFullDisk, type Tx } from '../../../platform/store/operation.ts';
import type { MemberRole } from '../../../rules/plans.ts';
import { recordAudit } from '../../audit/writes.ts';
import { findMember } from '../find.ts';
import { countLiveKeys, findAccountByNo, findKeyById, type Key, listUsers } from '../sql.ts';

/** `hash` and `key_prefix` as core/id's newApiKey returns them. */
export interface NewKey {
  account_no: number;
  user_no: number | null;
  role: MemberRole;
  name: string;
  hash: Uint8Array;
  key_prefix: string;
  made_by_operator: boolean;
}

export function insertKey(tx: Tx, input: NewKey): Key {
  const { account_no, user_no, role, name, hash, key_prefix } = input;
  const id = newId('key');
  const taken = tx.sql('SELECT 1 FROM api_key WHERE hash = ?').get(hash);
  if (taken) fail('conflict', { text: 'That API key already exists.' });
  const { lastInsertRowid } = tx
    .sql(
      `INSERT INTO api_key (id, account_no, user_no, hash, key_prefix, name, role, created_at, made_by_operator)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(id, account_no, user_no, hash, key_prefix, name, role, tx.nowUs, Number(input.made_by_operator));
  const no = Number(lastInsertRowid);
  return { no, id, account_no, key_prefix, name, role, created_at: tx.nowUs, revoked_at: null, user_no };
}

interface CreateKey {
  account_no: number;
  /** Live keys that the plan allows. */
  cap: number;
  /** The member who creates it; null for the owner. */
  email: string | null;
  name: string;
  hash: Uint8Array;
  key_prefix: string;
}

/**
 * Revoked keys kept for the list; older ones are deleted, so creating and revoking keys in a loop can't fill the store.
 */
const REVOKED_MAX = 1_000;

/**
 * Creates a key, or throws plan_limit_reached. Each key has its own request limit, which would mean nothing without a
 * cap.
 */
export const createKeyOp = auditedOp('accounts.create_key', (tx, input: CreateKey): Key => {
  const { account_no, email, name, hash, key_prefix, cap } = input;
  findAccountByNo(tx, account_no) ?? fail('not_found');
  if (countLiveKeys(tx, account_no) >= cap) {
    fail('plan_limit_reached', {
      text: `This account has ${cap} live API keys, the most its plan allows. Revoke one that you do not use.`,
    });
  }
  tx.sql(
    `DELETE FROM api_key WHERE no IN
       (SELECT no FROM api_key WHERE account_no = ? AND revoked_at IS NOT NULL
        ORDER BY revoked_at DESC, no DESC LIMIT -1 OFFSET ?)`,
  ).run(account_no, REVOKED_MAX);
  const creator = email === null ? listUsers(tx, account_no)[0] : findMember(tx, account_no, email);
  // An agent's account has no members; its keys have the owner's role.
  const role = creator?.role ?? 'owner';
  const key = insertKey(tx, {
    account_no,
    user_no: creator?.no ?? null,
    role,
    name,
    hash,
    key_prefix,
    made_by_operator: tx.actor.kind !== 'user',
  });
  const details = { name, role, ...(creator && { of: creator.email }) };
  recordAudit(tx, { action: 'key.created', account_no, target: key_prefix, details });
  return key;
});

export const revokeKeyOp = auditedOp('accounts.revoke_key', (tx, { id }: { id: string }): Key => {
  const { changes } = tx
    .sql('UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
    .run(tx.nowUs, id);
  const key =
    findKeyById(tx, id) ??
    fail('not_found', { text: `There is no key ${id}. postern key list A shows them.` });
  if (changes > 0) {
    const { account_no, key_prefix, name } = key;
    recordAudit(tx, { action: 'key.revoked', account_no, target: key_prefix, details: { name } });
  }
  return key;
});

/** For src/app/writes.ts. */
export const keyWrites: readonly AnyWriteOp[] = [createKeyOp, onFullDisk(revokeKeyOp)];
