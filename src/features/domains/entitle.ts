import { fail } from '../../platform/core/failure.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { AccountKind, MemberRole, Plan } from '../../rules/plans.ts';

interface DomainCaller {
  account: { plan: Plan; kind: AccountKind; custom_domains: boolean; outbound: boolean };
  role: MemberRole;
}

/** Decides who may see domains. The plan does not matter: a downgraded account keeps its domains. */
export function entitleReading({ account }: DomainCaller): void {
  if (!account.custom_domains) fail('byod_disabled');
}

/** Decides who may delete domains. Only keys that the account's owner created may change a domain. */
export function entitleRemoving(keeper: DomainCaller): void {
  if (keeper.role !== 'owner') fail('account_forbidden');
  entitleReading(keeper);
}

/** Decides who may register and verify domains. */
export function entitleChanging(keeper: DomainCaller, { plans }: PlatformServices): void {
  entitleRemoving(keeper);
  if (plans[keeper.account.plan].custom_domains === 0) fail('domain_entitlement_required');
}

export function entitleCatchAll(keeper: DomainCaller, { plans }: PlatformServices): void {
  entitleRemoving(keeper);
  if (plans[keeper.account.plan].catch_all === 0) fail('catch_all_entitlement_required');
}

/** Demo and agent accounts never send, whatever their plan (docs/api-v1.md, Outbound email). */
export function mayEverSend(
  { plan, kind }: { plan: Plan; kind: AccountKind },
  plans: PlatformServices['plans'],
): boolean {
  return plans[plan].outbound > 0 && kind === 'standard';
}

export function entitleSendingFrom(keeper: DomainCaller, services: PlatformServices): void {
  entitleChanging(keeper, services);
  if (!mayEverSend(keeper.account, services.plans)) fail('outbound_entitlement_required');
  if (!keeper.account.outbound) fail('outbound_disabled');
}
