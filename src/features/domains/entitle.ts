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
export function entitleRemoving(caller: DomainCaller): void {
  if (caller.role !== 'owner') fail('account_forbidden');
  entitleReading(caller);
}

/** Decides who may register and verify domains. */
export function entitleChanging(caller: DomainCaller, { plans }: PlatformServices): void {
  entitleRemoving(caller);
  if (plans[caller.account.plan].custom_domains === 0) fail('domain_entitlement_required');
}

export function entitleCatchAll(caller: DomainCaller, { plans }: PlatformServices): void {
  entitleRemoving(caller);
  if (plans[caller.account.plan].catch_all === 0) fail('catch_all_entitlement_required');
}

/** Demo and agent accounts never send, whatever their plan (docs/api-v1.md, Outbound email). */
export function mayEverSend(
  { plan, kind }: { plan: Plan; kind: AccountKind },
  plans: PlatformServices['plans'],
): boolean {
  return plans[plan].outbound > 0 && kind === 'standard';
}

export function entitleSendingFrom(caller: DomainCaller, services: PlatformServices): void {
  entitleChanging(caller, services);
  if (!mayEverSend(caller.account, services.plans)) fail('outbound_entitlement_required');
  if (!caller.account.outbound) fail('outbound_disabled');
}
