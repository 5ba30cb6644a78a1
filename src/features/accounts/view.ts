/** Rows as the operator's commands and the dashboard show them. */
import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { Account } from './account.ts';
import type { Key, User } from './sql.ts';

export interface AccountView {
  account_id: string;
  email: string | null;
  plan: string;
  kind: string;
  status: string;
  flags: { custom_domains: boolean; outbound: boolean; operator: boolean };
  created_at: string;
}

export interface UserView {
  user_id: string;
  email: string;
  role: string;
}

export interface KeyView {
  key_id: string;
  key_prefix: string;
  name: string;
  role: string;
  created_at: string;
  revoked_at: string | null;
}

export function accountView(account: Account): AccountView {
  const { custom_domains, outbound, operator } = account;
  return {
    account_id: account.id,
    email: account.email,
    plan: account.plan,
    kind: account.kind,
    status: account.status,
    flags: { custom_domains, outbound, operator },
    created_at: isoTime(account.created_at),
  };
}

export function userView({ id, email, role }: User): UserView {
  return { user_id: id, email, role };
}

export function keyView(key: Key): KeyView {
  return {
    key_id: key.id,
    key_prefix: key.key_prefix,
    name: key.name,
    role: key.role,
    created_at: isoTime(key.created_at),
    revoked_at: isoTimeOrNull(key.revoked_at),
  };
}
