/** Turns rows into the form that the operator's commands and the dashboard show. */
import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { Account } from './account.ts';
import type { Key, User } from './sql.ts';
import type { AccountView, KeyView, UserView } from './wire.ts';

export function viewAccount(account: Account): AccountView {
  const { custom_domains, outbound, operator, trap } = account;
  return {
    account_id: account.id,
    email: account.email,
    plan: account.plan,
    kind: account.kind,
    status: account.status,
    flags: { custom_domains, outbound, operator, trap },
    created_at: isoTime(account.created_at),
  };
}

export function viewUser({ id, email, role }: User): UserView {
  return { user_id: id, email, role };
}

export function viewKey(key: Key): KeyView {
  return {
    key_id: key.id,
    key_prefix: key.key_prefix,
    name: key.name,
    role: key.role,
    created_at: isoTime(key.created_at),
    revoked_at: isoTimeOrNull(key.revoked_at),
  };
}
