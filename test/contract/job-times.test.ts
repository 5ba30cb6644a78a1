/** Jobs across restarts: one that came due while the server was down runs soon, one that ran recently does not. */
import { expect, test } from 'bun:test';
import { startJobs } from '../../src/app/jobs.ts';
import type { Job } from '../../src/platform/job.ts';
import { lastRuns } from '../../src/platform/store/job-run.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { startAppliance } from '../start.ts';

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
    for (let tries = 0; tries < 500 && services.store.writesWaiting > 0; tries++) await Bun.sleep(1);
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
  // And restarts do not run it again.
  for (let starts = 0; starts < 10; starts++) await serveFor(MINUTE_MS);
  expect(runs).toEqual([60]);
  // A job that came due overnight runs once, soon after the start.
  await clock.leap(10 * HOUR_MS);
  await serveFor(MINUTE_MS);
  await serveFor(MINUTE_MS);
  expect(runs).toHaveLength(2);
  expect(lastRuns(services.store).get('test.hourly')).toBeGreaterThan(began);
  // A clock that was set back does not delay it by more than its interval.
  clock.set(began);
  await serveFor(HOUR_MS);
  expect(runs).toHaveLength(3);
});
