/** Claims under an Idempotency-Key while clients leave, times run out and messages go, each at its worst moment. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Scope } from '../../../src/features/waits/sql.ts';
import { type WaitEnd, type WaitRequest, waitForMessage } from '../../../src/features/waits/wait.ts';
import type { WaitServices } from '../../../src/features/waits/waits.ts';
import type { ClaimKey } from '../../../src/features/waits/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import type { Holder, RunningAppliance } from '../../start.ts';
import { isStoredUnread } from '../../store-state.ts';
import { until } from '../../until.ts';
import { allGone, arrive, type Box, newBox, parked, startWaiting } from './doors.ts';

let appliance: RunningAppliance;
let owner: Holder;
let clock: FakeClock;
beforeAll(async () => {
  clock = new FakeClock();
  appliance = await startWaiting({}, clock);
  owner = await appliance.holder();
});
afterEach(() => allGone(appliance));
afterAll(() => appliance[Symbol.asyncDispose]());

/** The services of a wait whose writes can be watched: `at` runs before (`<`) and after (`>`) each write. */
function watchWrites(at: (moment: string) => unknown): WaitServices {
  const { services } = appliance;
  const write: typeof services.store.write = async (operation, input, options) => {
    await at(`<${operation.name}`);
    const output = await services.store.write(operation, input, options);
    await at(`>${operation.name}`);
    return output;
  };
  const store = Object.create(services.store, { write: { value: write } });
  return Object.create(services, { store: { value: store } });
}

interface Asked {
  key?: string;
  scope?: Scope;
  since?: WaitRequest<string>['since'];
  timeoutS?: number;
  show?: (id: string) => string | null;
}

const makeScope = (box: Box): Scope => ({
  account_no: box.holder.account.no,
  inbox_no: box.no,
  recipient: null,
});

const nameOnce = (box: Box, key: string): NonNullable<ClaimKey> => ({
  scope: `${box.holder.account.id} test`,
  // A key has one meaning across all inboxes; only the test of that shares one.
  key: key.startsWith('shared') ? key : `${box.no} ${key}`,
  bodyHash: Buffer.from(`${box.no}`.padEnd(32)),
});

/** A claim whose client is still connected or, if aborted, is gone. */
function claim(box: Box, asked: Asked = {}, services: WaitServices = appliance.services) {
  const leaving = new AbortController();
  const request: WaitRequest<string> = {
    scope: asked.scope ?? makeScope(box),
    condition: {
      require: 'message',
      min_confidence: 0,
      from: null,
      subject_contains: null,
      authenticated: false,
    },
    since: asked.since ?? { unseen: true },
    timeoutS: asked.timeoutS ?? 20,
    mark_read: true,
    once: asked.key === undefined ? null : nameOnce(box, asked.key),
    show: asked.show ?? ((id) => id),
  };
  const end = waitForMessage(services, request, leaving.signal);
  end.catch(() => {});
  return { end, leave: () => leaving.abort() };
}

const isUnread = (id: string) => isStoredUnread(appliance, id);

const readMessage = async (end: Promise<WaitEnd<string>>) => (await end).message;

test('a claim is undone when both clients that wait for it leave while it is written', async () => {
  const box = await newBox(appliance, owner);
  for (const moment of ['<waits.claim', '>waits.claim', '<waits.release', '>waits.release']) {
    const leave: (() => void)[] = [];
    const watched = watchWrites((at) => at === moment && leave.forEach((go) => void go()));
    const one = claim(box, { key: moment }, watched);
    const two = claim(box, { key: moment });
    leave.push(one.leave);
    if (moment !== '<waits.claim') leave.push(two.leave);
    await parked(appliance, 2);
    const id = await arrive(appliance, box);
    if (moment.includes('release')) one.leave();
    await one.end;
    two.leave();
    await two.end;
    await until(() => isUnread(id) && appliance.services.waits.beingClaimed.size === 0);
    expect(await readMessage(claim(box, { key: `${moment} again` }).end)).toBe(id);
  }
});

test('a repeat that leaves while it receives the message wakes others once nobody has it', async () => {
  const box = await newBox(appliance, owner);
  const id = await arrive(appliance, box);
  // Its client left, but the message is not released before the repeat gets it too.
  const repeated = Promise.withResolvers<void>();
  const first = claim(
    box,
    { key: 'k' },
    watchWrites((at) => {
      if (at === '>waits.claim') first.leave();
      return at === '<waits.release' ? repeated.promise : null;
    }),
  );
  await until(() => !isUnread(id));
  const second = claim(
    box,
    { key: 'k' },
    watchWrites((at) => {
      if (at !== '>waits.repeat_claim') return;
      repeated.resolve();
      second.leave();
    }),
  );
  const other = claim(box, {});
  expect(await readMessage(first.end)).toBeNull();
  expect(await readMessage(second.end)).toBeNull();
  expect(await readMessage(other.end)).toBe(id);
});

test('a repeat that times out while the message is handed to it still gets it', async () => {
  const box = await newBox(appliance, owner);
  const id = await arrive(appliance, box);
  await claim(box, { key: 'k' }).end;
  const runOut = (at: string) => (at === '<waits.repeat_claim' ? clock.advance(2_000) : null);
  expect(await readMessage(claim(box, { key: 'k', timeoutS: 1 }, watchWrites(runOut)).end)).toBe(id);
});

test('a wait for another inbox with the same key does not hold on to the message of a client that left', async () => {
  const [box, elsewhere] = [await newBox(appliance, owner), await newBox(appliance, owner)];
  const other = claim(elsewhere, { key: 'shared' });
  const leaving = claim(
    box,
    { key: 'shared' },
    watchWrites((at) => at === '>waits.claim' && leaving.leave()),
  );
  await parked(appliance, 2);
  const id = await arrive(appliance, box);
  expect(await readMessage(leaving.end)).toBeNull();
  expect(await readMessage(claim(box).end)).toBe(id);
  other.leave();
  await other.end;
});

test('a message that a repeat skipped comes after its `since`, so the next wait gets it', async () => {
  const box = await newBox(appliance, owner);
  const since = { after: 0 };
  const reached = new Map<string, PromiseWithResolvers<void>>();
  const point = (name: string) => {
    const known = reached.get(name) ?? Promise.withResolvers<void>();
    reached.set(name, known);
    return known;
  };
  let first = '';
  const one = claim(
    box,
    { key: 'k', since },
    watchWrites(async (at) => {
      if (at === '<waits.claim') await point('two asks').promise;
      if (at === '>waits.claim') one.leave();
      if (at === '<waits.release') {
        point('one has it').resolve();
        await point('two was refused').promise;
      }
    }),
  );
  const two = claim(
    box,
    { key: 'k', since },
    watchWrites(async (at) => {
      if (at === '<waits.claim') {
        point('two asks').resolve();
        await point('one has it').promise;
      }
      if (at === '>waits.claim') point('two was refused').resolve();
    }),
  );
  await parked(appliance, 2);
  first = await arrive(appliance, box);
  const second = await arrive(appliance, box);
  const { message, since: next } = await two.end;
  expect([first, second]).toContain(message!);
  const after = Date.parse(next) * 1000 + Number(next.slice(-4, -1));
  const rest = message === first ? second : first;
  expect(await readMessage(claim(box, { since: { after } }).end)).toBe(rest);
});

test('a claim is undone when its key is revoked before the message is shown', async () => {
  const box = await newBox(appliance, owner);
  const id = await arrive(appliance, box);
  let shown = 0;
  const show = () => {
    if (shown++ > 0) throw new Error('the key was revoked');
    return id;
  };
  for (const key of ['k', undefined]) {
    shown = 0;
    const refused = claim(box, { ...(key ? { key } : {}), show });
    expect(await refused.end.catch(String)).toContain('revoked');
    expect(isUnread(id)).toBe(true);
  }
  expect(await readMessage(claim(box, { key: 'k' }).end)).toBe(id);
});

test('a claim without a key is a single write without a key', async () => {
  const box = await newBox(appliance, owner);
  const asked: string[] = [];
  const { store } = appliance.services;
  const watched = Object.create(store, {
    write: {
      value: (operation: Parameters<typeof store.write>[0], input: object) => {
        asked.push(`${operation.name} ${Object.keys(input)}`);
        return store.write(operation, input);
      },
    },
  });
  const services = Object.create(appliance.services, { store: { value: watched } });
  const waiting = claim(box, {}, services);
  await parked(appliance, 1);
  const id = await arrive(appliance, box);
  expect(await readMessage(waiting.end)).toBe(id);
  expect(asked).toEqual(['waits.claim id,received_at,once']);
});

type Step =
  | { ask: string; leavesAt: string | null }
  | { arrive: true }
  | { leave: number }
  | { passS: number }
  | { turn: true };

const moments = ['<waits.claim', '>waits.claim', '<waits.repeat_claim', '>waits.repeat_claim'];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ask: fc.constantFrom('', 'a', 'b', 'c'),
      leavesAt: fc.option(fc.constantFrom(...moments), { freq: 1 }),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ arrive: true as const }) },
  { weight: 2, arbitrary: fc.record({ leave: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ passS: fc.integer({ min: 1, max: 15 }) }) },
  { weight: 2, arbitrary: fc.constant({ turn: true as const }) },
);

test('each message goes to one claimer and none is lost, whichever clients leave and repeat', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
      const box = await newBox(appliance, owner);
      const asked: { key: string; end: Promise<WaitEnd<string>>; leave: () => void }[] = [];
      const arrivals: Promise<string>[] = [];
      const ask = (key: string, leavesAt: string | null) => {
        const watched = watchWrites((at) => at === leavesAt && one.leave());
        const one = claim(box, key === '' ? {} : { key }, watched);
        asked.push({ key, ...one });
      };
      for (const one of steps) {
        if ('ask' in one) ask(one.ask, one.leavesAt);
        else if ('arrive' in one) arrivals.push(arrive(appliance, box));
        else if ('leave' in one) asked[one.leave % Math.max(1, asked.length)]?.leave();
        else if ('passS' in one) await clock.advance(one.passS * 1000);
        else await Bun.sleep(1);
      }
      const ids = await Promise.all(arrivals);
      // Clients that still wait leave, so that messages that are unread at the end are free for the next claim.
      for (const { leave } of asked) leave();
      const claimers = new Map<string, Set<string>>();
      for (const [no, { key, end }] of asked.entries()) {
        const { message } = await end;
        if (message === null) continue;
        claimers.set(message, (claimers.get(message) ?? new Set()).add(key || `no key ${no}`));
      }
      await allGone(appliance);
      for (const id of ids) {
        // Either exactly one client got it, or it is unread.
        expect([id, claimers.get(id)?.size ?? 0, isUnread(id)]).toEqual([
          id,
          isUnread(id) ? 0 : 1,
          isUnread(id),
        ]);
      }
      const keysOf = [...claimers].flatMap(([id, keys]) => [...keys].map((key) => [key, id] as const));
      expect(new Set(keysOf.map(([key]) => key)).size).toBe(keysOf.length);
      for (const [key, id] of keysOf) {
        if (!key.startsWith('no key')) expect(await readMessage(claim(box, { key }).end)).toBe(id);
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
