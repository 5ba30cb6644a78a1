import type { AccountKind, AccountStatus, MemberRole, Plan } from '../../rules/plans.ts';

/** An account as the features see it. */
export interface Account {
  no: number;
  id: string;
  name: string;
  email: string | null;
  plan: Plan;
  kind: AccountKind;
  status: AccountStatus;
  custom_domains: boolean;
  outbound: boolean;
  operator: boolean;
  /** Its keys open SMTP for every address (docs/testing.md, A trap for a team). */
  trap: boolean;
  created_at: number;
  last_active_at: number;
}

/** A caller with a key: its account, and the role of the member who created the key. */
export interface KeyHolder {
  kind: 'key';
  account: Account;
  key_id: string;
  role: MemberRole;
}
