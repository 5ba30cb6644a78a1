/** Changes webhooks, for the API, the commands and the dashboard. Changes take effect at once. */

import { fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import { JOB_BATCH, repeatAtHalfPace } from '../../platform/job.ts';
import { judgeUrl } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { EventKind } from '../../rules/events.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import type { Inbox } from '../inboxes/sql.ts';
import type { WebhookServices } from './dispatcher.ts';
import { createSecret } from './secret.ts';
import { sendTest } from './send.ts';
import {
  bringForwardOp,
  changeWebhookOp,
  createWebhookOp,
  type DeliveryPlace,
  type HookChanges,
  type Once,
  type Replayed,
  removeWebhookOp,
  replayOp,
  rotateSecretOp,
  setWebhookOp,
  switchWebhookOp,
  type WebhookWithSecret,
} from './setup/writes.ts';
import { type Delivery, findWebhook, findWebhookByNo, listEventDeliveries, type Webhook } from './sql.ts';
import { meterTestOp } from './writes.ts';

/** Creates or changes the webhook of an inbox, with a new secret. */
export async function setWebhook(
  services: WebhookServices,
  inbox: Inbox,
  url: string,
  once: Once = null,
): Promise<WebhookWithSecret> {
  requireEntitlement(services, inbox);
  const checked = requireCallable(services, url);
  const secret = createSecret(services.key, { id: '', inbox_id: inbox.id });
  const created = await services.store.write(setWebhookOp, {
    inbox_no: inbox.no,
    url: checked,
    secret,
    once,
  });
  await bringForward(services, created.hook.no);
  return created;
}

/** Creates a webhook of the whole account. */
export async function createWebhook(
  services: WebhookServices,
  accountNo: number,
  wanted: { url: string; events: readonly EventKind[] },
  once: Once = null,
): Promise<WebhookWithSecret> {
  requireEntitlement(services, { account_no: accountNo });
  const url = requireCallable(services, wanted.url);
  const id = newId('webhook');
  const secret = createSecret(services.key, { id, inbox_id: null });
  const input = { account_no: accountNo, id, url, events: wanted.events, secret, once };
  return services.store.write(createWebhookOp, input);
}

/** Changes a webhook of the whole account. Its secret stays. Pending deliveries go to a new URL at once. */
export async function changeWebhook(
  services: WebhookServices,
  hook: Webhook,
  { url, ...changes }: HookChanges,
): Promise<Webhook> {
  requireEntitlement(services, hook);
  const checked = url === undefined ? undefined : requireCallable(services, url);
  const changed = await services.store.write(changeWebhookOp, {
    no: hook.no,
    changes: { ...changes, url: checked },
  });
  if (changed.url !== hook.url || (changed.is_enabled && !hook.is_enabled))
    await bringForward(services, hook.no);
  else services.webhooks.wakeNow(hook.no);
  return changed;
}

export async function rotateSecret(
  services: PlatformServices,
  hook: Webhook,
  once: Once = null,
): Promise<WebhookWithSecret> {
  const secret = createSecret(services.key, hook);
  return services.store.write(rotateSecretOp, { no: hook.no, secret, once });
}

/** Turns a webhook on, which sends its pending deliveries at once. */
export async function enableWebhook(services: WebhookServices, hook: Webhook): Promise<Webhook> {
  requireEntitlement(services, hook);
  const changed = await services.store.write(switchWebhookOp, { no: hook.no, on: true });
  await bringForward(services, hook.no);
  return changed;
}

/** Turns a webhook off, which keeps its pending deliveries. */
export async function disableWebhook(services: WebhookServices, hook: Webhook): Promise<Webhook> {
  const changed = await services.store.write(switchWebhookOp, { no: hook.no, on: false });
  services.webhooks.wakeNow(hook.no);
  return changed;
}

/** Removes the webhook and gives up its pending deliveries. */
export async function removeWebhook(services: WebhookServices, hook: Webhook): Promise<Webhook> {
  let removed: Webhook | null = null;
  await repeatSteps(async () => {
    removed = await services.store.write(removeWebhookOp, { no: hook.no, max: JOB_BATCH });
    return removed === null;
  });
  services.webhooks.wakeNow(hook.no);
  return removed!;
}

/** Makes a webhook's deliveries that wait for a retry due now. */
async function bringForward({ store, webhooks, clock }: WebhookServices, no: number): Promise<void> {
  const at = clock.nowUs();
  let after: DeliveryPlace | null = { due_at: at, event_no: Number.MAX_SAFE_INTEGER };
  await repeatSteps(async () => {
    after = after && (await store.write(bringForwardOp, { no, at, after, max: JOB_BATCH }));
    webhooks.wakeNow(no);
    return after !== null;
  });
}

/**
 * Repeats a step until it returns false. A webhook may have hundreds of thousands of deliveries: changed at
 * once, they would delay all mail.
 */
function repeatSteps(step: () => Promise<boolean>): Promise<void> {
  return repeatAtHalfPace(new AbortController().signal, async () => ((await step()) ? JOB_BATCH : 0));
}

/** Sends one event again, or all after a time that the webhook asks for. */
export async function replay(
  services: WebhookServices,
  hook: Webhook,
  what: { event_id: string } | { after: number },
): Promise<Replayed> {
  requireEntitlement(services, hook);
  const replayed = await services.store.write(replayOp, { webhook_no: hook.no, what });
  services.webhooks.wakeNow(hook.no);
  return replayed;
}

/** Sends an event again to all webhooks that it was sent to. Returns its delivery to the first. */
export async function retryDelivery(services: WebhookServices, eventId: string): Promise<Delivery> {
  const { store } = services;
  const found = listEventDeliveries(store, eventId);
  if (found.length === 0)
    fail('not_found', { text: `There is no delivery ${eventId}. Deliveries are kept for 30 days.` });
  const hooks = found.flatMap(({ webhook_no }) => findWebhookByNo(store, webhook_no) ?? []);
  const [first = fail('webhook_not_configured')] = hooks;
  for (const hook of hooks) await replay(services, hook, { event_id: eventId });
  return listEventDeliveries(store, eventId).find(({ webhook_no }) => webhook_no === first.no)!;
}

/** Makes the test send of docs/api-v1.md: a single attempt, even if the webhook is off. It counts as usage. */
export async function testWebhook(
  services: PlatformServices,
  hook: Webhook,
): Promise<Awaited<ReturnType<typeof sendTest>>> {
  const [sent] = await Promise.all([
    sendTest(services, hook),
    services.store.write(meterTestOp, { account_no: hook.account_no }),
  ]);
  return sent;
}

export function requireWebhook(services: PlatformServices, inbox: Inbox): Webhook {
  const text = `${inbox.address} has no webhook. Create one: postern webhook set ${inbox.address} --url https://…`;
  return findWebhook(services.store, inbox.no) ?? fail('webhook_not_configured', { text });
}

/**
 * Checks a URL, and returns it as it is stored. A name is resolved, and its addresses checked, only when it is called.
 */
function requireCallable(services: PlatformServices, url: string): string {
  const judged = judgeUrl(url, services.settings.webhook_allow_networks ?? []);
  if (judged.kind === 'refused') {
    const text = `The webhook URL may not be called: ${judged.reasons.join('; ')}.`;
    fail('webhook_ssrf_rejected', { text, fields: { url: judged.reasons } });
  }
  return judged.candidate.url.href;
}

function requireEntitlement(services: PlatformServices, { account_no }: { account_no: number }): void {
  const account = findAccountByNo(services.store, account_no) ?? fail('not_found');
  if (services.plans[account.plan].webhooks > 0) return;
  const text =
    `The plan of this account (${account.plan}) does not include webhooks. ` +
    `Change the plan: postern account set ${account.id} --plan pro`;
  fail('webhook_entitlement_required', { text });
}
