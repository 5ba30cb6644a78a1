/** Deliveries of an account that is suspended, and active again later. */
import { expect, test } from 'bun:test';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { WebhookDispatcher } from '../../../src/features/webhooks/dispatcher.ts';
import type { AccountStatus } from '../../../src/rules/plans.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { until } from '../../until.ts';
import { Hooked, type One, startHooked } from './hooked.ts';

const DAY_MS = 86_400_000;

const setStatus = (one: One, status: AccountStatus) =>
  one.appliance.services.store.write(changeAccountOp, {
    account_no: one.hooked.owner.account.no,
    changes: { status },
  });

const areDelivered = (one: One) => one.hooked.deliveries.every(({ status }) => status === 'delivered');

test.each(['suspended', 'unverified', 'inactive'] as const)(
  'deliveries of an account that is %s wait until it is active again',
  async (status) => {
    const clock = new FakeClock();
    await using one = await startHooked({ clock });
    const other = await Hooked.make(one.appliance, one.url.replace('/mail', '/other'));
    one.receiver.answer({ status: 500 });
    await one.hooked.arrive();
    await one.hooked.attempted(1);
    await setStatus(one, status);
    one.receiver.answer({});
    await one.hooked.arrive();
    await clock.leap(DAY_MS);
    // Another account's delivery is sent in the meantime.
    await other.arrive();
    await until(() => other.deliveries[0]!.status === 'delivered');
    expect(one.receiver.requests).toHaveLength(2);
    await setStatus(one, 'active');
    await until(() => areDelivered(one));
    expect(one.receiver.requests).toHaveLength(4);
    expect(one.hooked.deliveries).toHaveLength(2);
  },
);

test('a start in between sends nothing of a suspended account, and everything is sent later', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  const { services } = one.appliance;
  await services.webhooks.stop();
  await one.hooked.arrive();
  await setStatus(one, 'suspended');
  const next = new WebhookDispatcher(services);
  next.start();
  await clock.leap(60_000);
  await until(() => next.isIdle);
  expect(one.receiver.requests).toHaveLength(0);
  await setStatus(one, 'active');
  await until(() => areDelivered(one));
  await next.stop();
});

test('days of suspension are not days of failures, which would turn the webhook off', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  one.receiver.answer({ status: 404 });
  await one.hooked.arrive();
  await until(() => one.hooked.webhook.failures === 1);
  await setStatus(one, 'suspended');
  await clock.leap(6 * DAY_MS);
  await setStatus(one, 'active');
  await one.hooked.arrive();
  await until(() => one.hooked.deliveries[0]!.attempts.length === 1);
  expect(one.hooked.webhook).toMatchObject({ is_enabled: 1, failures: 1 });
});
