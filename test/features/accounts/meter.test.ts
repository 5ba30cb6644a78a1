import { expect, test } from 'bun:test';
import { readUsage } from '../../../src/features/accounts/sql.ts';
import { Meter } from '../../../src/features/accounts/usage/meter.ts';
import { createLog } from '../../../src/platform/core/log.ts';
import type { PlatformServices } from '../../../src/platform/services.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startAppliance } from '../../start.ts';

/** A store that records its writes, and fails on demand. */
function metering() {
  const clock = new FakeClock();
  const written: unknown[] = [];
  const logged: string[] = [];
  const state = { fails: false };
  const store = {
    async write(_: unknown, { counts }: { counts: unknown }) {
      if (state.fails) throw new Error('the disk is full');
      written.push(counts);
    },
  } as unknown as PlatformServices['store'];
  const write = (line: string) => void logged.push(line);
  const log = createLog({ form: 'json', level: 'warn', colour: false, write, nowUs: () => 0 });
  return { clock, written, logged, state, meter: new Meter({ store, clock, log }) };
}

test('everything counted within a tenth of a second is written once per account', async () => {
  const { meter, clock, written } = metering();
  for (let count = 0; count < 100; count++) meter.count(1 + (count % 2), 3);
  expect(written).toEqual([]);
  await clock.advance(100);
  expect(written).toEqual([
    [
      { account_no: 1, addresses: 150 },
      { account_no: 2, addresses: 150 },
    ],
  ]);
  expect(clock.timersSet).toBe(0);
  meter.count(1, 1);
  await meter.flush();
  expect(written.slice(1)).toEqual([[{ account_no: 1, addresses: 1 }]]);
  await meter.flush();
  expect([written.length, clock.timersSet]).toEqual([2, 0]);
});

test('counts that can’t be written are kept, and reported once a minute', async () => {
  const { meter, clock, written, logged, state } = metering();
  state.fails = true;
  for (let count = 0; count < 5; count++) {
    meter.count(1, 2);
    await meter.flush();
  }
  expect([written, logged.length]).toEqual([[], 1]);
  await clock.advance(60_000);
  meter.count(1, 1);
  await clock.advance(100);
  expect(logged).toHaveLength(2);
  state.fails = false;
  await meter.flush();
  expect(written).toEqual([[{ account_no: 1, addresses: 11 }]]);
});

test('nothing is counted for a deleted account, and the others are unaffected', async () => {
  await using appliance = await startAppliance();
  const { account } = await appliance.holder();
  const { services } = appliance;
  const meter = new Meter(services);
  meter.count(account.no + 1000, 5);
  meter.count(account.no, 7);
  await meter.flush();
  const month = new Date().toISOString().slice(0, 7);
  expect(readUsage(services.store, account.no, month).verifications).toBe(7);
  expect(readUsage(services.store, account.no + 1000, month).verifications).toBe(0);
  expect(appliance.logged).toEqual([]);
});
