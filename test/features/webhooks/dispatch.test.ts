/** What is sent to whom, when, and how much at a time. The test controls the time. */
import { expect, test } from 'bun:test';
import { messageJobs } from '../../../src/features/messages/jobs.ts';
import { enableWebhook, retryDelivery } from '../../../src/features/webhooks/configure.ts';
import { WebhookDispatcher } from '../../../src/features/webhooks/dispatcher.ts';
import { Failure } from '../../../src/platform/core/failure.ts';
import { nextTurn } from '../../../src/platform/core/next-turn.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import type { Received } from '../../peers/https-receiver.ts';
import { until } from '../../until.ts';
import { Hooked, type One, readEvent, startHooked } from './hooked.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_US = 86_400_000_000;

const findId = (request: Received) => request.headers['x-service-event-id']!;

/** Like startHooked, but time stops during an attempt. */
async function startTimed(
  clock: FakeClock,
  settings: Record<string, string> = {},
): Promise<One & { settle: () => Promise<void> }> {
  const one = await startHooked({ clock, settings });
  const dispatcher = one.appliance.services.webhooks;
  const settle = () => until(() => dispatcher.isIdle, 20_000);
  clock.settled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    await settle();
  };
  return { ...one, settle };
}

/** Advances time in steps until this many requests have arrived in total. */
async function passUntil(one: One, clock: FakeClock, count: number, stepMs: number, most: number) {
  for (let steps = 0; steps < most && one.receiver.requests.length < count; steps++)
    await clock.advance(stepMs);
}

test('a delivery that fails is tried eleven times, by the schedule, always with the same event id', async () => {
  const clock = new FakeClock();
  await using one = await startTimed(clock);
  one.receiver.answer({ status: 500, body: 'no '.repeat(2000) });
  await one.hooked.arrive();
  let delivery = await one.hooked.attempted(1);
  const delays = [5, 15, 60, 240, 600, 1800, 7200, 21_600, 43_200, 86_400];
  for (const [index, delayS] of delays.entries()) {
    const waitUs = Date.parse(delivery.next_attempt_at!) * 1000 - clock.nowUs();
    expect(waitUs / 1_000_000).toBeWithin(delayS * 0.8 - 1, delayS * 1.2 + 1);
    // Not early.
    await clock.leap(waitUs / 1000 - 50);
    await one.settle();
    expect(one.receiver.requests).toHaveLength(index + 1);
    await clock.advance(SECOND_MS);
    delivery = await one.hooked.attempted(index + 2);
  }
  expect([delivery.status, delivery.next_attempt_at]).toEqual(['failed', null]);
  expect(new Set(one.receiver.requests.map(findId)).size).toBe(1);
  expect(delivery.attempts.map(({ response_status }) => response_status)).toEqual(Array(11).fill(500));
  const signed = one.receiver.requests.map(({ headers }) => headers['x-service-signature']);
  expect(new Set(signed).size).toBe(11);
  // A manual retry starts over, with the same id.
  one.receiver.answer({});
  await retryDelivery(one.appliance.services, delivery.event_id);
  expect((await one.hooked.attempted(12)).status).toBe('delivered');
  expect(new Set(one.receiver.requests.map(findId)).size).toBe(1);
}, 30_000);

test('Retry-After is followed when it is longer than the schedule', async () => {
  const clock = new FakeClock();
  await using one = await startTimed(clock);
  one.receiver.answer({ status: 429, headers: { 'retry-after': '100' } }, { status: 503 }, {});
  await one.hooked.arrive();
  await one.hooked.attempted(1);
  await clock.advance(99 * SECOND_MS);
  await one.settle();
  expect(one.receiver.requests).toHaveLength(1);
  await clock.advance(2 * SECOND_MS);
  await one.hooked.attempted(2);
  await clock.advance(20 * SECOND_MS);
  expect((await one.hooked.attempted(3)).status).toBe('delivered');
});

test('deliveries of one inbox start in the order of their messages, at most four at a time', async () => {
  await using one = await startHooked();
  let now = 0;
  let most = 0;
  one.receiver.answer(() => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => now--, 15);
    return { delay_ms: 15 };
  });
  const ids: string[] = [];
  for (let count = 0; count < 40; count++) ids.push(await one.hooked.arrive());
  await one.receiver.received(40);
  const got = one.receiver.requests.map((request) => readEvent(request).data.message.id);
  // Four connections may overtake one another, but no more than that.
  for (const [index, id] of got.entries()) expect(Math.abs(ids.indexOf(id) - index)).toBeLessThan(4);
  expect(most).toBeWithin(2, 5);
  await until(() => one.hooked.deliveries.every(({ status }) => status === 'delivered'));
});

/** Waits for three seconds, so it runs in parallel with the next test. */
test.concurrent('a stop cuts off hanging deliveries and leaves them for the next start', async () => {
  const one = await startHooked();
  one.receiver.answer({ how: 'no answer' });
  await one.hooked.arrive();
  await one.receiver.received(1);
  const began = performance.now();
  await one.appliance.services.webhooks.stop();
  expect(performance.now() - began).toBeLessThan(5000);
  expect(one.hooked.deliveries[0]).toMatchObject({ status: 'pending', attempts: [] });
  one.receiver.answer({});
  const next = new WebhookDispatcher(one.appliance.services);
  next.start();
  await until(() => one.hooked.deliveries[0]!.status === 'delivered');
  await next.stop();
  await one[Symbol.asyncDispose]();
});

test.concurrent('a hundred failing webhooks all get their turns again', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  one.receiver.answer({ status: 503 });
  const hooks = await Promise.all(Array.from({ length: 100 }, () => Hooked.make(one.appliance, one.url)));
  await Promise.all(hooks.flatMap((hook) => [hook.arrive(), hook.arrive()]));
  await until(() => hooks.every((hook) => hook.webhook.failures >= 2));
  one.receiver.answer({ delay_ms: 20 });
  await clock.leap(10 * SECOND_MS);
  await until(() => hooks.every((hook) => hook.deliveries.every(({ status }) => status === 'delivered')));
  expect(one.receiver.requests).toHaveLength(400);
});

/** Waits for three seconds when it stops, so it runs in parallel with the next test. */
test.concurrent('at most 64 deliveries run at a time, whatever their number', async () => {
  await using one = await startHooked();
  const { webhooks } = one.appliance.services;
  const hooks = await Promise.all(Array.from({ length: 70 }, () => Hooked.make(one.appliance, one.url)));
  const arrive = () => Promise.all(hooks.map((hook) => hook.arrive()));
  // Each has answered once: of receivers that have not, fewer are tried.
  await arrive();
  await until(() => webhooks.isIdle && one.receiver.requests.length === hooks.length);
  one.receiver.answer({ how: 'no answer' });
  await arrive();
  await one.receiver.received(hooks.length + 64);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(one.receiver.requests).toHaveLength(hooks.length + 64);
});

test('a disk that can’t store results pauses sending, and nothing is sent twice', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { store } = one.appliance.services;
  const write = store.write.bind(store);
  let isFull = true;
  let refused = 0;
  store.write = (operation, input) => {
    if (operation.name !== 'webhooks.record' || !isFull) return write(operation, input);
    refused += 1;
    return Promise.reject(new Failure('storage_unavailable'));
  };
  for (let count = 0; count < 3; count++) await one.hooked.arrive();
  await until(() => refused === 3);
  await clock.advance(SECOND_MS);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(refused).toBe(3);
  isFull = false;
  await clock.advance(SECOND_MS);
  await until(() => one.hooked.deliveries.every(({ status }) => status === 'delivered'));
  expect(one.receiver.requests).toHaveLength(3);
});

test('after five failures in a row one delivery probes while the others wait, then all go', async () => {
  const clock = new FakeClock();
  await using one = await startTimed(clock);
  one.receiver.answer({ status: 500 });
  for (let count = 0; count < 20; count++) await one.hooked.arrive();
  await until(() => one.hooked.webhook.failures === 5);
  await one.settle();
  expect(one.receiver.requests).toHaveLength(5);
  // Probes follow the hook's own schedule: after 5 s, 15 s, 1 min, 4 min, 10 min.
  await clock.advance(3 * SECOND_MS);
  await one.settle();
  expect(one.receiver.requests).toHaveLength(5);
  await passUntil(one, clock, 6, SECOND_MS, 5);
  expect(one.receiver.requests).toHaveLength(6);
  await until(() => one.hooked.webhook.failures === 6);
  await clock.advance(10 * SECOND_MS);
  await one.settle();
  expect(one.receiver.requests).toHaveLength(6);
  one.receiver.answer({});
  await passUntil(one, clock, 7, SECOND_MS, 10);
  await until(() => one.hooked.webhook.failures === 0);
  // Retried deliveries are due at their own times.
  await passUntil(one, clock, 26, 5 * SECOND_MS, 30);
  await until(() => one.hooked.deliveries.every(({ status }) => status === 'delivered'));
  expect(one.receiver.requests).toHaveLength(26);
});

test('a receiver that was down for an hour gets everything, and untried events within ten minutes', async () => {
  const clock = new FakeClock();
  await using one = await startTimed(clock);
  one.receiver.answer({ how: 'reset' });
  for (let minute = 0; minute < 60; minute++) {
    await one.hooked.arrive();
    await one.settle();
    await clock.advance(MINUTE_MS);
  }
  const probes = one.receiver.connections;
  expect(probes).toBeWithin(8, 30);
  one.receiver.answer({});
  for (let minute = 0; minute < 13; minute++) {
    await one.settle();
    await clock.advance(MINUTE_MS);
  }
  const untried = one.hooked.deliveries.filter(({ attempts }) => attempts.length === 0);
  expect(untried).toEqual([]);
  await passUntil(one, clock, Number.POSITIVE_INFINITY, 10 * MINUTE_MS, 40);
  await until(() => one.hooked.deliveries.every(({ status }) => status === 'delivered'));
  expect(one.hooked.deliveries).toHaveLength(60);
}, 60_000);

test('messages erased before delivery are not delivered, and do not hold up later ones', async () => {
  const clock = new FakeClock();
  await using one = await startTimed(clock, { retention_days: '1' });
  one.receiver.answer({ status: 500 });
  const old = await Promise.all(Array.from({ length: 20 }, () => one.hooked.arrive()));
  // By then its probes are ten minutes apart.
  await passUntil(one, clock, 11, MINUTE_MS, 90);
  await clock.leap(24 * 60 * MINUTE_MS + SECOND_MS);
  await one.settle();
  for (const job of messageJobs) await one.appliance.run(job);
  const { failures } = one.hooked.webhook;
  const young = await one.hooked.arrive();
  one.receiver.answer({});
  const before = one.receiver.requests.length;
  await passUntil(one, clock, before + 1, 30 * SECOND_MS, 25);
  expect(one.receiver.requests.slice(before).map((request) => readEvent(request).data.message.id)).toEqual([
    young,
  ]);
  await until(() => one.hooked.deliveries.every(({ status }) => status !== 'pending'));
  const [delivered, ...erased] = one.hooked.deliveries;
  expect([failures > 10, delivered?.status, one.hooked.webhook.failures]).toEqual([true, 'delivered', 0]);
  expect(erased.map(({ message_id }) => message_id).toSorted()).toEqual(old.toSorted());
  expect(erased.map(({ status, attempts }) => `${status} ${attempts.at(-1)?.error}`)).toEqual(
    Array(20).fill('failed message_deleted'),
  );
}, 20_000);

test('five days of failures disable the webhook, unless one delivery succeeds in between', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const fail = async () => {
    one.receiver.answer({ status: 404 });
    await one.hooked.arrive();
    await until(() => one.hooked.deliveries[0]!.status !== 'pending');
  };
  await fail();
  await clock.leap((4.9 * DAY_US) / 1000);
  await fail();
  expect(one.hooked.webhook.is_enabled).toBe(1);
  one.receiver.answer({});
  await one.hooked.arrive();
  await until(() => one.hooked.webhook.failures === 0);
  await clock.leap((0.2 * DAY_US) / 1000);
  await fail();
  expect(one.hooked.webhook.is_enabled).toBe(1);
  await clock.leap((5 * DAY_US) / 1000);
  await fail();
  await until(() => one.hooked.webhook.is_enabled === 0);
  expect(one.hooked.webhook.disabled_reason).toBe('failing');
  await enableWebhook(one.appliance.services, one.hooked.webhook);
  expect(one.hooked.webhook).toMatchObject({ is_enabled: 1, disabled_reason: null, failing_since: null });
});

test.each([-3600, 3600])('when the clock is set by %d s nothing is stuck and nothing bursts', async (byS) => {
  const clock = new FakeClock();
  await using one = await startTimed(clock);
  one.receiver.answer({ status: 500 });
  const quick = await Hooked.make(one.appliance, one.url.replace('/mail', '/quick'));
  for (let count = 0; count < 4; count++) await one.hooked.arrive();
  await until(() => one.hooked.webhook.failures === 4);
  await one.settle();
  const before = one.hooked.deliveries.map(({ next_attempt_at }) => Date.parse(next_attempt_at!));
  clock.set(clock.nowUs() + byS * 1_000_000);
  one.receiver.answer({});
  // Mail that arrives just then is sent at once, and detects the step.
  await quick.arrive();
  await until(() => quick.deliveries[0]!.status === 'delivered');
  const after = one.hooked.deliveries.map(({ next_attempt_at }) => Date.parse(next_attempt_at!));
  expect(after.map((at, index) => Math.round((at - before[index]!) / 1000))).toEqual(Array(4).fill(byS));
  expect(one.receiver.requests).toHaveLength(5);
  await passUntil(one, clock, 9, SECOND_MS, 12);
  await until(() => one.hooked.deliveries.every(({ status }) => status === 'delivered'));
  await quick.arrive();
  await until(() => quick.deliveries[0]!.status === 'delivered');
});

test('deliveries that came due while the server was down are sent after the start', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { services } = one.appliance;
  one.receiver.answer({ status: 500 });
  await one.hooked.arrive();
  const { event_id } = await one.hooked.attempted(1);
  await services.webhooks.stop();
  await one.hooked.arrive();
  clock.set(clock.nowUs() + DAY_US);
  one.receiver.answer({});
  const next = new WebhookDispatcher(services);
  next.start();
  await until(() => one.hooked.deliveries.every(({ status }) => status === 'delivered'));
  expect(findId(one.receiver.requests[0]!)).toBe(event_id);
  expect(one.receiver.requests.map(findId).filter((id) => id === event_id)).toHaveLength(2);
  await next.stop();
});
