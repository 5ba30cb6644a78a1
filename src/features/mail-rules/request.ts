/** Reads a request about a rule, and checks what needs no transaction. */
import { fail, failField } from '../../platform/core/failure.ts';
import { judgeUrl } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { AccountKind, MemberRole, Plan } from '../../rules/plans.ts';
import { readFields } from '../outbound/addressing.ts';
import { entitleSending, isOutboundOn } from '../outbound/entitle.ts';
import type { Actions, Conditions, RuleNotice } from './rule.ts';
import { findTemplateFault } from './template.ts';
import type { RuleRequest } from './wire.ts';
import { OWNERS_SEND, type RuleChanges } from './writes.ts';

interface Caller {
  account: { plan: Plan; kind: AccountKind; outbound: boolean };
  role: MemberRole;
}

/**
 * Returns the changes that a request asks for. Fails with 422 for its fields, and with 403 or 400 if it may not send.
 */
export function readRuleRequest(
  services: PlatformServices,
  caller: Caller,
  { name, is_enabled, position, inbox_id, from, to, subject, has_code, ...given }: RuleRequest,
): RuleChanges {
  const conditions = pickGiven<Conditions>({ inbox_id, from, to, subject, has_code });
  const forwardTo = given.forward_to && readForwards(services, caller, given.forward_to);
  if (given.notify) checkNotice(services, caller, given.notify);
  const actions = pickGiven<Actions>({
    tags: given.tags && [...new Set(given.tags)],
    mark_read: given.mark_read,
    delete_after_days: given.delete_after_days,
    forward_to: forwardTo,
    notify: given.notify,
    stop: given.stop,
  });
  return { name, is_enabled, position, conditions, actions };
}

/** Drops the fields that the request left out, so that they keep their values. */
function pickGiven<Whole extends object>(
  given: { [Name in keyof Whole]: Whole[Name] | undefined },
): Partial<Whole> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<Whole>;
}

function readForwards(services: PlatformServices, caller: Caller, written: readonly string[]): string[] {
  const { forward_to } = readFields({ forward_to: written });
  if (forward_to.length === 0) return [];
  if (caller.role !== 'owner') fail('account_forbidden', { text: OWNERS_SEND });
  if (!isOutboundOn(services))
    failField('forward_to', 'needs sending, which is off on this server: POSTERN_OUTBOUND turns it on');
  entitleSending(caller, services);
  return [...new Set(forward_to.map(({ email }) => email))];
}

function checkNotice(
  { plans, settings }: PlatformServices,
  { account, role }: Caller,
  notice: RuleNotice,
): void {
  if (role !== 'owner') fail('account_forbidden', { text: OWNERS_SEND });
  if (plans[account.plan].webhooks === 0) fail('webhook_entitlement_required');
  const judged = judgeUrl(notice.url, settings.webhook_allow_networks ?? []);
  if (judged.kind === 'refused') {
    const text = `The URL of notify may not be called: ${judged.reasons.join('; ')}.`;
    fail('webhook_ssrf_rejected', { text, fields: { notify: judged.reasons } });
  }
  const fault = findTemplateFault(notice.template);
  if (fault !== null) failField('notify', `template ${fault}`);
}
