/** `X-Wait-Since`: with it as the next `since`, nothing is lost between two waits and nothing is returned twice. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from '../../peers/fake-clock.ts';
import type { RunningAppliance } from '../../start.ts';
import { storedMessageIds } from '../../store-state.ts';
import { until } from '../../until.ts';
import { allGone, arrive, type Box, newBox, type Query, startWaiting } from './doors.ts';

let appliance: RunningAppliance;
let clock: FakeClock;
beforeAll(async () => {
  clock = new FakeClock();
  appliance = await startWaiting({}, clock);
});
afterEach(() => allGone(appliance));
afterAll(() => appliance[Symbol.asyncDispose]());

const everywhere = '/messages/wait';
const inInbox = ({ id }: Box) => `/inboxes/${id}/messages/wait`;

async function wait(box: Box, path: string, query: Query, method = 'GET') {
  const text = new URLSearchParams({ require: 'message', ...query } as Record<string, string>);
  const reply = await appliance.request(method, `/api/v1${path}?${text}`, { key: box.holder.key });
  const id = reply.json?.data?.id as string | undefined;
  return { status: reply.status, id, since: reply.headers.get('x-wait-since') ?? '' };
}

/** A wait without a match, which the clock ends. */
async function waitInVain(box: Box, path: string, query: Query) {
  const asked = wait(box, path, query);
  await until(() => appliance.services.waits.size > 0);
  await clock.advance(25_000);
  return asked;
}

describe.each([
  ['of an inbox', inInbox],
  ['of an account', () => everywhere],
])('the header of a wait %s', (_, pathOf) => {
  test('loses and repeats nothing, whatever arrives between and during the calls', async () => {
    const step = fc.oneof(
      fc.record({ arrive: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ during: fc.integer({ min: 1, max: 5 }) }),
      fc.constant({ stepBack: true as const }),
      fc.constant({ head: true as const }),
      fc.constant({ call: true as const }),
    );
    const start = fc.constantFrom('now', 'iso', 'unread');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), start, async (steps, from) => {
        const box = await newBox(appliance);
        const path = pathOf(box);
        await arrive(appliance, box);
        const skipped = from === 'now' ? 1 : 0;
        const seen: string[] = [];
        let since = (await wait(box, path, { since: '2026-01-01' }, 'HEAD')).since;
        if (from === 'now') since = (await wait(box, path, {}, 'HEAD')).since;
        const wanted = () => storedMessageIds(appliance, box.no).slice(skipped);
        const call = async () => {
          const answer = await wait(box, path, { since });
          expect(answer.status).toBe(200);
          seen.push(answer.id!);
          since = answer.since;
        };
        if (from === 'unread') {
          since = '0';
          await call();
        }
        for (const one of steps) {
          if ('stepBack' in one) clock.set(clock.nowUs() - 3_600e6);
          else if ('arrive' in one) for (let n = 0; n < one.arrive; n++) await arrive(appliance, box);
          else if ('during' in one) {
            const asked = call();
            await Promise.all(Array.from({ length: one.during }, () => arrive(appliance, box)));
            await asked;
          } else if ('head' in one) since = (await wait(box, path, { since }, 'HEAD')).since;
          if (seen.length < wanted().length) await call();
        }
        while (seen.length < wanted().length) await call();
        expect(seen).toEqual(wanted());
      }),
      { numRuns: 20 },
    );
  });

  test('is on a 204, from which nothing is lost that came after it', async () => {
    const box = await newBox(appliance);
    const path = pathOf(box);
    for (const query of [{}, { since: '0' }, { since: '2026-01-01T00:00:00Z' }] as Query[]) {
      const answer = await waitInVain(box, path, { from: 'nobody', ...query });
      expect(answer.status).toBe(204);
      const ids = [await arrive(appliance, box), await arrive(appliance, box)];
      const one = await wait(box, path, { since: answer.since });
      const two = await wait(box, path, { since: one.since });
      expect([one.id, two.id]).toEqual(ids);
    }
  });

  test('is on HEAD, which skips no message', async () => {
    const box = await newBox(appliance);
    const path = pathOf(box);
    const empty = await wait(box, path, {}, 'HEAD');
    expect(empty.status).toBe(204);
    expect(empty.since).toMatch(/^\d{4}-.*\.\d{6}Z$/);
    const ids = [await arrive(appliance, box), await arrive(appliance, box)];
    for (const since of [empty.since, '0']) {
      const head = await wait(box, path, { since }, 'HEAD');
      expect(head.status).toBe(200);
      const got = await wait(box, path, { since: head.since });
      expect(got.id).toBe(since === '0' ? ids[1]! : ids[0]!);
    }
  });

  test('does not reveal when another account gets mail', async () => {
    const box = await newBox(appliance);
    const path = pathOf(box);
    const read = async () => [
      (await wait(box, path, {}, 'HEAD')).since,
      (await wait(box, path, { since: '0', from: 'nobody' }, 'HEAD')).since,
      (await waitInVain(box, path, {})).since,
    ];
    const empty = await read();
    await arrive(appliance, box);
    const one = await read();
    const other = await newBox(appliance);
    await arrive(appliance, other);
    expect(await read()).toEqual(one);
    const third = await newBox(appliance);
    expect((await wait(third, pathOf(third), {}, 'HEAD')).since).toBe(empty[0]!);
  });

  test('with mark_read and since=0 goes through every unread message once', async () => {
    const box = await newBox(appliance);
    const path = pathOf(box);
    const ids = new Set<string>();
    for (let count = 0; count < 5; count++) ids.add(await arrive(appliance, box));
    const seen: string[] = [];
    let since = '0';
    for (let count = 0; count < 10; count++) {
      if (count === 2 || count > 5) ids.add(await arrive(appliance, box));
      const answer = await wait(box, path, { since, mark_read: true });
      seen.push(answer.id!);
      since = answer.since;
    }
    expect(seen).toHaveLength(10);
    expect(new Set(seen)).toEqual(ids);
  });

  test('with mark_read lets parallel loops share all messages of a flood, none lost or repeated', async () => {
    const box = await newBox(appliance);
    const path = pathOf(box);
    const seen: string[] = [];
    // Before the first message: a loop that begins later skips what has arrived.
    const begin = (await wait(box, path, {}, 'HEAD')).since;
    const loops = Array.from({ length: 8 }, async () => {
      let since = begin;
      while (seen.length < 200) {
        const answer = await wait(box, path, { since, mark_read: true, timeout: 25 });
        if (answer.id) seen.push(answer.id);
        since = answer.since;
      }
    });
    const sent: string[] = [];
    for (let round = 0; round < 20; round++) {
      sent.push(...(await Promise.all(Array.from({ length: 10 }, () => arrive(appliance, box)))));
    }
    await until(() => seen.length >= 200);
    // A loop may be about to wait once more.
    const ended = Promise.all(loops).then(() => true);
    while (!(await Promise.race([ended, Bun.sleep(5)]))) await clock.advance(25_000);
    expect(seen.sort()).toEqual(sent.sort());
  });

  test('sent back as an empty since gets 422', async () => {
    const box = await newBox(appliance);
    expect((await wait(box, pathOf(box), { since: '' })).status).toBe(422);
  });
});
