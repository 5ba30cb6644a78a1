/** Very many queued emails follow the wall clock in steps: moving all of them in one write would delay all mail. */
import { expect, test } from 'bun:test';
import { beginRebaseOp, rebaseEmailsOp } from '../../../src/features/outbound/rebase/writes.ts';
import { MailDispatcher } from '../../../src/features/outbound/sending/dispatcher.ts';
import { leaseEmailOp, postponeOp, recordAttemptOp } from '../../../src/features/outbound/sending/writes.ts';
import { HOUR_US, MINUTE_US, SECOND_US } from '../../../src/platform/core/clock.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { countRows, readQueueTimes, repeatEmail } from '../../store-state.ts';
import { until } from '../../until.ts';
import { startHeld } from './held.ts';
import { type SendingServer, startSendingServer } from './sending-server.ts';

const MANY = 3_000;
const NOT_NOW = '450 4.2.0 not now';
const YEARS_US = 10 * 365 * 24 * HOUR_US;
const CHANGES = 'outbound_rebase';

/** A server with one email, and `more` others, that wait for their next attempt. */
async function startWaiting(clock: FakeClock, more: number): Promise<SendingServer> {
  const sender = await startSendingServer({ clock, far: { onRcpt: () => NOT_NOW } });
  const id = await sender.queue('ann@far.test');
  await until(() => sender.recipients(id)[0]!.attempts === 1 && sender.status(id) === 'queued');
  if (more > 0) repeatEmail(sender.appliance, id, more);
  return sender;
}

const shifted = (times: ReturnType<typeof readQueueTimes>, byUs: number) =>
  times.map(({ dueAt, expiresAt }) => ({ dueAt: dueAt + byUs, expiresAt: expiresAt + byUs }));

/** Sets the clock and stores the change, as a dispatcher does that is killed before it has moved more than one email. */
async function setClock({ appliance }: SendingServer, clock: FakeClock, byUs: number): Promise<void> {
  const beforeUs = clock.nowUs();
  clock.set(beforeUs + byUs);
  await appliance.services.store.write(beginRebaseOp, { beforeUs, nowUs: beforeUs + byUs });
  await appliance.services.store.write(rebaseEmailsOp, { max: 1 });
}

async function moveAll({ appliance }: SendingServer): Promise<void> {
  while (await appliance.services.store.write(rebaseEmailsOp, { max: 100 }));
}

test.each([
  ['forward', 2 * HOUR_US],
  ['back', -2 * HOUR_US],
])('the clock set %s moves their due times in steps, and mail comes between', async (_, byUs) => {
  const clock = new FakeClock();
  await using sender = await startWaiting(clock, MANY);
  const { appliance, owner } = sender;
  const { address } = await appliance.inbox(owner);
  // Each is due after the clock was set back.
  await clock.advance(1_000);
  const before = readQueueTimes(appliance);
  expect(before).toHaveLength(MANY + 1);
  clock.set(clock.nowUs() + byUs);
  await clock.advance(10_000);
  await until(() => countRows(appliance, CHANGES) === 1);
  const ended: string[] = [];
  const moving = until(() => countRows(appliance, CHANGES) === 0).then(() => ended.push('moved'));
  for (let mails = 0; mails < 3; mails++) {
    await appliance.deliver(address);
    ended.push('mail');
  }
  await moving;
  expect(ended.indexOf('moved')).toBeGreaterThan(0);
  expect(readQueueTimes(appliance)).toEqual(shifted(before, byUs));
  expect(sender.far.mails).toEqual([]);
});

test.each([
  ['forward', YEARS_US],
  ['back', -2 * HOUR_US],
])('a change of the clock %s that a crash cut off is finished by the next start', async (_, byUs) => {
  const clock = new FakeClock();
  await using sender = await startWaiting(clock, 20);
  const { appliance } = sender;
  await appliance.services.sender!.stop();
  const before = readQueueTimes(appliance);
  await setClock(sender, clock, byUs);
  await appliance.services.store.write(rebaseEmailsOp, { max: 7 });
  const next = new MailDispatcher(appliance.services);
  await next.start(null);
  await until(() => countRows(appliance, CHANGES) === 0);
  expect(readQueueTimes(appliance)).toEqual(shifted(before, byUs));
  // Each is then sent once.
  sender.far.options = {};
  await clock.leap(10 * 60_000);
  await until(() => readQueueTimes(appliance).length < before.length);
  await next.stop();
});

test('nothing is sent until all have followed, and then it is sent once', async () => {
  const clock = new FakeClock();
  await using sender = await startWaiting(clock, 0);
  sender.far.options = {};
  const { appliance } = sender;
  await appliance.services.sender!.stop();
  await setClock(sender, clock, HOUR_US);
  const next = new MailDispatcher(appliance.services);
  await next.start(null);
  await until(() => countRows(appliance, CHANGES) === 0);
  await clock.advance(1_000);
  expect(sender.far.mails).toEqual([]);
  await clock.leap(2 * 60_000);
  await until(() => sender.far.mails.length === 1);
  await until(() => readQueueTimes(appliance).length === 0);
  await next.stop();
  expect(sender.far.mails).toHaveLength(1);
});

test.each([
  ['forward', HOUR_US],
  ['back', -HOUR_US],
])('an email queued or approved after the clock was set %s keeps its time', async (_, byUs) => {
  const clock = new FakeClock();
  await using held = await startHeld({
    clock,
    far: { onRcpt: () => NOT_NOW },
  });
  const { sender } = held;
  const { appliance } = sender;
  await held.owner('PUT', '/outbound_hold', { enabled: true });
  const asked = await held.ask();
  await sender.queue('bob@far.test');
  await appliance.services.sender!.stop();
  await setClock(sender, clock, byUs);
  await clock.leap(MINUTE_US / 1000);
  const approved = await held.owner('POST', `/outbound_emails/${asked}/approve`);
  expect(approved.json.data.status).toBe('queued');
  const queued = await sender.queue('eve@far.test');
  const read = () =>
    [asked, queued].map((id) => [sender.recipients(id)[0]!.next_attempt_at, sender.email(id).expires_at]);
  const before = read();
  expect(before).toEqual(Array(2).fill([clock.nowUs(), clock.nowUs() + 48 * HOUR_US]));
  await moveAll(sender);
  expect(read()).toEqual(before);
});

test.each([
  ['recorded', 'record'],
  ['postponed', 'postpone'],
])('an attempt %s before its email has followed neither fails it nor moves it twice', async (_, how) => {
  const clock = new FakeClock();
  await using sender = await startWaiting(clock, 3);
  const { appliance, owner } = sender;
  const { store } = appliance.services;
  await appliance.services.sender!.stop();
  await clock.leap((2 * MINUTE_US) / 1000);
  const last = readQueueTimes(appliance).at(-1)!;
  // The last one, which has not followed after the first step.
  const leased = how === 'record' ? await leaseLast() : null;
  await setClock(sender, clock, YEARS_US);
  if (leased) {
    const results = leased.recipients.map(({ no }) => ({
      no,
      status: 'queued' as const,
      response: NOT_NOW,
      suppress: null,
    }));
    await store.write(recordAttemptOp, { outbound_no: leased.no, results });
  } else {
    await store.write(postponeOp, { share: 'all', reason: 'no host' });
  }
  const recorded = readQueueTimes(appliance).at(-1)!;
  expect(recorded.expiresAt).toBe(last.expiresAt + YEARS_US);
  expect(recorded.dueAt - clock.nowUs()).toBeWithin(5 * MINUTE_US, 5.6 * MINUTE_US);
  await moveAll(sender);
  expect(readQueueTimes(appliance).at(-1)).toEqual(recorded);
  const { json } = await appliance.request('GET', '/api/v1/outbound_emails', { key: owner.key });
  expect(new Set(json.data.map(({ status }: { status: string }) => status))).not.toContain('failed');

  async function leaseLast() {
    for (let n = 0; n < 3; n++) await store.write(leaseEmailOp, { share: 'all' });
    return await store.write(leaseEmailOp, { share: 'all' });
  }
});

test('an email moved by one change is moved by the next one, also before its turn', async () => {
  const clock = new FakeClock();
  await using sender = await startWaiting(clock, 10);
  const { appliance } = sender;
  await appliance.services.sender!.stop();
  const before = readQueueTimes(appliance);
  const byUs = 3 * HOUR_US;
  await setClock(sender, clock, byUs);
  await setClock(sender, clock, -byUs + 30 * SECOND_US);
  await moveAll(sender);
  expect(countRows(appliance, CHANGES)).toBe(0);
  expect(readQueueTimes(appliance)).toEqual(shifted(before, 30 * SECOND_US));
});

test('a change that a crash cut off, and that was undone while the server was down, leaves none waiting', async () => {
  const clock = new FakeClock();
  await using sender = await startWaiting(clock, 20);
  const { appliance } = sender;
  await appliance.services.sender!.stop();
  const right = clock.nowUs();
  await setClock(sender, clock, YEARS_US);
  await appliance.services.store.write(rebaseEmailsOp, { max: 7 });
  clock.set(right);
  const next = new MailDispatcher(appliance.services);
  await next.start(null);
  await until(() => countRows(appliance, CHANGES) === 0);
  await until(() => readQueueTimes(appliance).every(({ dueAt }) => dueAt < right + HOUR_US));
  await next.stop();
});
