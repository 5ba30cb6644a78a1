import { fail } from '../../platform/core/failure.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Reading } from '../../platform/store/operation.ts';
import type { AccountKind, MemberRole, Plan } from '../../rules/plans.ts';
import { mayEverSend } from '../domains/entitle.ts';
import { findSendingDomain } from '../domains/sending.ts';

interface Sender {
  account: { plan: Plan; kind: AccountKind; outbound: boolean };
  role: MemberRole;
}

/** While sending is off, its routes answer 404 (docs/api-v1.md, Outbound email). */
export function isOutboundOn({ settings }: PlatformServices): boolean {
  return settings.outbound.way !== 'off';
}

/** Checks the plan before the account's switch, so that an account that can never send learns the real reason. */
export function entitleSending({ account }: Sender, { plans }: PlatformServices): void {
  if (!mayEverSend(account, plans)) fail('outbound_entitlement_required');
  if (!account.outbound) fail('outbound_disabled');
}

/** Only keys that the account's owner created may change the approved recipients. */
export function entitleAllowlist({ account, role }: Sender, { plans }: PlatformServices): void {
  if (role !== 'owner') fail('account_forbidden');
  if (!mayEverSend(account, plans)) fail('outbound_allowlist_entitlement_required');
  if (!account.outbound) fail('outbound_disabled');
}

/** Only owners decide what their members may send, and read what waits for approval. */
export function entitleHold(sender: Sender, services: PlatformServices): void {
  if (sender.role !== 'owner') fail('account_forbidden');
  entitleSending(sender, services);
}

/**
 * Throws sending_domain_not_eligible, the same for every cause: the domain does not belong to the account, is not
 * verified, or has no DKIM key in the DNS. Checked again when the email is sent.
 */
export function requireSendingDomain(reading: Reading, accountNo: number, email: string): void {
  if (!findSendingDomain(reading, accountNo, email)) fail('sending_domain_not_eligible');
}
