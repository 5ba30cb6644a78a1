/** Very many notices of rules follow the wall clock in steps: moving all of them in one write would delay all mail. */
import { expect, test } from 'bun:test';
import { ErrandRunner } from '../../../src/features/mail-rules/errands/runner.ts';
import { HOUR_US, SECOND_US } from '../../../src/platform/core/clock.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Receiver, startReceiver } from '../../peers/https-receiver.ts';
import { countRows, repeatErrand } from '../../store-state.ts';
import { until } from '../../until.ts';
import { Forwarding, makeRaw } from './forwarding.ts';

const MANY = 5_000;

/** A server with very many notices that wait for their next attempt, an hour from now. */
async function startWaiting(clock: FakeClock, receiver: Receiver): Promise<Forwarding> {
  const own = await Forwarding.start({ clock, settings: { webhook_allow_networks: '127.0.0.0/8' } });
  receiver.answer({ status: 503 });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const rule = await own.rule({ notify: { url, template: '{"text": "{{subject}}"}' } });
  await own.receive(makeRaw('notice'));
  await until(() => countRows(own.sender.appliance, 'errand WHERE tries = 1') === 1);
  repeatErrand(own.sender.appliance, MANY);
  // Mail that comes later has no notice.
  await own.call('PATCH', `/rules/${rule}`, { subject: 'nothing has this subject' });
  return own;
}

/** Counts the notices that are due about an hour after a time. */
const countDue = (own: Forwarding, fromUs: number) =>
  countRows(
    own.sender.appliance,
    `errand WHERE due_at > ${fromUs + HOUR_US / 2} AND due_at < ${fromUs + 1.5 * HOUR_US}`,
  );

/** Whether mail that comes while `change` runs is stored before it ends. */
async function letsMailThrough(
  { sender, inbox }: Forwarding,
  change: () => Promise<unknown>,
): Promise<boolean> {
  const ended: string[] = [];
  const changing = change().then(() => ended.push('changed'));
  for (let mails = 0; mails < 3; mails++) {
    await sender.appliance.deliver(inbox.address);
    ended.push('mail');
  }
  await changing;
  return ended.indexOf('changed') > 0;
}

test.each([
  ['forward', 3 * HOUR_US],
  ['back', -3 * HOUR_US],
])('the clock set %s moves their due times in steps, and mail comes between', async (_, byUs) => {
  const clock = new FakeClock();
  await using receiver = await startReceiver({ kind: 'http' });
  await using own = await startWaiting(clock, receiver);
  expect(countDue(own, clock.nowUs())).toBe(MANY);
  clock.set(clock.nowUs() + byUs);
  const change = async () => {
    await clock.advance(10_000);
    await until(() => own.sender.appliance.services.errands.isIdle);
  };
  expect(await letsMailThrough(own, change)).toBe(true);
  expect(countDue(own, clock.nowUs())).toBe(MANY);
});

test('a start makes those due in steps that only a clock set back since could have planned', async () => {
  const clock = new FakeClock();
  await using receiver = await startReceiver({ kind: 'http' });
  await using own = await startWaiting(clock, receiver);
  const { services } = own.sender.appliance;
  await services.errands.stop();
  const plannedUs = clock.nowUs();
  clock.set(plannedUs - 30 * 24 * HOUR_US);
  const next = new ErrandRunner(services);
  const start = async () => {
    next.start();
    await until(() => countDue(own, plannedUs) === 0);
    await next.stop();
  };
  expect(await letsMailThrough(own, start)).toBe(true);
});

test('a retry follows the clock that is set back while the disk refuses the result', async () => {
  const clock = new FakeClock();
  await using receiver = await startReceiver({ kind: 'http' });
  await using own = await Forwarding.start({ clock, settings: { webhook_allow_networks: '127.0.0.0/8' } });
  const { store, errands } = own.sender.appliance.services;
  receiver.answer({ status: 503 });
  await own.rule({
    notify: { url: `http://127.0.0.1:${receiver.port}/`, template: '{"text": "{{subject}}"}' },
  });
  const write = store.write.bind(store);
  let isFull = true;
  let refused = 0;
  store.write = async (operation, input, options) => {
    if (operation.name !== 'mail_rules.record_errand' || !isFull) return write(operation, input, options);
    refused += 1;
    throw new Error('the disk is full');
  };
  await own.receive(makeRaw('notice'));
  await until(() => refused === 1);
  clock.set(clock.nowUs() - 72 * HOUR_US);
  await clock.leap(15_000);
  await until(() => refused > 1);
  isFull = false;
  await clock.leap(15_000);
  await until(() => countRows(own.sender.appliance, 'errand WHERE tries > 0') === 1 && errands.isIdle);
  expect(countRows(own.sender.appliance, `errand WHERE due_at < ${clock.nowUs() + HOUR_US}`)).toBe(1);
});

/** A clock that passes while it is read, as a real one does. */
class PassingClock extends FakeClock {
  private reads = 0;

  override elapsedMs(): number {
    return super.elapsedMs() + 0.0003 * this.reads++;
  }
}

test.each([
  ['forward', 3 * HOUR_US],
  ['back', -3 * HOUR_US],
])('a step of the clock %s that the disk refuses to follow is repeated', async (_, byUs) => {
  const clock = new FakeClock();
  await using receiver = await startReceiver({ kind: 'http' });
  await using own = await startWaiting(clock, receiver);
  const { store } = own.sender.appliance.services;
  const write = store.write.bind(store);
  let steps = 0;
  store.write = async (operation, input, options) => {
    if (operation.name === 'mail_rules.rebase_errands' && [2, 3].includes(++steps))
      throw new Error('the disk is full');
    return write(operation, input, options);
  };
  clock.set(clock.nowUs() + byUs);
  await clock.advance(10_000);
  await until(() => steps === 2);
  await clock.advance(2_000);
  await until(() => steps === 3);
  await clock.advance(2_000);
  await until(() => own.sender.appliance.services.errands.isIdle);
  expect(countDue(own, clock.nowUs())).toBe(MANY);
});

test('overdue notices stay due when the clock is set back', async () => {
  const clock = new PassingClock();
  await using receiver = await startReceiver({ kind: 'http' });
  await using own = await startWaiting(clock, receiver);
  receiver.answer(() => ({ how: 'no answer' }));
  await clock.leap((2 * HOUR_US) / 1000);
  await receiver.received(3);
  clock.set(clock.nowUs() - 72 * HOUR_US);
  await clock.advance(10_000);
  const due = () => countRows(own.sender.appliance, `errand WHERE due_at < ${clock.nowUs() + SECOND_US}`);
  // All but the two in progress.
  await until(() => due() >= MANY - 1);
});
