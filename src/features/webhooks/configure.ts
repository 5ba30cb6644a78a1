/** What an owner can do with a webhook, by command or dashboard. Every change takes effect at once. */

import { fail } from '../../platform/core/failure.ts';
import { judgeUrl } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import type { Inbox } from '../inboxes/sql.ts';
import type { WebhookServices } from './dispatcher.ts';
import { createSecret } from './secret.ts';
import { sendTest } from './send.ts';
import { type Delivery, findDelivery, findWebhook, type Webhook } from './sql.ts';
import {
  meterTestOp,
  removeWebhookOp,
  retryDeliveryOp,
  rotateSecretOp,
  setWebhookOp,
  switchWebhookOp,
} from './writes.ts';

/** Creates or changes the webhook of an inbox. The secret is new, and only returned here. */
export async function setWebhook(
  services: WebhookServices,
  inbox: Inbox,
  url: string,
): Promise<{ hook: Webhook; secret: string }> {
  requireEntitlement(services, inbox);
  const judged = judgeUrl(url, services.settings.webhook_allow_networks ?? []);
  if (judged.kind === 'refused') {
    const text = `The webhook URL may not be called: ${judged.reasons.join('; ')}.`;
    fail('webhook_ssrf_rejected', { text, fields: { url: judged.reasons } });
  }
  const { secret, sealed } = createSecret(services.key, inbox.id);
  const input = { inbox_no: inbox.no, url: judged.candidate.url.href, secret: sealed };
  const hook = await services.store.write(setWebhookOp, input);
  services.webhooks.wakeNow(inbox.no);
  return { hook, secret };
}

export async function rotateSecret(
  services: PlatformServices,
  inbox: Inbox,
): Promise<{ hook: Webhook; secret: string }> {
  requireWebhook(services, inbox);
  const { secret, sealed } = createSecret(services.key, inbox.id);
  return { secret, hook: await services.store.write(rotateSecretOp, { inbox_no: inbox.no, secret: sealed }) };
}

/** Turning it on sends pending deliveries at once. Turning it off keeps them. */
export async function switchWebhook(services: WebhookServices, inbox: Inbox, on: boolean): Promise<Webhook> {
  requireWebhook(services, inbox);
  if (on) requireEntitlement(services, inbox);
  const hook = await services.store.write(switchWebhookOp, { inbox_no: inbox.no, on });
  services.webhooks.wakeNow(inbox.no);
  return hook;
}

export async function removeWebhook(services: WebhookServices, inbox: Inbox): Promise<Webhook> {
  requireWebhook(services, inbox);
  const hook = await services.store.write(removeWebhookOp, { inbox_no: inbox.no });
  services.webhooks.wakeNow(inbox.no);
  return hook;
}

/** Makes the delivery due now and restarts its retry schedule. */
export async function retryDelivery(services: WebhookServices, eventId: string): Promise<Delivery> {
  const found = findDelivery(services.store, eventId);
  const hook = found && findWebhook(services.store, found.inbox_no);
  if (hook) requireEntitlement(services, hook);
  const delivery = await services.store.write(retryDeliveryOp, { id: eventId });
  services.webhooks.wakeNow(delivery.inbox_no);
  return delivery;
}

/** The test send of docs/api-v1.md: a single attempt, made even when the webhook is off, and metered. */
export async function testWebhook(
  services: PlatformServices,
  inbox: Inbox,
): Promise<Awaited<ReturnType<typeof sendTest>>> {
  const hook = findWebhook(services.store, inbox.no) ?? fail('webhook_not_configured');
  const [sent] = await Promise.all([
    sendTest(services, hook, inbox),
    services.store.write(meterTestOp, { account_no: inbox.account_no }),
  ]);
  return sent;
}

export function requireWebhook(services: PlatformServices, inbox: Inbox): Webhook {
  const text = `${inbox.address} has no webhook. Create one: postern webhook set ${inbox.address} --url https://…`;
  return findWebhook(services.store, inbox.no) ?? fail('webhook_not_configured', { text });
}

function requireEntitlement(services: PlatformServices, inbox: { account_no: number }): void {
  const account = findAccountByNo(services.store, inbox.account_no) ?? fail('not_found');
  if (services.plans[account.plan].webhooks > 0) return;
  const text =
    `The plan of this account (${account.plan}) does not include webhooks. ` +
    `Change the plan: postern account set ${account.id} --plan pro`;
  fail('webhook_entitlement_required', { text });
}
