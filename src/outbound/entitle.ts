import { fail } from '../core/failure.ts';
import type { Floor } from '../floor.ts';
import type { AccountKind, MemberRole, Plan } from '../rules/plans.ts';

interface Sender {
  account: { plan: Plan; kind: AccountKind; outbound: boolean };
  key: { role: MemberRole };
}

/** Off, nothing of sending is there: 404 (contract: Outbound email). */
export function isOutboundOn({ settings }: Floor): boolean {
  return settings.outbound.way !== 'off';
}

/** The plan goes before the flag: whoever can never send learns that, and not of a switch. */
export function entitleSending({ account }: Sender, { plans }: Floor): void {
  if (!qualifies(account, plans)) fail('outbound_entitlement_required');
  if (!account.outbound) fail('outbound_disabled');
}

/** Only keys that the account's owner made may say whom the account writes to. */
export function entitleAllowlist({ account, key }: Sender, { plans }: Floor): void {
  if (key.role !== 'owner') fail('account_forbidden');
  if (!qualifies(account, plans)) fail('outbound_allowlist_entitlement_required');
  if (!account.outbound) fail('outbound_disabled');
}

/** Demo and agent accounts never send, whatever their plan (contract: Outbound email). */
function qualifies({ plan, kind }: Sender['account'], plans: Floor['plans']): boolean {
  return plans[plan].outbound > 0 && kind === 'standard';
}
