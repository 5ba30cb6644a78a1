/** What the owner of a webhook does with it, by command or dashboard; each takes effect at once. */

import { fail } from '../../platform/core/failure.ts';
import type { Floor } from '../../platform/floor.ts';
import { judgeUrl } from '../../platform/net/guard.ts';
import { accountByNo } from '../accounts/sql.ts';
import type { Inbox } from '../inboxes/sql.ts';
import { dispatcherOf } from './dispatcher.ts';
import { newSecret } from './secret.ts';
import { sendTest } from './send.ts';
import { type Delivery, deliveryById, type Webhook, webhookOf } from './sql.ts';
import {
  meterTestOp,
  removeWebhookOp,
  retryDeliveryOp,
  rotateSecretOp,
  setWebhookOp,
  switchWebhookOp,
} from './writes.ts';

/** The webhook of an inbox, made or changed. The secret is new, and given here alone. */
export async function setWebhook(
  floor: Floor,
  inbox: Inbox,
  url: string,
): Promise<{ hook: Webhook; secret: string }> {
  requireEntitlement(floor, inbox);
  const judged = judgeUrl(url, floor.settings.webhook_allow_networks ?? []);
  if (judged.kind === 'refused') {
    const text = `The webhook URL may not be called: ${judged.reasons.join('; ')}.`;
    fail('webhook_ssrf_rejected', { text, fields: { url: judged.reasons } });
  }
  const { secret, sealed } = newSecret(floor.key, inbox.id);
  const wish = { inbox_no: inbox.no, url: judged.candidate.url.href, secret: sealed };
  const hook = await floor.store.write(setWebhookOp, wish);
  dispatcherOf(floor).wakeNow(inbox.no);
  return { hook, secret };
}

export async function rotateSecret(floor: Floor, inbox: Inbox): Promise<{ hook: Webhook; secret: string }> {
  requireWebhook(floor, inbox);
  const { secret, sealed } = newSecret(floor.key, inbox.id);
  return { secret, hook: await floor.store.write(rotateSecretOp, { inbox_no: inbox.no, secret: sealed }) };
}

/** What waited goes out at once when it is turned on, and stays when it is turned off. */
export async function switchWebhook(floor: Floor, inbox: Inbox, on: boolean): Promise<Webhook> {
  requireWebhook(floor, inbox);
  if (on) requireEntitlement(floor, inbox);
  const hook = await floor.store.write(switchWebhookOp, { inbox_no: inbox.no, on });
  dispatcherOf(floor).wakeNow(inbox.no);
  return hook;
}

export async function removeWebhook(floor: Floor, inbox: Inbox): Promise<Webhook> {
  requireWebhook(floor, inbox);
  const hook = await floor.store.write(removeWebhookOp, { inbox_no: inbox.no });
  dispatcherOf(floor).wakeNow(inbox.no);
  return hook;
}

/** The delivery, due now, with a new round of the schedule. */
export async function retryDelivery(floor: Floor, eventId: string): Promise<Delivery> {
  const found = deliveryById(floor.store, eventId);
  const hook = found && webhookOf(floor.store, found.inbox_no);
  if (hook) requireEntitlement(floor, hook);
  const delivery = await floor.store.write(retryDeliveryOp, { id: eventId });
  dispatcherOf(floor).wakeNow(delivery.inbox_no);
  return delivery;
}

/** The contract's test send: once, also when the webhook is off, and metered. */
export async function testWebhook(floor: Floor, inbox: Inbox): Promise<Awaited<ReturnType<typeof sendTest>>> {
  const hook = webhookOf(floor.store, inbox.no) ?? fail('webhook_not_configured');
  const [sent] = await Promise.all([
    sendTest(floor, hook, inbox),
    floor.store.write(meterTestOp, { account_no: inbox.account_no }),
  ]);
  return sent;
}

export function requireWebhook(floor: Floor, inbox: Inbox): Webhook {
  const text = `${inbox.address} has no webhook; make one: postern webhook set ${inbox.address} --url https://…`;
  return webhookOf(floor.store, inbox.no) ?? fail('webhook_not_configured', { text });
}

function requireEntitlement(floor: Floor, inbox: { account_no: number }): void {
  const account = accountByNo(floor.store, inbox.account_no) ?? fail('not_found');
  if (floor.plans[account.plan].webhooks > 0) return;
  const text =
    `The plan of this account (${account.plan}) has no webhooks. ` +
    `Give it another one: postern account set ${account.id} --plan pro`;
  fail('webhook_entitlement_required', { text });
}
