/** Jobs across restarts: one that came due while the server was down runs soon, one that ran recently does not. */
import { expect, test } from 'bun:test';
import { jobs, startJobs } from '../../src/app/jobs.ts';
import type { Job } from '../../src/platform/job.ts';
import { readLastRuns } from '../../src/platform/store/job-run.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { startAppliance } from '../start.ts';
import { until } from '../until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test('an hourly job keeps to its hour across restarts', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock: new FakeClock() });
  const services = { ...appliance.services, clock };
  const runs: number[] = [];
  const began = clock.nowUs();
  const job: Job = {
    name: 'test.hourly',
    everyS: 3600,
    run: async () => void runs.push((clock.nowUs() - began) / 60_000_000),
  };
  const noted = async () => {
    // Written after the store has responded, which takes real time.
    await until(() => services.store.writesWaiting === 0);
  };
  const serveFor = async (ms: number) => {
    const started = startJobs(services, [job]);
    await noted();
    await clock.advance(ms);
    await noted();
    await started.stop();
  };
  // With a restart every 20 minutes it still runs after an hour.
  for (let starts = 0; starts < 4; starts++) await serveFor(20 * MINUTE_MS);
  expect(runs).toEqual([60]);
  // Restarts do not make it run again.
  for (let starts = 0; starts < 10; starts++) await serveFor(MINUTE_MS);
  expect(runs).toEqual([60]);
  // A job that came due overnight runs once, soon after the start.
  await clock.leap(10 * HOUR_MS);
  await serveFor(MINUTE_MS);
  await serveFor(MINUTE_MS);
  expect(runs).toHaveLength(2);
  expect(readLastRuns(services.store).get('test.hourly')).toBeGreaterThan(began);
  // A clock that was set back does not delay it by more than its interval.
  clock.set(began);
  await serveFor(HOUR_MS);
  expect(runs).toHaveLength(3);
});

test('a clock that is years ahead erases no mail before it can be set right', async () => {
  const clock = new FakeClock();
  const settings = { retention_days: '30' };
  await using appliance = await startAppliance({ clock: new FakeClock(), settings });
  const services = { ...appliance.services, clock };
  const holder = await appliance.holder();
  const inbox = await appliance.inbox(holder);
  const ids = async () => {
    const { json } = await appliance.request('GET', `/api/v1/inboxes/${inbox.id}/messages`, {
      key: holder.key,
    });
    return (json.data as { id: string }[]).map(({ id }) => id);
  };
  const id = await appliance.deliver(inbox.address);
  const retention = jobs.filter(({ name }) => name === 'messages.retention');
  clock.settled = async () => {
    await Bun.sleep(1);
    await until(() => services.store.writesWaiting === 0);
  };
  const right = clock.nowUs();
  const serveFor = async (ms: number, upS = 20) => {
    const started = startJobs(services, retention, upS);
    await clock.advance(ms);
    await started.stop();
  };
  await serveFor(HOUR_MS);
  // Wrong by ten years after a boot; then a time server answers.
  for (const _ of ['one boot', 'the next']) {
    clock.set(right + 10 * 365 * 24 * HOUR_MS * 1000);
    await serveFor(50 * MINUTE_MS);
  }
  expect(await ids()).toEqual([id]);
  clock.set(right + 2 * HOUR_MS * 1000);
  await serveFor(10 * HOUR_MS);
  expect(await ids()).toEqual([id]);
  // The same at work, on a machine that has been up for long.
  const started = startJobs(services, retention, 1_000_000);
  await clock.advance(HOUR_MS);
  clock.set(right + 10 * 365 * 24 * HOUR_MS * 1000);
  await clock.advance(50 * MINUTE_MS);
  await started.stop();
  expect(await ids()).toEqual([id]);
  // If the clock stays ahead, it is right, and the server was down.
  clock.set(right + 40 * 24 * HOUR_MS * 1000);
  await serveFor(2 * HOUR_MS);
  expect(await ids()).toEqual([]);
  expect(appliance.logged.filter((line) => line.includes('the clock is far ahead'))).not.toEqual([]);
});

test('every job that forgets, such as sessions and invitations, waits while the clock is far ahead', () => {
  const forgetting = jobs.filter(({ name }) => /forget|expire|retention|collect/.test(name));
  expect(forgetting.length).toBeGreaterThan(8);
  expect(forgetting.filter(({ erasesByAge }) => !erasesByAge).map(({ name }) => name)).toEqual([]);
});

test('a clock that jumps ahead while old mail is being erased erases no new mail', async () => {
  await using appliance = await startAppliance({ settings: { retention_days: '30' } });
  const { services } = appliance;
  const holder = await appliance.holder();
  const inbox = await appliance.inbox(holder);
  const id = await appliance.deliver(inbox.address);
  const right = services.clock.nowUs();
  let reads = 0;
  const nowUs = () => right + (reads++ === 0 ? 0 : 10 * 365 * 24 * HOUR_MS * 1000);
  const retention = jobs.find(({ name }) => name === 'messages.retention')!;
  await retention.run({ ...services, clock: { ...services.clock, nowUs } }, new AbortController().signal);
  expect((await appliance.request('GET', `/api/v1/messages/${id}`, { key: holder.key })).status).toBe(200);
});

test('a restart does not end the wait for a clock that jumped ahead while the server ran', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock: new FakeClock() });
  const services = { ...appliance.services, clock };
  const runs: string[] = [];
  const job = (name: string, erases: boolean): Job => ({
    name,
    everyS: 3600,
    run: async () => void runs.push(name),
    ...(erases && { erasesByAge: true }),
  });
  clock.settled = async () => {
    await Bun.sleep(1);
    await until(() => services.store.writesWaiting === 0);
  };
  const serveFor = async (ms: number) => {
    const started = startJobs(services, [job('test.erase', true), job('test.other', false)], 1_000_000);
    await clock.advance(ms);
    await started.stop();
  };
  await serveFor(HOUR_MS);
  expect(runs.splice(0).sort()).toEqual(['test.erase', 'test.other']);
  const started = startJobs(services, [job('test.erase', true), job('test.other', false)], 1_000_000);
  await clock.advance(MINUTE_MS);
  clock.set(clock.nowUs() + 1_000 * 24 * HOUR_MS * 1000);
  await clock.advance(HOUR_MS);
  await started.stop();
  await serveFor(30 * MINUTE_MS);
  expect(runs).not.toContain('test.erase');
  expect(runs).toContain('test.other');
});

test('a restart right after the clock jumped ahead, before any job has run, does not end the wait either', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock: new FakeClock() });
  const services = { ...appliance.services, clock };
  const erased: number[] = [];
  const job: Job = {
    name: 'test.erase',
    everyS: 3600,
    erasesByAge: true,
    run: async () => void erased.push(clock.nowUs()),
  };
  const first = startJobs(services, [job], 1_000_000);
  await clock.advance(HOUR_MS);
  await first.stop();
  expect(erased).toHaveLength(1);
  const second = startJobs(services, [job], 1_000_000);
  clock.set(clock.nowUs() + 1_000 * 24 * HOUR_MS * 1000);
  await second.stop();
  const third = startJobs(services, [job], 1_000_000);
  await clock.advance(30 * MINUTE_MS);
  expect(erased).toHaveLength(1);
  await third.stop();
  // A server that was down for as long erases soon after its start.
  clock.set(clock.nowUs() + 1_000 * 24 * HOUR_MS * 1000);
  const fourth = startJobs(services, [job], 1_001 * 86_400);
  await clock.advance(MINUTE_MS);
  expect(erased).toHaveLength(2);
  await fourth.stop();
});

test('mail that was due while the server was down is erased soon after its start if the machine was up', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock: new FakeClock() });
  let runs = 0;
  const job: Job = { name: 'test.erase', everyS: 3600, erasesByAge: true, run: async () => void runs++ };
  const services = { ...appliance.services, clock };
  await startJobs(services, [job], 20).stop();
  await until(() => services.store.writesWaiting === 0);
  for (const [upS, expected] of [
    [20, 0],
    // A clock that was set wrong while the server was down, or right before a crash, looks like this.
    [8 * 86_400, 0],
    [20 * 86_400, 1],
  ] as const) {
    await clock.leap(9 * 24 * HOUR_MS);
    const started = startJobs(services, [job], upS);
    await clock.advance(MINUTE_MS);
    await started.stop();
    expect(runs).toBe(expected);
  }
});
