/** Wait and stream return the same messages for the same conditions: one suite for both. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Delivery, RunningAppliance } from '../../start.ts';
import { allGone, arrive, type Box, doors, newBox, parked, type Query, startWaiting } from './doors.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startWaiting();
});
afterEach(() => allGone(appliance));
afterAll(() => appliance[Symbol.asyncDispose]());

const code: Delivery = { otp: '482913', otp_confidence: 0.5 };
const link: Delivery = { otp: null, otp_confidence: 0, magic_link: 'https://example.org/verify?t=1' };
const both: Delivery = { ...code, magic_link: 'https://example.org/verify?t=2' };
const neither: Delivery = { otp: null, otp_confidence: 0 };
const everyKind = { code, link, both, neither };

/** A query, and which of the four kinds of mail match it. */
const conditions: [Query, string[]][] = [
  [{}, ['code', 'both']],
  [{ require: 'otp' }, ['code', 'both']],
  [{ require: 'link' }, ['link', 'both']],
  [{ require: 'any' }, ['code', 'link', 'both']],
  [{ require: 'message' }, ['code', 'link', 'both', 'neither']],
  // An equal value is enough.
  [{ require: 'otp', min_confidence: 0.5 }, ['code', 'both']],
  [{ require: 'otp', min_confidence: 0.5000001 }, []],
  [{ require: 'otp', min_confidence: -3 }, ['code', 'both']],
  [{ require: 'otp', min_confidence: 7 }, []],
  [{ require: 'link', min_confidence: 1 }, ['link', 'both']],
  [{ require: 'any', min_confidence: 0.51 }, ['link', 'both']],
  [{ require: 'message', min_confidence: 1 }, ['code', 'link', 'both', 'neither']],
  [{ require: 'message', from: 'ANN@Example' }, ['code', 'link', 'both', 'neither']],
  [{ require: 'message', from: 'ann sender' }, ['code', 'link', 'both', 'neither']],
  [{ require: 'message', from: 'bob@' }, []],
  [{ require: 'otp', from: 'ann', subject_contains: 'ÜßE' }, ['code', 'both']],
  [{ require: 'message', subject_contains: '100%_' }, ['code', 'link', 'both', 'neither']],
  [{ require: 'message', subject_contains: '100%a' }, []],
  [{ require: 'message', from: ' ', subject_contains: '' }, ['code', 'link', 'both', 'neither']],
];
const subject = 'Grüße, 100%_ sicher';

for (const door of doors) {
  describe(door.name, () => {
    test.each(conditions)('with %j returns the matching message, stored or new', async (query, wanted) => {
      const box = await newBox(appliance);
      for (const [kind, mail] of Object.entries(everyKind)) {
        const before = await arrive(appliance, box, { ...neither, from: 'x', subject: 'before' });
        const end = {
          otp: '9',
          otp_confidence: 1,
          magic_link: 'https://e.test/',
          from: 'ann@example bob@',
        };
        const last = { ...end, subject: `${subject} 100%a` };
        // Stored before, so it is returned at once.
        const stored = await arrive(appliance, box, { ...mail, subject });
        const early = door.ask(appliance, box, { since: before, ...query });
        if (!wanted.includes(kind)) await parked(appliance, 1);
        const endsEarly = wanted.includes(kind) ? stored : await arrive(appliance, box, last);
        expect((await early.first()).id).toBe(endsEarly);
        early.hangUp();
        await allGone(appliance);
        // Still to come: the first that matches.
        const late = door.ask(appliance, box, query);
        await parked(appliance, 1);
        const came = await arrive(appliance, box, { ...mail, subject });
        const endsLate = wanted.includes(kind) ? came : await arrive(appliance, box, last);
        expect((await late.first()).id).toBe(endsLate);
        late.hangUp();
        await allGone(appliance);
      }
    });

    test('returns the whole message', async () => {
      const box = await newBox(appliance);
      const asked = door.ask(appliance, box);
      await parked(appliance, 1);
      const id = await arrive(appliance, box, {
        content: { text: 'Zeile\u2028eins\nzwei 😀', html: '<b>\r\n</b>' },
      });
      const message = await asked.first();
      const read = await appliance.request('GET', `/api/v1/messages/${id}`, { key: box.holder.key });
      expect(message).toEqual(read.json.data);
      expect(message).toMatchObject({ otp: '482913', read: false, text: 'Zeile\u2028eins\nzwei 😀' });
      asked.hangUp();
    });

    test('returns the earliest match stored after since', async () => {
      const box = await newBox(appliance);
      const ids: string[] = [];
      for (const mail of [code, neither, code, link, code]) ids.push(await arrive(appliance, box, mail));
      for (const [from, found] of [
        [0, 2],
        [1, 2],
        [2, 4],
      ] as const) {
        const asked = door.ask(appliance, box, { since: ids[from] ?? '' });
        expect((await asked.first()).id).toBe(ids[found]!);
        asked.hangUp();
      }
    });

    test('finds the one match among thousands of messages', async () => {
      const box = await newBox(appliance);
      const first = await arrive(appliance, box, neither);
      await Promise.all(Array.from({ length: 350 }, () => appliance.deliver(box.address, neither)));
      const id = await arrive(appliance, box, code);
      await Promise.all(Array.from({ length: 150 }, () => appliance.deliver(box.address, neither)));
      for (const since of [first, '0']) {
        const asked = door.ask(appliance, box, { since });
        expect((await asked.first()).id).toBe(id);
        asked.hangUp();
      }
    });

    test('never returns a message of another inbox', async () => {
      const [box, other] = [await newBox(appliance), await newBox(appliance)];
      const asked = door.ask(appliance, box);
      await parked(appliance, 1);
      await arrive(appliance, other);
      const id = await arrive(appliance, box);
      expect((await asked.first()).id).toBe(id);
      asked.hangUp();
    });

    test('never marks a message as read', async () => {
      const box = await newBox(appliance);
      const id = await arrive(appliance, box);
      for (let times = 0; times < 2; times++) {
        const asked = door.ask(appliance, box, { since: 0 });
        expect(await asked.first()).toMatchObject({ id, read: false, read_at: null });
        asked.hangUp();
      }
      const { json } = await appliance.request('GET', `/api/v1/messages/${id}`, { key: box.holder.key });
      expect(json.data.read).toBe(false);
    });

    test('refuses malformed parameters by name', async () => {
      const box = await newBox(appliance);
      const wrong: [Query | string, string][] = [
        [{ require: 'code' }, 'require'],
        [{ require: '' }, 'require'],
        [{ require: 'OTP' }, 'require'],
        [{ min_confidence: 'high' }, 'min_confidence'],
        [{ min_confidence: '' }, 'min_confidence'],
        [{ min_confidence: 'NaN' }, 'min_confidence'],
        [{ from: 'x'.repeat(201) }, 'from'],
        [{ subject_contains: 'ü'.repeat(201) }, 'subject_contains'],
        [{ since: 'yesterday' }, 'since'],
        ['since=%FF%00', 'since'],
        ...(door.name === 'wait'
          ? ([
              [{ timeout: 'soon' }, 'timeout'],
              [{ timeout: '0x10' }, 'timeout'],
              [{ timeout: '' }, 'timeout'],
              [{ mark_read: 'yes' }, 'mark_read'],
            ] as [Query, string][])
          : []),
      ];
      for (const [query, field] of wrong) {
        const { status, error } = await door.ask(appliance, box, query).answered;
        expect([query, status, error?.code, Object.keys(error?.fields ?? {})]).toEqual([
          ...[query, 422, 'validation_error'],
          [field],
        ]);
      }
      const { error } = await door.ask(appliance, box, { require: 'code', from: 'x'.repeat(201) }).answered;
      expect(Object.keys(error.fields).sort()).toEqual(['from', 'require']);
      for (const allowed of ['otp', 'link', 'any', 'message'])
        expect(error.fields.require[0]).toContain(allowed);
      const full = door.ask(appliance, box, { from: '😀'.repeat(200) });
      await parked(appliance, 1);
      full.hangUp();
    });

    test('has the headers of every answer', async () => {
      const box = await newBox(appliance);
      await arrive(appliance, box);
      const asked = door.ask(appliance, box, { since: 0 });
      const { status, headers } = await asked.answered;
      expect(status).toBe(200);
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
      expect(headers.get('cache-control')).toContain('no-store');
      for (const name of ['limit', 'remaining', 'reset'])
        expect(headers.has(`x-ratelimit-${name}`)).toBe(true);
      asked.hangUp();
    });

    test('gives the same refusal for a stranger’s inbox and one that does not exist', async () => {
      const [box, stranger] = [await newBox(appliance), await newBox(appliance)];
      for (const id of [box.id, 'inbox_x', `inbox_${'0'.repeat(32)}`]) {
        const { status, error } = await door.ask(appliance, { ...stranger, id } as Box).answered;
        expect([status, error.code]).toEqual([404, 'not_found']);
      }
    });
  });
}
