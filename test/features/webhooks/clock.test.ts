/** Deliveries when the wall clock is set. Rebasing in a running server is tested in dispatch.test.ts. */
import { expect, test } from 'bun:test';
import { replay } from '../../../src/features/webhooks/configure.ts';
import { WebhookDispatcher } from '../../../src/features/webhooks/dispatcher.ts';
import { systemClock } from '../../../src/platform/core/clock.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { until } from '../../until.ts';
import { startHooked } from './hooked.ts';

const DAY_US = 86_400_000_000;

test.each([6, -6])(
  'setting the clock by %d days neither causes nor shortens five days of failures',
  async (days) => {
    const clock = new FakeClock();
    await using one = await startHooked({ clock });
    one.receiver.answer({ status: 404 });
    const fail = async () => {
      const { failures } = one.hooked.webhook;
      await one.hooked.arrive();
      await until(() => one.hooked.webhook.failures > failures);
    };
    await fail();
    clock.set(clock.nowUs() + days * DAY_US);
    await fail();
    await clock.leap((4.9 * DAY_US) / 1000);
    await fail();
    expect(one.hooked.webhook.is_enabled).toBe(1);
    await clock.leap((0.2 * DAY_US) / 1000);
    await fail();
    expect(one.hooked.webhook).toMatchObject({ is_enabled: 0, disabled_reason: 'failing' });
  },
);

test('a start with a clock that is years ahead, and is set right later, turns no failing webhook off', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { services } = one.appliance;
  one.receiver.answer({ status: 404 });
  const fail = async () => {
    const { failures } = one.hooked.webhook;
    await one.hooked.arrive();
    await until(() => one.hooked.webhook.failures > failures);
    expect(one.hooked.webhook.is_enabled).toBe(1);
  };
  await fail();
  await clock.leap((2 * DAY_US) / 1000);
  const right = clock.nowUs();
  for (const aheadUs of [4 * DAY_US, 4_000 * DAY_US]) {
    await services.webhooks.stop();
    clock.set(right + aheadUs);
    const next = new WebhookDispatcher(services);
    Object.assign(services, { webhooks: next });
    next.start();
    await fail();
    clock.set(right);
    await fail();
  }
  await services.webhooks.stop();
});

test('a delivery due at a time far from the clock is sent after a start', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { services } = one.appliance;
  one.receiver.answer({ status: 500 });
  await one.hooked.arrive();
  await one.hooked.attempted(1);
  await services.webhooks.stop();
  await one.hooked.arrive();
  clock.set(clock.nowUs() - 30 * DAY_US);
  one.receiver.answer({});
  const next = new WebhookDispatcher(services);
  next.start();
  await until(() => one.hooked.deliveries.every(({ status }) => status === 'delivered'));
  await next.stop();
});

test('a retry planned by a clock that was a day ahead, and was set right while the server was down, is sent', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { services } = one.appliance;
  await services.webhooks.stop();
  await one.hooked.arrive();
  clock.set(clock.nowUs() + DAY_US);
  one.receiver.answer({ status: 500 });
  const ahead = new WebhookDispatcher(services);
  ahead.start();
  await one.hooked.attempted(1);
  await ahead.stop();
  clock.set(clock.nowUs() - DAY_US);
  one.receiver.answer({});
  const next = new WebhookDispatcher(services);
  next.start();
  await until(() => one.hooked.deliveries[0]?.status === 'delivered');
  await next.stop();
});

test('a delivery that is resent just after the clock was set forward is sent at once', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  await one.hooked.arrive();
  await until(() => one.hooked.deliveries[0]!.status === 'delivered');
  clock.set(clock.nowUs() + 3 * DAY_US);
  await replay(one.appliance.services, one.hooked.webhook, { after: 0 });
  await one.receiver.received(2);
});

test('a failing webhook is probed soon when the clock is set back while a result is being stored', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { store, webhooks } = one.appliance.services;
  one.receiver.answer({ status: 500 });
  const write = store.write.bind(store);
  let stored = 0;
  store.write = async (operation, input, options) => {
    const output = await write(operation, input, options);
    if (operation.name !== 'webhooks.record') return output;
    stored += 1;
    if (stored !== 5) return output;
    clock.set(clock.nowUs() - 3 * DAY_US);
    // Something else makes the dispatcher look at the clock.
    webhooks.wake(one.hooked.webhook.no);
    await Bun.sleep(5);
    return output;
  };
  for (let count = 0; count < 6; count++) await one.hooked.arrive();
  await until(() => stored === 5 && webhooks.isIdle);
  one.receiver.answer({});
  for (let minute = 0; minute < 30; minute++) {
    await clock.leap(60_000);
    await until(() => webhooks.isIdle);
  }
  expect(one.hooked.deliveries.map(({ status }) => status)).toEqual(Array(6).fill('delivered'));
});

test('a retry follows the clock that is set back while the disk refuses the result', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { store, webhooks } = one.appliance.services;
  one.receiver.answer({ status: 500 });
  const write = store.write.bind(store);
  let isFull = true;
  let refused = 0;
  store.write = async (operation, input, options) => {
    if (operation.name !== 'webhooks.record' || !isFull) return write(operation, input, options);
    refused += 1;
    throw new Error('the disk is full');
  };
  await one.hooked.arrive();
  await until(() => refused === 1);
  clock.set(clock.nowUs() - 3 * DAY_US);
  // Long enough for the clock to be looked at, and for another try.
  await clock.leap(15_000);
  await until(() => refused > 1);
  isFull = false;
  await clock.leap(15_000);
  await one.hooked.attempted(1);
  one.receiver.answer({});
  for (let minute = 0; minute < 10; minute++) {
    await clock.leap(60_000);
    await until(() => webhooks.isIdle);
  }
  expect(one.hooked.deliveries[0]!.status).toBe('delivered');
});

test('a step of the clock that the disk refuses to follow is repeated', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { store, webhooks } = one.appliance.services;
  one.receiver.answer({ status: 500 });
  await one.hooked.arrive();
  await one.hooked.attempted(1);
  const write = store.write.bind(store);
  let refusals = 2;
  store.write = async (operation, input, options) => {
    if (operation.name === 'webhooks.rebase' && refusals-- > 0) throw new Error('the disk is full');
    return write(operation, input, options);
  };
  clock.set(clock.nowUs() - 3 * DAY_US);
  one.receiver.answer({});
  for (let minute = 0; minute < 10; minute++) {
    await clock.leap(60_000);
    await until(() => webhooks.isIdle || refusals >= 0);
  }
  expect(one.hooked.deliveries[0]!.status).toBe('delivered');
});

test('a failing webhook is probed no sooner because the clock is set forward', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { webhooks } = one.appliance.services;
  one.receiver.answer({ status: 500 });
  for (let count = 0; count < 6; count++) await one.hooked.arrive();
  await until(() => one.hooked.webhook.failures === 5 && webhooks.isIdle);
  clock.set(clock.nowUs() + DAY_US);
  webhooks.wake(one.hooked.webhook.no);
  await until(() => webhooks.isIdle);
  expect(one.receiver.requests).toHaveLength(5);
  await clock.leap(7_000);
  await one.receiver.received(6);
});

test('an alarm beyond a timer’s maximum does not fire at once', async () => {
  let rang = false;
  const cancel = systemClock.after(30 * 86_400_000, () => {
    rang = true;
  });
  await Bun.sleep(20);
  cancel();
  expect(rang).toBe(false);
});
