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
  created_at: number;
  last_active_at: number;
}

/** Who calls: the account, and the key with the role of the member who minted it. */
export interface Caller {
  account: Account;
  key: { no: number; id: string; role: MemberRole };
}
