/**
 * Every write to accounts, users and invites. The plain functions also run inside other operations' transactions:
 * registering an agent creates an account, its key and an inbox in one.
 */
import { DAY_US } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import { type AnyWriteOp, auditedOp, onFullDisk, type Tx, writeOp } from '../../platform/store/operation.ts';
import type { MemberRole } from '../../rules/plans.ts';
import { describeChanges, recordAudit } from '../audit/writes.ts';
import type { Account } from './account.ts';
import { findMember } from './find.ts';
import { insertKey } from './keys/writes.ts';
import { countMembers, findAccountByNo, findUserByEmail, listUsers, type User } from './sql.ts';

export const INVITE_US = 7 * DAY_US;

export interface NewAccount extends Omit<Account, 'no' | 'id' | 'created_at' | 'last_active_at'> {
  /** False if a stranger makes it: by signing up, or as an agent (docs/security.md, What is not trusted). */
  made_by_operator: boolean;
}

export function insertAccount(tx: Tx, input: NewAccount): Account {
  const id = newId('account');
  const { lastInsertRowid } = tx
    .sql(
      `INSERT INTO account (id, name, email, plan, kind, status, custom_domains, outbound, operator, trap,
         made_by_operator, created_at, last_active_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      input.name,
      input.email,
      input.plan,
      input.kind,
      input.status,
      Number(input.custom_domains),
      Number(input.outbound),
      Number(input.operator),
      Number(input.trap),
      Number(input.made_by_operator),
      tx.nowUs,
      tx.nowUs,
    );
  return { ...input, no: Number(lastInsertRowid), id, created_at: tx.nowUs, last_active_at: tx.nowUs };
}

export interface NewUser {
  account_no: number;
  email: string;
  role: MemberRole;
  password_hash: string | null;
}

export function insertUser(tx: Tx, { account_no, email, role, password_hash }: NewUser): User {
  if (findUserByEmail(tx, account_no, email)) {
    fail('conflict', { text: `${email} is already a member of this account.` });
  }
  const id = newId('user');
  const { lastInsertRowid } = tx
    .sql(
      `INSERT INTO user (id, account_no, email, role, password_hash, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(id, account_no, email, role, password_hash, tx.nowUs);
  return { no: Number(lastInsertRowid), id, account_no, email, role };
}

interface CreateAccount {
  account: Omit<NewAccount, 'operator' | 'made_by_operator' | 'email'> & { email: string };
  password_hash: string | null;
  key: { hash: Uint8Array; key_prefix: string; name: string };
}

/** Creates an account, its owner and the owner's key. The first account of a server is the operator's. */
export const createAccountOp = auditedOp('accounts.create', (tx, input: CreateAccount) => {
  const others = tx.sql(`SELECT 1 FROM account WHERE kind <> 'agent' AND deleted_at IS NULL LIMIT 1`).get();
  const origin = { operator: others === undefined, made_by_operator: true };
  const account = insertAccount(tx, { ...input.account, ...origin });
  const { email } = input.account;
  const owner = insertUser(tx, {
    account_no: account.no,
    email,
    role: 'owner',
    password_hash: input.password_hash,
  });
  const key = insertKey(tx, {
    account_no: account.no,
    user_no: owner.no,
    role: 'owner',
    made_by_operator: true,
    ...input.key,
  });
  const details = { plan: account.plan, operator: String(account.operator), key: key.key_prefix };
  recordAudit(tx, { action: 'account.created', account_no: account.no, target: email, details });
  return { account, owner, key };
});

/** The topic of notices that an account is active again; `no` is the account's number. */
export const ACCOUNT_NOTICE = 'account';

export type AccountChanges = Partial<Omit<NewAccount, 'name' | 'email' | 'made_by_operator'>>;

export const changeAccountOp = auditedOp(
  'accounts.change',
  (tx, { account_no, changes }: { account_no: number; changes: AccountChanges }): Account => {
    const account = findAccountByNo(tx, account_no) ?? fail('not_found');
    const changed = { ...account, ...changes };
    tx.sql(
      `UPDATE account
       SET plan = ?, status = ?, kind = ?, custom_domains = ?, outbound = ?, operator = ?, trap = ?,
         suspended_at = iif(? = 'suspended', coalesce(suspended_at, ?), NULL)
       WHERE no = ?`,
    ).run(
      changed.plan,
      changed.status,
      changed.kind,
      Number(changed.custom_domains),
      Number(changed.outbound),
      Number(changed.operator),
      Number(changed.trap),
      changed.status,
      tx.nowUs,
      account_no,
    );
    if (changed.status === 'active' && account.status !== 'active') resumeWebhooks(tx, account_no);
    const details = describeChanges(account, changes);
    if (Object.keys(details).length > 0) {
      recordAudit(tx, { action: 'account.changed', account_no, target: account.email, details });
    }
    return changed;
  },
);

/**
 * Sends the deliveries that waited while the account was not active, and resets its webhooks' failures: that time must
 * not count towards the days of failures after which a webhook is turned off. Writes `webhook`, a table of webhooks/,
 * because both must change in one transaction.
 */
function resumeWebhooks(tx: Tx, accountNo: number): void {
  tx.sql(
    `UPDATE webhook SET failures = 0, failing_since = NULL
     WHERE account_no = ? AND failing_since IS NOT NULL`,
  ).run(accountNo);
  tx.notify({ topic: ACCOUNT_NOTICE, no: accountNo });
}

/**
 * Removes an account at once: after this, none of its keys, members, addresses and domains works. A job erases the
 * rest. Writes `inbox` and `domain`, tables of inboxes/ and domains/, because all must go in one transaction.
 */
export function removeAccount(tx: Tx, accountNo: number): void {
  tx.sql('UPDATE account SET deleted_at = ? WHERE no = ? AND deleted_at IS NULL').run(tx.nowUs, accountNo);
  tx.sql('DELETE FROM api_key WHERE account_no = ?').run(accountNo);
  tx.sql('DELETE FROM user WHERE account_no = ?').run(accountNo);
  tx.sql(
    `UPDATE inbox
     SET deleted_at = ?, updated_at = ?, is_enabled = 0
     WHERE account_no = ? AND deleted_at IS NULL`,
  ).run(tx.nowUs, tx.nowUs, accountNo);
  tx.sql('DELETE FROM domain WHERE account_no = ?').run(accountNo);
}

export const deleteAccountOp = auditedOp('accounts.delete', (tx, { account_no }: { account_no: number }) => {
  const account = findAccountByNo(tx, account_no) ?? fail('not_found');
  recordAudit(tx, { action: 'account.deleted', account_no, target: account.email });
  removeAccount(tx, account_no);
  return account;
});

/** Records that an account is active now, by which idle accounts are found. */
export const accountSeenOp = writeOp('accounts.seen', (tx, { account_no }: { account_no: number }) => {
  tx.sql('UPDATE account SET last_active_at = max(last_active_at, ?) WHERE no = ?').run(tx.nowUs, account_no);
});

interface AddMember {
  account_no: number;
  email: string;
  token_hash: Uint8Array;
}

/**
 * Owners can add members up to this number, because a page lists them all at once. Members who join by OpenID Connect
 * are not bounded: the provider knows them.
 */
const MEMBERS_MAX = 1_000;

export const addMemberOp = auditedOp('accounts.add_member', (tx, input: AddMember): User => {
  findAccountByNo(tx, input.account_no) ?? fail('not_found');
  const { account_no, email } = input;
  if (countMembers(tx, account_no) >= MEMBERS_MAX) {
    fail('plan_limit_reached', { text: `An account with ${MEMBERS_MAX} members can have no more added.` });
  }
  const user = insertUser(tx, { account_no, email, role: 'member', password_hash: null });
  tx.sql('INSERT INTO invite (token_hash, user_no, created_at, expires_at) VALUES (?, ?, ?, ?)').run(
    input.token_hash,
    user.no,
    tx.nowUs,
    tx.nowUs + INVITE_US,
  );
  recordAudit(tx, { action: 'member.added', account_no, target: email, details: { role: 'member' } });
  return user;
});

/** Removes a member, with their links and the keys that they created (ON DELETE CASCADE). */
export const removeMemberOp = auditedOp(
  'accounts.remove_member',
  (tx, { account_no, email }: { account_no: number; email: string }): User => {
    const user = findMember(tx, account_no, email);
    refuseLastOwner(tx, user);
    recordAudit(tx, { action: 'member.removed', account_no, target: email, details: { role: user.role } });
    tx.sql('DELETE FROM user WHERE no = ?').run(user.no);
    return user;
  },
);

interface SetPassword {
  account_no: number;
  email: string;
  password_hash: string;
}

/** Sets a member's password. Their sessions and unused links end. */
export const setPasswordOp = auditedOp('accounts.set_password', (tx, input: SetPassword): User => {
  const user = findMember(tx, input.account_no, input.email);
  storePassword(tx, user.no, input.password_hash);
  recordAudit(tx, { action: 'password.changed', account_no: user.account_no, target: user.email });
  return user;
});

/** Stores a password's hash, or null to remove the password. Ends the member's sessions and unused links. */
export function storePassword(tx: Tx, userNo: number, passwordHash: string | null): void {
  tx.sql('UPDATE user SET password_hash = ? WHERE no = ?').run(passwordHash, userNo);
  tx.sql('DELETE FROM invite WHERE user_no = ?').run(userNo);
  tx.sql('DELETE FROM session WHERE no IN (SELECT session_no FROM session_member WHERE user_no = ?)').run(
    userNo,
  );
}

/** Changes a member's role and that of their keys: the keys of a demoted owner may do no more than the member. */
export const changeRoleOp = auditedOp(
  'accounts.change_role',
  (tx, input: { account_no: number; email: string; role: MemberRole }): User => {
    const { account_no, email, role } = input;
    const user = findMember(tx, account_no, email);
    if (role !== 'owner') refuseLastOwner(tx, user);
    tx.sql('UPDATE user SET role = ? WHERE no = ?').run(role, user.no);
    tx.sql('UPDATE api_key SET role = ? WHERE user_no = ?').run(role, user.no);
    const details = describeChanges<User>(user, { role });
    recordAudit(tx, { action: 'member.role_changed', account_no, target: email, details });
    return { ...user, role };
  },
);

function refuseLastOwner(tx: Tx, user: User): void {
  const owners = listUsers(tx, user.account_no).filter(({ role }) => role === 'owner');
  if (user.role === 'owner' && owners.length === 1) {
    fail('conflict', { text: `${user.email} is the only owner. Make another member an owner first.` });
  }
}

/** For src/app/writes.ts. */
export const accountWrites: readonly AnyWriteOp[] = [
  createAccountOp,
  changeAccountOp,
  onFullDisk(deleteAccountOp),
  accountSeenOp,
  addMemberOp,
  removeMemberOp,
  onFullDisk(setPasswordOp),
  changeRoleOp,
];
