import { expect, test } from 'bun:test';
import { Rushes } from '../../../src/features/webhooks/rush.ts';
import { startHooked } from './hooked.ts';

const [ANN, BEN] = [1, 2];

/** Notes one message at each of these times. */
function makeRush(...times: number[]): { isOn: (nowMs: number) => boolean } {
  const rushes = new Rushes();
  for (const atMs of times) rushes.note(ANN, atMs);
  return { isOn: (nowMs) => rushes.isOn(ANN, nowMs) };
}

const evenly = (messages: number, withinMs: number) =>
  Array.from({ length: messages }, (_, index) => (index * withinMs) / messages);

test('500 messages within a second are a rush, and 499 are not', () => {
  expect(makeRush(...evenly(500, 900)).isOn(900)).toBe(true);
  expect(makeRush(...evenly(499, 900)).isOn(900)).toBe(false);
});

test('as many in a longer time are not a rush, however many came before', () => {
  expect(makeRush(...evenly(5_000, 10_400)).isOn(10_400)).toBe(false);
  expect(makeRush(...evenly(5_000, 9_600)).isOn(9_600)).toBe(true);
});

test('a rush ends by itself', () => {
  const rush = makeRush(...evenly(2_000, 500));
  expect([rush.isOn(500), rush.isOn(1_300), rush.isOn(1_500)]).toEqual([true, true, false]);
});

test('a rush of one account is not one of another', () => {
  const rushes = new Rushes();
  for (const atMs of evenly(2_000, 500)) rushes.note(ANN, atMs);
  expect([rushes.isOn(ANN, 500), rushes.isOn(BEN, 500)]).toEqual([true, false]);
});

test('an attempt follows 100 ms after the last while writes wait for the store, and at once while few do', () => {
  const rushes = new Rushes();
  for (const atMs of evenly(2_000, 500)) rushes.note(ANN, atMs);
  const lane = { accountNo: ANN, beganMs: 495 };
  expect([rushes.pauseMs(lane, 6, 500), rushes.pauseMs(lane, 6, 600)]).toEqual([95, 0]);
  expect([rushes.pauseMs(lane, 5, 500), rushes.pauseMs(lane, 6, 1_500)]).toEqual([0, 0]);
  expect(rushes.pauseMs({ ...lane, accountNo: BEN }, 6, 500)).toBe(0);
});

test('in a rush with a busy store, deliveries are paced and none is forgotten', async () => {
  await using one = await startHooked();
  await one.hooked.arrive();
  await one.hooked.attempted(1);
  let waiting = 99;
  Object.defineProperty(one.appliance.services.store, 'writesWaiting', { get: () => waiting });
  for (let count = 0; count < 500; count++) one.appliance.services.arrivals.announce(another);
  const beganMs = performance.now();
  for (let count = 0; count < 20; count++) await one.hooked.arrive();
  await one.receiver.received(5);
  // Four deliveries after the first have three pauses between them. A rush is over after a second.
  expect(performance.now() - beganMs).toBeGreaterThan(3 * 100);
  waiting = 0;
  await one.receiver.received(21);
});

test('while mail rushes in a webhook has one delivery at a time, and four again after it', async () => {
  await using one = await startHooked();
  await one.hooked.arrive();
  await one.hooked.attempted(1);
  let now = 0;
  let isOver = false;
  const most = { inRush: 0, after: 0 };
  one.receiver.answer(() => {
    now += 1;
    const when = isOver ? 'after' : 'inRush';
    most[when] = Math.max(most[when], now);
    setTimeout(() => now--, 50);
    return { delay_ms: 50 };
  });
  const rushIn = (messages: number) => {
    for (let count = 0; count < messages; count++) one.appliance.services.arrivals.announce(another);
  };
  rushIn(500);
  const rush = setInterval(() => rushIn(100), 50);
  for (let count = 0; count < 60; count++) await one.hooked.arrive();
  await one.receiver.received(10);
  clearInterval(rush);
  isOver = true;
  await one.receiver.received(61);
  expect(most.inRush).toBe(1);
  expect(most.after).toBeWithin(2, 5);
});

/** A message of the same account. */
const another = {
  inbox_no: 0,
  account_no: 1,
  inbox_id: 'inbox_elsewhere',
  message_id: 'msg_elsewhere',
  received_at: 0,
  envelope_recipient: 'ann@elsewhere.example',
  from: '',
  subject: '',
  otp: null,
  magic_link: null,
  hasDelivery: true,
  isChecked: false,
};
