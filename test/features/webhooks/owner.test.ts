/** What the owner does with a webhook while its deliveries are pending or being sent. */
import { expect, test } from 'bun:test';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import {
  disableWebhook,
  enableWebhook,
  removeWebhook,
  retryDelivery,
  setWebhook,
} from '../../../src/features/webhooks/configure.ts';
import { startReceiver } from '../../peers/https-receiver.ts';
import { until } from '../../until.ts';
import { type One, startHooked } from './hooked.ts';

/** Calls `act` during an attempt, then lets the receiver answer; returns the delivery’s history. */
async function whileSent(one: One, status: number, act: () => Promise<unknown>) {
  const answered = Promise.withResolvers<void>();
  one.receiver.answer({ status, until: answered.promise });
  const { length } = one.receiver.requests;
  await one.hooked.arrive();
  await one.receiver.received(length + 1);
  await act();
  one.receiver.answer({});
  answered.resolve();
  return one.hooked.attempted(1);
}

test('an answer from the old URL does not count against the new one', async () => {
  await using one = await startHooked();
  await using other = await startReceiver();
  const { services } = one.appliance;
  const { inbox } = one.hooked;
  const url = `https://hook.test:${other.port}/new`;
  const moved = await whileSent(one, 410, () => setWebhook(services, inbox, url));
  expect(moved.status).toBe('failed');
  expect(one.hooked.webhook).toMatchObject({ url, is_enabled: 1, disabled_reason: null, failures: 0 });
  await setWebhook(services, inbox, one.url);
  await whileSent(one, 410, async () => {
    await removeWebhook(services, one.hooked.webhook);
    await setWebhook(services, inbox, url);
  });
  expect(one.hooked.webhook).toMatchObject({ url, is_enabled: 1, disabled_reason: null, failures: 0 });
  // And a success at the old URL clears nothing.
  other.answer({ status: 404 });
  await one.hooked.arrive();
  await until(() => one.hooked.webhook.failures === 1);
  await one.hooked.arrive();
  await until(() => one.hooked.webhook.failures === 2);
});

test.each([404, 500])(
  'a retry requested during an attempt is made after it failed with %i',
  async (status) => {
    await using one = await startHooked();
    let eventId = '';
    await whileSent(one, status, async () => {
      eventId = one.hooked.deliveries[0]!.event_id;
      await retryDelivery(one.appliance.services, eventId);
    });
    await until(() => one.hooked.deliveries[0]!.status === 'delivered', 3_000);
    const statuses = one.hooked.deliveries[0]!.attempts.map(({ response_status }) => response_status);
    expect(statuses).toEqual([status, 200]);
    expect(one.receiver.requests.map(({ headers }) => headers['x-service-event-id'])).toEqual([
      eventId,
      eventId,
    ]);
  },
);

test('a retry requested during an attempt is skipped when it succeeded', async () => {
  await using one = await startHooked();
  const { status } = await whileSent(one, 200, () =>
    retryDelivery(one.appliance.services, one.hooked.deliveries[0]!.event_id),
  );
  expect(status).toBe('delivered');
  await one.hooked.arrive();
  await until(() => one.hooked.deliveries[0]!.status === 'delivered', 3_000);
  expect(one.receiver.requests).toHaveLength(2);
});

test.each(['turned on', 'given another URL'])(
  'when a webhook is %s its pending deliveries go out at once',
  async (how) => {
    await using one = await startHooked();
    const { services } = one.appliance;
    one.receiver.answer({ status: 503, headers: { 'retry-after': '3600' } });
    await one.hooked.arrive();
    await one.hooked.attempted(1);
    one.receiver.answer({});
    await disableWebhook(services, one.hooked.webhook);
    if (how === 'turned on') await enableWebhook(services, one.hooked.webhook);
    else await setWebhook(services, one.hooked.inbox, `${one.url}/new`);
    await until(() => one.hooked.deliveries[0]!.status === 'delivered', 3_000);
  },
);

test('a plan without webhooks resends nothing', async () => {
  await using one = await startHooked();
  const { services } = one.appliance;
  await one.hooked.arrive();
  const { event_id } = await one.hooked.attempted(1);
  const accountNo = one.hooked.owner.account.no;
  await services.store.write(changeAccountOp, { account_no: accountNo, changes: { plan: 'free' } });
  const fault = await retryDelivery(services, event_id).catch((refused: unknown) => refused);
  expect(fault).toMatchObject({ code: 'webhook_entitlement_required' });
  expect(one.hooked.deliveries[0]?.status).toBe('delivered');
});
