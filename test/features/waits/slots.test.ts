/** Slots: which requests get one, what the others are answered, and that each is released however its request ends. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { makeCaptureSettings } from '../../../src/doors/operator/capture.ts';
import { deleteAccount } from '../../../src/features/accounts/delete.ts';
import { findAccountById } from '../../../src/features/accounts/sql.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { settingsFrom } from '../../../src/platform/core/settings.ts';
import type { Plan } from '../../../src/rules/plans.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import {
  allGone,
  arrive,
  type Box,
  type Door,
  doors,
  type Listening,
  newBox,
  parked,
  startWaiting,
  streamDoor,
  waitDoor,
} from './doors.ts';
import { RawClient } from './raw-client.ts';

const open: Listening[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.hangUp();
});

function ask(door: Door, where: RunningAppliance, box: Box, query = {}) {
  const asked = door.ask(where, box, { require: 'message', ...query });
  open.push(asked);
  return asked;
}

async function fill(where: RunningAppliance, box: Box, count: number, query = {}) {
  const before = where.services.waits.size;
  // Alternating: they share the slots.
  for (let n = 0; n < count; n++) ask(doors[n % 2]!, where, box, query);
  await parked(where, before + count);
}

async function agent(where: RunningAppliance): Promise<Holder> {
  const reply = await where.request('POST', '/api/v1/agents/register', { body: {} });
  const { api_key } = reply.json.data;
  const account = await where.request('GET', '/api/v1/account', { key: api_key });
  return { account: account.json.data, key: api_key };
}

async function refusal(door: Door, where: RunningAppliance, box: Box) {
  const { status, headers, error } = await ask(door, where, box).answered;
  expect(status).toBe(429);
  expect(headers.has('x-ratelimit-remaining')).toBe(true);
  return { code: error.code, retryAfter: Number(headers.get('retry-after')) };
}

describe('the slots of an account', () => {
  const caps = { free: 2, pro: 3, scale: 8, business: 16 };
  test.each(Object.entries(caps))('on plan %s number %d, even with limits off', async (plan, cap) => {
    await using where = await startAppliance({ settings: { limits: 'off', wait_slots: '100' } });
    const box = await newBox(where, await where.holder(plan as Plan));
    await fill(where, box, cap);
    for (const door of doors) {
      expect((await refusal(door, where, box)).code).toBe('too_many_wait_requests');
    }
    // Another account has its own cap.
    await fill(where, await newBox(where), 1);
  });

  test('refuse when all are in use, with the time when the first may end as Retry-After', async () => {
    const clock = new FakeClock();
    await using where = await startAppliance({ settings: { wait_slots: '100' }, clock });
    const box = await newBox(where, await where.holder('free'));
    ask(waitDoor, where, box, { timeout: 7.5 });
    await parked(where, 1);
    ask(streamDoor, where, box);
    await parked(where, 2);
    expect(await refusal(waitDoor, where, box)).toEqual({ code: 'too_many_wait_requests', retryAfter: 8 });
    await clock.advance(4_000);
    expect((await refusal(streamDoor, where, box)).retryAfter).toBe(4);
    await clock.advance(3_499);
    expect((await refusal(streamDoor, where, box)).retryAfter).toBe(1);
    await clock.advance(1);
    await parked(where, 1);
    ask(waitDoor, where, box);
    await parked(where, 2);
  });
});

test('in capture mode there are 4,096 slots for the account and in total, unless set otherwise', () => {
  const { settings, plans } = makeCaptureSettings(settingsFrom({ toml: {} }));
  expect([settings.wait_slots, settings.wait_slots_free]).toEqual([4096, 4096]);
  expect(Object.values(plans).map(({ concurrent_waits }) => concurrent_waits)).toEqual(Array(4).fill(4096));
  const set = makeCaptureSettings(
    settingsFrom({ toml: { wait_slots: '7', plan_business_concurrent_waits: '3' } }),
  );
  expect([set.settings.wait_slots, set.plans.business.concurrent_waits]).toEqual([7, 3]);
});

describe('the slots of the service', () => {
  test('are capped in total (16 here), and the next request gets wait_capacity until one ends', async () => {
    const clock = new FakeClock();
    await using where = await startAppliance({ clock });
    const boxes = [await newBox(where, await where.holder('scale')), await newBox(where)];
    await fill(where, boxes[0]!, 8, { timeout: 20 });
    await clock.advance(5_000);
    await fill(where, boxes[1]!, 8, { timeout: 25 });
    const other = await newBox(where);
    for (const door of doors) {
      expect(await refusal(door, where, other)).toEqual({ code: 'wait_capacity', retryAfter: 15 });
    }
    // An account at its own cap gets that error first.
    expect((await refusal(waitDoor, where, boxes[0]!)).code).toBe('too_many_wait_requests');
  });

  test('hold at most 6 of Free and agent accounts together', async () => {
    const clock = new FakeClock();
    await using where = await startAppliance({ settings: { limits: 'off' }, clock });
    const business = await newBox(where);
    // Ends first, but frees no slot of theirs.
    await fill(where, business, 1, { timeout: 5 });
    const free = [await where.holder('free'), await where.holder('free'), await agent(where)];
    for (const holder of free) await fill(where, await newBox(where, holder), 2, { timeout: 20 });
    const promoted = await agent(where);
    const { no } = findAccountById(where.services.store, promoted.account.id)!;
    await where.services.store.write(changeAccountOp, { account_no: no, changes: { plan: 'business' } });
    for (const holder of [await where.holder('free'), await agent(where), promoted]) {
      const box = await newBox(where, holder);
      for (const door of doors) {
        expect(await refusal(door, where, box)).toEqual({ code: 'wait_capacity', retryAfter: 20 });
      }
    }
    await fill(where, business, 9);
    expect((await refusal(waitDoor, where, await newBox(where))).code).toBe('wait_capacity');
    expect(where.services.waits.slots.size).toBe(16);
  });

  test('can be set, even to none, so that nothing can wait', async () => {
    await using where = await startAppliance({ settings: { wait_slots: '0' } });
    expect(await refusal(waitDoor, where, await newBox(where))).toEqual({
      code: 'wait_capacity',
      retryAfter: 1,
    });
  });

  test('are not used by a request refused before it takes one', async () => {
    await using where = await startAppliance({ settings: { wait_slots: '1' } });
    const box = await newBox(where);
    for (const door of doors) {
      expect((await ask(door, where, box, { since: 'x' }).answered).status).toBe(422);
      expect((await ask(door, where, { ...box, id: 'inbox_x' }).answered).status).toBe(404);
    }
    expect(where.services.waits.slots.size).toBe(0);
  });
});

describe.each(doors)('$name gives its slot back', (door) => {
  const ways: Record<string, (where: RunningAppliance, box: Box, clock: FakeClock) => Promise<unknown>> = {
    'when it times out or is recycled': (_, __, clock) => clock.advance(25_000),
    'when the inbox is deleted': (where, box) =>
      where.request('DELETE', `/api/v1/inboxes/${box.id}`, { key: box.holder.key }),
    'when the account is deleted': (where, box) => deleteAccount(where.services, box.holder.account.no),
    ...(door.name === 'wait'
      ? { 'with its message': (where: RunningAppliance, box: Box) => arrive(where, box) }
      : {}),
  };
  test.each(Object.entries(ways))('%s, and leaves no timer', async (_, end) => {
    const clock = new FakeClock();
    await using where = await startWaiting({}, clock);
    const box = await newBox(where);
    const timers = clock.timersSet;
    const asked = [ask(door, where, box), ask(door, where, box)];
    await parked(where, 2);
    expect(where.services.waits.slots.size).toBe(2);
    await end(where, box, clock);
    await allGone(where);
    await Promise.all(asked.map(({ answered }) => answered));
    expect(clock.timersSet).toBeLessThanOrEqual(timers);
  });

  const departures: Record<string, (socket: Socket) => unknown> = {
    'closes (FIN)': (socket) => socket.end(),
    'is destroyed': (socket) => socket.destroy(),
    'resets (RST)': (socket) => socket.resetAndDestroy(),
  };
  test.each(Object.entries(departures))('when the client %s', async (_, go) => {
    const clock = new FakeClock();
    await using where = await startWaiting({}, clock);
    const box = await newBox(where);
    const clients = await Promise.all(
      [1, 2, 3].map(() => RawClient.ask(where, door.name, box, { require: 'message' })),
    );
    await parked(where, 3);
    for (const { socket } of clients) go(socket);
    // Not by a time-out: the clock does not move.
    await allGone(where);
    for (const { socket } of clients) socket.destroy();
  });

  test('when its client goes while the request is still being read', async () => {
    await using where = await startWaiting();
    const box = await newBox(where);
    for (let times = 0; times < 30; times++) {
      const { socket } = await RawClient.ask(where, door.name, box, {});
      if (times % 3 === 0) await Bun.sleep(0);
      if (times % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    await Bun.sleep(20);
    await allGone(where);
  });

  test('when it fails', async () => {
    await using where = await startWaiting();
    const box = await newBox(where);
    const { store } = where.services;
    const sql = store.sql.bind(store);
    for (const broken of ['AS last_at', 'FROM message INDEXED BY message_unread']) {
      store.sql = (text) => {
        if (text.includes(broken)) throw new Error('disk I/O error');
        return sql(text);
      };
      const asked = ask(door, where, box, { since: 0 });
      await asked.first().catch(() => null);
      await asked.answered.catch(() => null);
      store.sql = sql;
      await allGone(where);
    }
    expect(where.logged.join()).toContain('disk I/O error');
    const again = ask(door, where, box, { since: 0 });
    await parked(where, 1);
    const id = await arrive(where, box);
    expect((await again.first()).id).toBe(id);
  });
});

test('a client that leaves makes room for another, again and again', async () => {
  await using where = await startAppliance({ settings: { limits: 'off' } });
  const box = await newBox(where, await where.holder('free'));
  for (let times = 0; times < 20; times++) {
    const asked = [ask(waitDoor, where, box), ask(streamDoor, where, box)];
    await parked(where, 2);
    for (const one of asked) one.hangUp();
    await until(() => where.services.waits.slots.size === 0);
  }
  expect(where.logged).toEqual([]);
});
