/** Which webhooks get a slot for an attempt when there are more webhooks than slots. */
import { expect, test } from 'bun:test';
import { WebhookDispatcher } from '../../../src/features/webhooks/dispatcher.ts';
import { deliveries as rules } from '../../../src/rules/deliveries.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startReceiver } from '../../peers/https-receiver.ts';
import { until } from '../../until.ts';
import { Hooked, startHooked } from './hooked.ts';

const RETRIED_MS = 10_000;
/** How many of these slots an account gets on its own. */
const countOwn = (slots: number) => Math.ceil((slots * rules.accountShare) / (rules.accountShare + 1));

test.each(['of many accounts', 'of one account'])(
  '50 receivers %s that hang hold up no other',
  async (whose) => {
    await using one = await startHooked();
    await using mute = await startReceiver({ kind: 'mute' });
    const { owner } = one.hooked;
    const hanging: Hooked[] = [];
    for (let count = 0; count < 50; count++) {
      const url = `https://hook.test:${mute.port}/`;
      hanging.push(await Hooked.make(one.appliance, url, whose === 'of one account' ? owner : undefined));
    }
    await Promise.all(hanging.flatMap((hook) => [hook.arrive(), hook.arrive(), hook.arrive()]));
    await until(() => mute.connections === 50);
    for (let count = 0; count < 5; count++) {
      const began = performance.now();
      await one.hooked.arrive();
      await one.receiver.received(count + 1);
      expect(performance.now() - began).toBeLessThan(5000);
    }
    // One each, until the webhook has answered.
    expect(mute.connections).toBe(50);
  },
);

test('a receiver known to answer gets a place even when all others hang', async () => {
  await using one = await startHooked();
  await using mute = await startReceiver({ kind: 'mute' });
  await one.hooked.arrive();
  await until(() => one.hooked.deliveries[0]!.status === 'delivered');
  const hanging: Hooked[] = [];
  for (let count = 0; count < 100; count++)
    hanging.push(await Hooked.make(one.appliance, `https://hook.test:${mute.port}/`));
  await Promise.all(hanging.map((hook) => hook.arrive()));
  await until(() => mute.connections === 60);
  const began = performance.now();
  await Promise.all([one.hooked.arrive(), one.hooked.arrive(), one.hooked.arrive()]);
  await one.receiver.received(4);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(mute.connections).toBe(60);
});

test('webhooks that fail have at most half of the places, however many are due again', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  await using known = await startReceiver();
  const proven = await Hooked.make(one.appliance, `https://hook.test:${known.port}/`);
  one.receiver.answer({ status: 503 });
  const hooks = await Promise.all(Array.from({ length: 40 }, () => Hooked.make(one.appliance, one.url)));
  await Promise.all([proven, ...hooks].map((hook) => hook.arrive()));
  await until(() => hooks.every((hook) => hook.webhook.failures === 1) && known.requests.length === 1);
  const hanging = Promise.withResolvers<void>();
  one.receiver.answer({ until: hanging.promise });
  await clock.leap(RETRIED_MS);
  await one.receiver.received(40 + rules.atOnceFailing);
  // What would have started with them has arrived before a later delivery to another.
  await proven.arrive();
  await known.received(2);
  expect(one.receiver.requests).toHaveLength(40 + rules.atOnceFailing);
  hanging.resolve();
  await one.receiver.received(80);
});

test('an account whose receivers answer late delays no other, however many it has', async () => {
  await using one = await startHooked();
  await using late = await startReceiver();
  const { owner } = one.hooked;
  const url = `https://hook.test:${late.port}/`;
  const hooks = await Promise.all(Array.from({ length: 70 }, () => Hooked.make(one.appliance, url, owner)));
  const other = await Hooked.make(one.appliance, one.url);
  const arrive = () => Promise.all(hooks.map((hook) => hook.arrive()));
  await Promise.all([arrive(), other.arrive()]);
  await until(() => one.appliance.services.webhooks.isIdle && late.requests.length === hooks.length);
  const answered = Promise.withResolvers<void>();
  late.answer({ until: answered.promise });
  await arrive();
  await late.received(hooks.length + countOwn(rules.atOnce));
  await Promise.all(Array.from({ length: 8 }, () => other.arrive()));
  await one.receiver.received(9);
  expect(late.requests).toHaveLength(hooks.length + countOwn(rules.atOnce));
  answered.resolve();
  await late.received(2 * hooks.length);
});

test('after a start, an account whose receivers hang delays the first delivery of no other', async () => {
  await using one = await startHooked();
  await using mute = await startReceiver({ kind: 'mute' });
  const { owner } = one.hooked;
  const url = `https://hook.test:${mute.port}/`;
  const hanging = await Promise.all(Array.from({ length: 70 }, () => Hooked.make(one.appliance, url, owner)));
  const other = await Hooked.make(one.appliance, one.url);
  await Promise.all(hanging.map((hook) => hook.arrive()));
  await until(() => mute.connections === countOwn(rules.atOnceUnproven));
  const began = performance.now();
  await other.arrive();
  await one.receiver.received(1);
  expect(performance.now() - began).toBeLessThan(5000);
});

test('nothing more is sent while too many results wait for the disk', async () => {
  await using one = await startHooked();
  await one.hooked.arrive();
  await until(() => one.hooked.deliveries[0]!.status === 'delivered');
  const { store } = one.appliance.services;
  const write = store.write.bind(store);
  const disk = Promise.withResolvers<void>();
  store.write = async (operation, input, options) => {
    if (operation.name === 'webhooks.record') await disk.promise;
    return write(operation, input, options);
  };
  await Promise.all(Array.from({ length: rules.unwrittenMax + 20 }, () => one.hooked.arrive()));
  await one.receiver.received(1 + rules.unwrittenMax);
  // What would be sent next arrives within the time of these.
  for (let count = 0; count < 20; count++) await one.appliance.request('GET', '/healthz');
  const sent = one.receiver.requests.length;
  disk.resolve();
  // Those that began before the last result are sent too.
  expect(sent).toBeWithin(1 + rules.unwrittenMax, 1 + rules.unwrittenMax + rules.atOnceOfHook);
  await one.receiver.received(1 + rules.unwrittenMax + 20);
});

test('other work gets its turn while the webhooks that are ready at a start are looked at', async () => {
  await using one = await startHooked();
  const { appliance, hooked } = one;
  const { services } = appliance;
  await services.webhooks.stop();
  for (let count = 0; count < 3 * rules.turnsAtOnce; count++)
    await (await Hooked.make(appliance, one.url, hooked.owner)).arrive();
  const { store } = services;
  const sql = store.sql.bind(store);
  let looks = 0;
  let most = 0;
  store.sql = (text) => {
    if (text.includes('AND w.no = ?')) {
      if (looks === 0) setImmediate(() => (looks = 0));
      looks += 1;
      most = Math.max(most, looks);
    }
    return sql(text);
  };
  const next = new WebhookDispatcher(services);
  next.start();
  await one.receiver.received(3 * rules.turnsAtOnce);
  await next.stop();
  // Two callbacks may follow one another.
  expect(most).toBeWithin(2, 2 * rules.turnsAtOnce + 1);
});
