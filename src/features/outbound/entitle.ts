import { fail } from '../../platform/core/failure.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Reading } from '../../platform/store/operation.ts';
import type { AccountKind, MemberRole, Plan } from '../../rules/plans.ts';
import { mayEverSend } from '../domains/entitle.ts';
import { sendingDomainOf } from '../domains/sending.ts';

interface Sender {
  account: { plan: Plan; kind: AccountKind; outbound: boolean };
  role: MemberRole;
}

/** Off, nothing of sending is there: 404 (contract: Outbound email). */
export function isOutboundOn({ settings }: PlatformServices): boolean {
  return settings.outbound.way !== 'off';
}

/** The plan goes before the flag: whoever can never send learns that, and not of a switch. */
export function entitleSending({ account }: Sender, { plans }: PlatformServices): void {
  if (!mayEverSend(account, plans)) fail('outbound_entitlement_required');
  if (!account.outbound) fail('outbound_disabled');
}

/** Only keys that the account's owner made may say whom the account writes to. */
export function entitleAllowlist({ account, role }: Sender, { plans }: PlatformServices): void {
  if (role !== 'owner') fail('account_forbidden');
  if (!mayEverSend(account, plans)) fail('outbound_allowlist_entitlement_required');
  if (!account.outbound) fail('outbound_disabled');
}

/**
 * Throws sending_domain_not_eligible, one refusal for all causes: the domain is not the account's, not verified, or
 * has no DKIM key that was seen in the DNS. It is asked again at sending time.
 */
export function requireSendingDomain(reading: Reading, accountNo: number, email: string): void {
  if (!sendingDomainOf(reading, accountNo, email)) fail('sending_domain_not_eligible');
}
