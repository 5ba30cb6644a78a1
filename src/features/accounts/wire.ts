/** Accounts, members and keys in the form that the operator's commands and the dashboard show. */
import type { AccountKind, AccountStatus, MemberRole, Plan } from '../../rules/plans.ts';

export interface AccountView {
  account_id: string;
  email: string | null;
  plan: Plan;
  kind: AccountKind;
  status: AccountStatus;
  flags: { custom_domains: boolean; outbound: boolean; operator: boolean; trap: boolean };
  created_at: string;
}

export interface UserView {
  user_id: string;
  email: string;
  role: MemberRole;
}

export interface KeyView {
  key_id: string;
  key_prefix: string;
  name: string;
  role: MemberRole;
  created_at: string;
  revoked_at: string | null;
}

/** The usage of an account in a calendar month. */
export interface Usage {
  month: string;
  messages_received: number;
  webhook_attempts: number;
  outbound_recipients: number;
  verifications: number;
}
