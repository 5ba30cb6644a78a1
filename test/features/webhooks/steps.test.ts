/** A webhook may have very many deliveries: changing all of them in one step would delay all mail. */
import { expect, test } from 'bun:test';
import { disableWebhook, removeWebhook, setWebhook } from '../../../src/features/webhooks/configure.ts';
import { WebhookDispatcher } from '../../../src/features/webhooks/dispatcher.ts';
import { webhookJobs } from '../../../src/features/webhooks/jobs.ts';
import { removeWebhookOp, WAITING_AFTER } from '../../../src/features/webhooks/setup/writes.ts';
import { findNextDueAt, listDeliveries } from '../../../src/features/webhooks/sql.ts';
import { PENDING_PAGES } from '../../../src/features/webhooks/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { countRows, explainPlan, queueDeliveries } from '../../store-state.ts';
import { until } from '../../until.ts';
import { type One, startHooked } from './hooked.ts';

const MANY = 3_000;
const PENDING = "delivery WHERE status = 'pending'";

/** A webhook that is off, so that nothing is sent, with many deliveries that are due later. */
async function startWithMany(clock = new FakeClock()): Promise<One> {
  const one = await startHooked({ clock });
  await disableWebhook(one.appliance.services, one.hooked.webhook);
  queueDeliveries(one.appliance, one.hooked.webhook.no, MANY, clock.nowUs());
  expect(countRows(one.appliance, PENDING)).toBe(MANY);
  return one;
}

/** Whether mail that comes during a change is stored before it ends. */
async function letsMailThrough(one: One, change: () => Promise<unknown>): Promise<boolean> {
  const ended: string[] = [];
  const changing = change().then(() => ended.push('changed'));
  for (let mails = 0; mails < 3; mails++) {
    await one.appliance.deliver(one.hooked.inbox.address);
    ended.push('mail');
  }
  await changing;
  return ended.indexOf('changed') > 0;
}

test('its removal gives them up in steps, and mail comes between', async () => {
  await using one = await startWithMany();
  const { appliance, hooked } = one;
  const path = `/api/v1/inboxes/${hooked.inbox.id}/webhook`;
  const remove = async () =>
    expect((await appliance.request('DELETE', path, { key: hooked.owner.key })).status).toBe(204);
  expect(await letsMailThrough(one, remove)).toBe(true);
  expect(countRows(appliance, "delivery WHERE status = 'failed'")).toBe(MANY);
  expect((await appliance.request('GET', path, { key: hooked.owner.key })).status).toBe(404);
  const { json } = await appliance.request('GET', '/api/v1/audit_log', { key: hooked.owner.key });
  expect(json.data.filter(({ action }: { action: string }) => action === 'webhook.removed')).toHaveLength(1);
});

test('a removal that was cut off leaves it off, and is finished by the next one', async () => {
  await using one = await startHooked({ clock: new FakeClock() });
  const { appliance, hooked } = one;
  const { store } = appliance.services;
  queueDeliveries(appliance, hooked.webhook.no, 10, appliance.services.clock.nowUs());
  expect(await store.write(removeWebhookOp, { no: hooked.webhook.no, max: 4 })).toBeNull();
  expect([hooked.webhook.is_enabled, countRows(appliance, PENDING)]).toEqual([0, 6]);
  // Mail that arrives now is not sent to it any more.
  await appliance.deliver(hooked.inbox.address);
  expect(countRows(appliance, 'delivery')).toBe(10);
  const { no } = hooked.webhook;
  await removeWebhook(appliance.services, hooked.webhook);
  expect(countRows(appliance, PENDING)).toBe(0);
  // Set again, it is the same webhook, and deliveries that were given up are not sent.
  await setWebhook(appliance.services, hooked.inbox, one.url);
  expect([hooked.webhook.no, hooked.webhook.is_enabled]).toEqual([no, 1]);
  expect(findNextDueAt(store, no, 0)).toBeNull();
});

test('turned on, or with a new URL, it gets them at once, in steps and in their order', async () => {
  const clock = new FakeClock();
  await using one = await startWithMany(clock);
  const { services } = one.appliance;
  const { no } = one.hooked.webhook;
  const atUs = clock.nowUs();
  const key = one.hooked.owner.key;
  const body = { url: `${one.url}/new` };
  const path = `/api/v1/inboxes/${one.hooked.inbox.id}/webhook`;
  one.receiver.answer(() => ({ how: 'no answer' }));
  const set = () => one.appliance.request('PUT', path, { key, body });
  expect(await letsMailThrough(one, set)).toBe(true);
  expect(countRows(one.appliance, `delivery WHERE due_at > ${atUs}`)).toBe(0);
  expect(findNextDueAt(services.store, no, atUs)).toBeNull();
});

test.each([
  ['forward', 3_600_000_000],
  ['back', -3_600_000_000],
])('the clock set %s moves their due times in steps, and mail comes between', async (_, byUs) => {
  const clock = new FakeClock();
  await using one = await startWithMany(clock);
  const { appliance, hooked } = one;
  const { webhooks } = appliance.services;
  const readDue = () =>
    listDeliveries(appliance.services.store, hooked.webhook.no, MANY)
      .map(({ due_at }) => due_at)
      .toSorted();
  await clock.leap(1_000);
  const nowUs = clock.nowUs();
  const before = readDue();
  clock.set(nowUs + byUs);
  const change = async () => {
    webhooks.wake(hooked.webhook.no);
    await until(() => webhooks.isIdle);
  };
  expect(await letsMailThrough(one, change)).toBe(true);
  // Those that are due keep their time, or become due at the time of the step.
  const moved = before.map((dueAt) => (dueAt > nowUs ? dueAt + byUs : Math.min(dueAt, clock.nowUs())));
  const late = (times: readonly number[]) => times.filter((dueAt) => dueAt > nowUs + byUs).toSorted();
  expect(late(readDue())).toEqual(late(moved));
  expect(late(moved).length).toBe(MANY - 1_000);
});

test('a start makes those due in steps that only a clock set back since could have planned', async () => {
  const clock = new FakeClock();
  await using one = await startWithMany(clock);
  const { appliance, hooked } = one;
  await appliance.services.webhooks.stop();
  clock.set(clock.nowUs() - 30 * 86_400_000_000);
  const next = new WebhookDispatcher(appliance.services);
  const start = async () => {
    next.start();
    await until(() => next.isIdle);
  };
  expect(await letsMailThrough(one, start)).toBe(true);
  expect(findNextDueAt(appliance.services.store, hooked.webhook.no, clock.nowUs())).toBeNull();
  await next.stop();
});

test('the steps that move them with the clock read no more than they move', async () => {
  await using one = await startHooked();
  for (const [kind, sign] of [
    ['sooner', '>'],
    ['later', '<'],
  ] as const)
    expect(explainPlan(one.appliance, PENDING_PAGES[kind])).toBe(
      `SEARCH delivery USING COVERING INDEX delivery_due ((webhook_no,due_at,event_no)${sign}(?,?,?))`,
    );
});

test('the step that brings them forward reads no more than it moves', async () => {
  await using one = await startHooked();
  expect(explainPlan(one.appliance, WAITING_AFTER)).toBe(
    'SEARCH delivery USING COVERING INDEX delivery_due (webhook_no=? AND (due_at,event_no)>(?,?))',
  );
});

test('a removed webhook is not erased before its history', async () => {
  const clock = new FakeClock();
  await using one = await startWithMany(clock);
  await removeWebhook(one.appliance.services, one.hooked.webhook);
  await clock.leap(31 * 86_400_000);
  for (const job of webhookJobs) await one.appliance.run(job);
  expect([countRows(one.appliance, 'webhook'), countRows(one.appliance, 'delivery')]).toEqual([1, MANY]);
});
