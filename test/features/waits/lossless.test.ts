/** Nothing is lost between two calls and nothing comes twice, whatever arrives, breaks or steps meanwhile. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from '../../peers/fake-clock.ts';
import type { RunningAppliance } from '../../start.ts';
import { storedMessageIds } from '../../store-state.ts';
import { until } from '../../until.ts';
import { allGone, arrive, type Box, newBox, startWaiting, waitDoor } from './doors.ts';
import { watchByStream, watchByWait } from './reconnecting.ts';

let appliance: RunningAppliance;
let clock: FakeClock;
beforeAll(async () => {
  clock = new FakeClock();
  appliance = await startWaiting({}, clock);
});
afterEach(() => allGone(appliance));
afterAll(() => appliance[Symbol.asyncDispose]());

const watchers = { wait: watchByWait, stream: watchByStream };

type Step =
  | { arrive: number }
  | { drop: true }
  | { erase: number }
  | { stepS: number }
  | { passS: number }
  | { turn: true };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ arrive: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 4, arbitrary: fc.constant({ drop: true as const }) },
  { weight: 1, arbitrary: fc.record({ erase: fc.nat(1000) }) },
  { weight: 2, arbitrary: fc.record({ stepS: fc.integer({ min: -86_400, max: 86_400 }) }) },
  { weight: 1, arbitrary: fc.record({ passS: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 3, arbitrary: fc.constant({ turn: true as const }) },
);

/** Plays the steps. Returns all ids in order, and those erased meanwhile. */
async function play(box: Box, steps: readonly Step[], drop: () => void) {
  const erased = new Set<string>();
  const arrivals: Promise<unknown>[] = [];
  for (const one of steps) {
    if ('arrive' in one) {
      for (let count = 0; count < one.arrive; count++) arrivals.push(arrive(appliance, box));
    } else if ('drop' in one) drop();
    else if ('stepS' in one) clock.set(clock.nowUs() + one.stepS * 1e6);
    else if ('passS' in one) await clock.advance(one.passS * 1000);
    else if ('turn' in one) await Bun.sleep(1);
    else {
      await Promise.all(arrivals);
      const { json } = await ask('GET', box, `/inboxes/${box.id}/messages?limit=100`);
      const victim = json.data[one.erase % Math.max(1, json.data.length)];
      if (!victim) continue;
      erased.add(victim.id);
      await ask('DELETE', box, `/messages/${victim.id}`);
    }
  }
  await Promise.all(arrivals);
  return { all: storedMessageIds(appliance, box.no), erased };
}

const ask = (method: string, box: Box, path: string) =>
  appliance.request(method, `/api/v1${path}`, { key: box.holder.key });

test.each(Object.entries(watchers))(
  'a %s sees each message once and in order, whatever happens',
  async (_, watch) => {
    const holder = await appliance.holder();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const box = await newBox(appliance, holder);
        const first = await arrive(appliance, box);
        const watching = watch(appliance, box, first);
        const { all, erased } = await play(box, steps, watching.drop);
        const wanted = all.filter((id) => id !== first);
        await until(() => wanted.every((id) => watching.seen.includes(id)));
        await watching.end();
        expect(watching.seen.filter((id) => !erased.has(id))).toEqual(wanted);
        expect(new Set(watching.seen).size).toBe(watching.seen.length);
      }),
      { numRuns: 25 },
    );
  },
);

test('a wait and a stream that reconnect 200 times each see every one of 3,000 messages once', async () => {
  const box = await newBox(appliance);
  const first = await arrive(appliance, box);
  const watching = Object.values(watchers).map((watch) => watch(appliance, box, first));
  const sent = new Set<string>();
  let reconnects = 0;
  for (let round = 0; round < 200; round++) {
    const ids = await Promise.all(Array.from({ length: 15 }, () => arrive(appliance, box)));
    for (const id of ids) sent.add(id);
    // Wherever each one is in its read.
    for (const one of watching) one.drop();
    reconnects++;
    if (round % 3 === 0) await Bun.sleep(round % 7);
  }
  await until(() => watching.every(({ seen }) => seen.length >= 3_000), 30_000);
  await Promise.all(watching.map((one) => one.end()));
  expect([sent.size, reconnects]).toEqual([3_000, 200]);
  for (const { seen } of watching) {
    expect(seen).toHaveLength(3_000);
    expect(new Set(seen)).toEqual(sent);
  }
}, 40_000);

test('requests without since that start during commits see what is committed after them', async () => {
  const box = await newBox(appliance);
  for (let round = 0; round < 60; round++) {
    // Some before, so that a commit is in flight whose messages must not be returned.
    const early = Array.from({ length: round % 4 }, () => appliance.deliver(box.address, { otp: '1' }));
    const asked = waitDoor.ask(appliance, box, round % 2 ? { mark_read: true } : {});
    const racing = arrive(appliance, box);
    await Promise.all([...early, racing]);
    // The code in flight, or one that arrives after the request was read: never nothing.
    const last = asked.first();
    const isAnswered = last.then(() => true);
    while (!(await Promise.race([isAnswered, Bun.sleep(15)]))) await arrive(appliance, box);
    expect((await last).otp).toBeString();
  }
});

test('streams that start at any moment between commits see every later message once', async () => {
  const box = await newBox(appliance);
  const first = await arrive(appliance, box);
  const watching: ReturnType<typeof watchByWait>[] = [];
  for (let round = 0; round < 30; round++) {
    // Few, because half of the clients ask for each message by itself: what matters is when they begin.
    const arrivals = Array.from({ length: 4 }, () => arrive(appliance, box));
    watching.push((round % 2 ? watchByStream : watchByWait)(appliance, box, first));
    await Promise.all(arrivals);
  }
  const order = storedMessageIds(appliance, box.no).filter((id) => id !== first);
  await until(() => watching.every(({ seen }) => seen.length >= order.length), 15_000);
  for (const { seen } of watching) expect(seen).toEqual(order);
  await Promise.all(watching.map((one) => one.end()));
}, 20_000);
