/** What an owner can do with a webhook, by command or dashboard. Every change takes effect at once. */

import { fail } from '../../platform/core/failure.ts';
import { judgeUrl } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import type { Inbox } from '../inboxes/sql.ts';
import type { WebhookServices } from './dispatcher.ts';
import { createSecret } from './secret.ts';
import { sendTest } from './send.ts';
import { type Delivery, findWebhook, findWebhookByNo, listEventDeliveries, type Webhook } from './sql.ts';
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
  services.webhooks.wakeNow(hook.no);
  return { hook, secret };
}

export async function rotateSecret(
  services: PlatformServices,
  inbox: Inbox,
): Promise<{ hook: Webhook; secret: string }> {
  const { no } = requireWebhook(services, inbox);
  const { secret, sealed } = createSecret(services.key, inbox.id);
  return { secret, hook: await services.store.write(rotateSecretOp, { no, secret: sealed }) };
}

/** Turning it on sends pending deliveries at once. Turning it off keeps them. */
export async function switchWebhook(services: WebhookServices, inbox: Inbox, on: boolean): Promise<Webhook> {
  const { no } = requireWebhook(services, inbox);
  if (on) requireEntitlement(services, inbox);
  const hook = await services.store.write(switchWebhookOp, { no, on });
  services.webhooks.wakeNow(hook.no);
  return hook;
}

export async function removeWebhook(services: WebhookServices, inbox: Inbox): Promise<Webhook> {
  const { no } = requireWebhook(services, inbox);
  const hook = await services.store.write(removeWebhookOp, { no });
  services.webhooks.wakeNow(hook.no);
  return hook;
}

/**
 * Makes an event due now at the webhook that got it, or will, and restarts its retry schedule; at all of them if none
 * is given.
 */
export async function retryDelivery(
  services: WebhookServices,
  eventId: string,
  webhookNo?: number,
): Promise<Delivery> {
  const { store } = services;
  const isMeant = ({ webhook_no }: Delivery) => webhookNo === undefined || webhook_no === webhookNo;
  const list = () => listEventDeliveries(store, eventId).filter(isMeant);
  const found = list();
  if (found.length === 0)
    fail('not_found', { text: `There is no delivery ${eventId}. Deliveries are kept for 30 days.` });
  const live = found.filter(({ webhook_no }) => findWebhookByNo(store, webhook_no));
  if (live.length === 0) fail('webhook_not_configured');
  requireEntitlement(services, live[0]!);
  for (const { event_no, webhook_no } of live) {
    await store.write(retryDeliveryOp, { event_no, webhook_no });
    services.webhooks.wakeNow(webhook_no);
  }
  return list().find(({ no }) => no === live[0]!.no)!;
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

function requireEntitlement(services: PlatformServices, { account_no }: { account_no: number }): void {
  const account = findAccountByNo(services.store, account_no) ?? fail('not_found');
  if (services.plans[account.plan].webhooks > 0) return;
  const text =
    `The plan of this account (${account.plan}) does not include webhooks. ` +
    `Change the plan: postern account set ${account.id} --plan pro`;
  fail('webhook_entitlement_required', { text });
}
