/** The point from which messages count: every form of `since`, for wait and stream, strictly after it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { isoTime } from '../../../src/platform/core/clock.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import type { RunningAppliance } from '../../start.ts';
import { allGone, arrive, type Box, doors, newBox, parked, startWaiting } from './doors.ts';

let appliance: RunningAppliance;
let clock: FakeClock;
beforeAll(async () => {
  clock = new FakeClock();
  appliance = await startWaiting({}, clock);
});
afterEach(() => allGone(appliance));
afterAll(() => appliance[Symbol.asyncDispose]());

/** A code received at exactly this microsecond. */
async function at(timeUs: number, box: Box): Promise<string> {
  clock.set(timeUs);
  return await arrive(appliance, box);
}

let second = Date.UTC(2026, 10, 22, 8, 0, 0);
/** Three codes: a microsecond before the time, exactly at it, and a microsecond after. */
async function three(fractionUs = 123_456) {
  second += 60_000;
  const box = await newBox(appliance);
  const timeUs = second * 1000 + fractionUs;
  const ids = [await at(timeUs - 1, box), await at(timeUs, box), await at(timeUs + 1, box)];
  return { box, timeUs, ids };
}

/** The time as `2026-11-22T08:00:00` and `.123456`. */
function parts(timeUs: number): [string, string] {
  const iso = isoTime(timeUs);
  return [iso.slice(0, 19), iso.slice(19, -1)];
}

/** The same instant in every form with microsecond precision. */
const exactForms: Record<string, (timeUs: number) => string> = {
  'ISO with microseconds': (us) => isoTime(us),
  'ISO without a zone': (us) => parts(us).join(''),
  'ISO in lower case': (us) => isoTime(us).toLowerCase(),
  'ISO with a comma': (us) => isoTime(us).replace('.', ','),
  'ISO with a blank for the T': (us) => isoTime(us).replace('T', '%20'),
  'ISO with nanoseconds': (us) => `${parts(us).join('')}999Z`,
  'ISO, one hour east, + encoded': (us) => `${parts(us + 3600e6).join('')}%2B01:00`,
  'ISO, one hour east, + as it is': (us) => `${parts(us + 3600e6).join('')}+01:00`,
  'ISO, + as it is, no colon': (us) => `${parts(us + 19_800e6).join('')}+0530`,
  'ISO, west': (us) => `${parts(us - 12_600e6).join('')}-03:30`,
  'unix seconds with decimals': (us) => `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`,
  'unix seconds with nanoseconds': (us) => `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}789`,
  'milliseconds with decimals': (us) => `${Math.floor(us / 1e3)}.${String(us % 1e3).padStart(3, '0')}`,
  'milliseconds with more decimals': (us) => `${Math.floor(us / 1e3)}.${String(us % 1e3).padStart(3, '0')}9`,
};

for (const door of doors) {
  describe(`since of a ${door.name}`, () => {
    const firstAfter = async (box: Box, since: string) => {
      const asked = door.ask(appliance, box, `require=otp&since=${since}`);
      const message = await asked.first();
      asked.hangUp();
      return message.id;
    };

    test.each(Object.entries(exactForms))('as %s is exclusive, to the microsecond', async (_, form) => {
      for (const fractionUs of [123_456, 999_999, 1, 7, 500_000, 1001]) {
        const { box, timeUs, ids } = await three(fractionUs);
        expect(await firstAfter(box, form(timeUs))).toBe(ids[2]!);
        expect(await firstAfter(box, form(timeUs - 1))).toBe(ids[1]!);
      }
    });

    test('accepts whole seconds, whole milliseconds and a date', async () => {
      const { box, timeUs, ids } = await three(1);
      expect(await firstAfter(box, String(Math.floor(timeUs / 1e6)))).toBe(ids[1]!);
      expect(await firstAfter(box, String(Math.floor(timeUs / 1e3)))).toBe(ids[1]!);
      expect(await firstAfter(box, parts(timeUs)[0])).toBe(ids[1]!);
      expect(await firstAfter(box, parts(timeUs)[0].slice(0, 16))).toBe(ids[1]!);
      expect(await firstAfter(box, '2026-11-22')).toBe(ids[0]!);
      expect(await firstAfter(box, '1')).toBe(ids[0]!);
      // 1e12 is the first value in milliseconds (year 2001). In seconds it would be the year 33658.
      expect(await firstAfter(box, '1000000000000')).toBe(ids[0]!);
      expect(await firstAfter(box, '0001-01-01T00:00:00Z')).toBe(ids[0]!);
      expect(await firstAfter(box, '1969-12-31T23:59:59.999999Z')).toBe(ids[0]!);
    });

    test('accepts the id of a message of the account, from another inbox or since deleted', async () => {
      const { box, ids } = await three();
      expect(await firstAfter(box, ids[0]!)).toBe(ids[1]!);
      const other = await newBox(appliance, box.holder);
      clock.set(clock.nowUs() + 1);
      const later = await at(clock.nowUs(), other);
      const last = await at(clock.nowUs() + 1, box);
      expect(await firstAfter(box, later)).toBe(last);
      for (const id of [later, ids[1]!]) {
        await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: box.holder.key });
      }
      expect(await firstAfter(box, later)).toBe(last);
      expect(await firstAfter(box, ids[0]!)).toBe(ids[2]!);
      expect(await firstAfter(box, ids[1]!)).toBe(ids[2]!);
    });

    test('is refused in any other form', async () => {
      const { box } = await three();
      const foreign = (await three()).ids[0]!;
      const wrong = [
        ...[foreign, `msg_${'0'.repeat(32)}`, 'msg_1', foreign.toUpperCase(), box.id],
        ...['now', '-1', '%2B1', '1e9', '1.', '.5', '0x10', 'Infinity', '1_000', '١٢٣', '１', '1%0A', '0%00'],
        ...['2026-13-01', '2026-02-30', '2026-02-29', '2026-11-21T25:00:00Z', '2026-11-21T08:60Z'],
        '2026-11-21T08:00:00%2B25:00x',
        '2026-11-21T08:00:00.Z',
        '2026-11-21T',
        '2026-11-21Z',
        '26-11-21',
        // No clock counts this far.
        ...['9'.repeat(21), '9'.repeat(5000), `${'0'.repeat(5000)}1`, `1.${'0'.repeat(5000)}1`],
        // An empty value is a client's variable that was never set.
        ...['', '2026-W47-6', 'Sat, 21 Nov 2026', "'--"],
      ];
      for (const since of wrong) {
        const { status, error } = await door.ask(appliance, box, `require=otp&since=${since}`).answered;
        expect([since, status, Object.keys(error?.fields ?? {})]).toEqual([since, 422, ['since']]);
      }
    });

    test('counts only new messages when it is left out', async () => {
      const { box } = await three();
      const asked = door.ask(appliance, box, 'require=otp');
      await parked(appliance, 1);
      const id = await arrive(appliance, box);
      expect((await asked.first()).id).toBe(id);
      asked.hangUp();
      await allGone(appliance);
    });

    test('hides no new message after the clock stepped back an hour', async () => {
      const { box, timeUs } = await three();
      const asked = door.ask(appliance, box);
      await parked(appliance, 1);
      const id = await at(timeUs - 3600e6, box);
      expect((await asked.first()).id).toBe(id);
      asked.hangUp();
      await allGone(appliance);
      const again = door.ask(appliance, box, { since: id });
      await parked(appliance, 1);
      const next = await arrive(appliance, box);
      expect((await again.first()).id).toBe(next);
      again.hangUp();
    });

    test('in the future matches nothing before that time', async () => {
      const { box, timeUs } = await three();
      const asked = door.ask(appliance, box, { since: isoTime(timeUs + 60e6), require: 'otp' });
      await parked(appliance, 1);
      await at(timeUs + 60e6, box);
      const id = await at(timeUs + 60e6 + 1, box);
      expect((await asked.first()).id).toBe(id);
      asked.hangUp();
    });

    test('as a unix time beyond every calendar is a time in the future', async () => {
      for (const since of ['253402300800', '999999999999', '9'.repeat(20)]) {
        const { box } = await three();
        const asked = door.ask(appliance, box, { since, require: 'otp' });
        await parked(appliance, 1);
        asked.hangUp();
        await allGone(appliance);
      }
    });

    test('as 0 returns nothing that was read', async () => {
      for (const zero of ['0', '0.0', '000']) {
        const { box, ids } = await three();
        const read = { key: box.holder.key, body: { read: true } };
        for (const id of ids) await appliance.request('PATCH', `/api/v1/messages/${id}`, read);
        const asked = door.ask(appliance, box, `require=otp&since=${zero}`);
        await parked(appliance, 1);
        const id = await arrive(appliance, box);
        expect((await asked.first()).id).toBe(id);
        asked.hangUp();
        await allGone(appliance);
      }
    });
  });
}

test('with since=0 a wait returns the newest unread match, and a stream the oldest first', async () => {
  const { box, ids } = await three();
  await arrive(appliance, box, { otp: null });
  for (const [door, wanted] of [
    [doors[0]!, ids[2]!],
    [doors[1]!, ids[0]!],
  ] as const) {
    const asked = door.ask(appliance, box, { since: 0 });
    expect((await asked.first()).id).toBe(wanted);
    asked.hangUp();
  }
});

test('the id of a message of a deleted inbox is harmless', async () => {
  const { box, ids } = await three();
  const other = await newBox(appliance, box.holder);
  await appliance.request('DELETE', `/api/v1/inboxes/${box.id}`, { key: box.holder.key });
  for (const door of doors) {
    expect((await door.ask(appliance, box, { since: ids[0]! }).answered).status).toBe(404);
    const asked = door.ask(appliance, other, { since: ids[0]! });
    await parked(appliance, 1);
    asked.hangUp();
    await allGone(appliance);
  }
});
