/** How a wait or a stream ends without a message, and what it reports then; codes claimed with mark_read. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { revokeKeyOp } from '../../../src/features/accounts/keys/writes.ts';
import { listKeys } from '../../../src/features/accounts/sql.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { findTimes, isUnread } from '../../../src/features/waits/sql.ts';
import { claimMessageOp } from '../../../src/features/waits/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import type { Delivery, RunningAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import {
  allGone,
  arrive,
  type Box,
  doors,
  newBox,
  parked,
  type Query,
  startWaiting,
  streamDoor,
  waitDoor,
} from './doors.ts';

let appliance: RunningAppliance;
let clock: FakeClock;
beforeAll(async () => {
  clock = new FakeClock();
  appliance = await startWaiting({}, clock);
});
afterEach(() => allGone(appliance));
afterAll(() => appliance[Symbol.asyncDispose]());

describe('a wait that times out', () => {
  const none: Delivery = { otp: null, otp_confidence: 0 };
  const low: Delivery = { otp: '1234', otp_confidence: 0.2 };
  const stranger = { ...none, from: 'eve@example.net' };
  const cases: [string, Query, Delivery[], string, string][] = [
    ['nothing came', {}, [], '0', 'no_message'],
    ['there was no code', {}, [none, none], '2', 'no_code'],
    ['it was not sure enough', { min_confidence: 0.5 }, [none, low], '2', 'low_confidence'],
    ['there was no link', { require: 'link' }, [low], '1', 'no_link'],
    ['neither', { require: 'any', min_confidence: 0.5 }, [low], '1', 'low_confidence'],
    ['another sender', { from: 'ann' }, [{ ...low, from: 'eve@x' }], '1', 'other_sender'],
    ['another subject', { subject_contains: 'reset' }, [low], '1', 'other_subject'],
    // The closest one: the message with the fewest mismatches.
    [
      'of several, the nearest',
      { from: 'ann', min_confidence: 0.5 },
      [stranger, low, stranger],
      '3',
      'low_confidence',
    ],
    ['of equals, the last', { from: 'ann' }, [none, { ...low, from: 'eve@x' }], '2', 'other_sender'],
  ];
  test.each(cases)('says why: %s', async (_, query, mails, arrived, reason) => {
    const box = await newBox(appliance);
    const asked = waitDoor.ask(appliance, box, query);
    await parked(appliance, 1);
    for (const mail of mails) await arrive(appliance, box, mail);
    await clock.advance(19_999);
    await parked(appliance, 1);
    await clock.advance(1);
    const { status, headers } = await asked.answered;
    expect([status, headers.get('x-wait-arrived'), headers.get('x-wait-reason')]).toEqual([
      204,
      arrived,
      reason,
    ]);
    expect(headers.get('x-request-id')).toStartWith('req_');
    expect(headers.has('x-ratelimit-limit')).toBe(true);
    expect(await asked.first()).toBeNull();
  });

  test('reports messages that another client claimed', async () => {
    const box = await newBox(appliance);
    const asked = waitDoor.ask(appliance, box, { mark_read: true, since: 1 });
    const other = waitDoor.ask(appliance, box, { mark_read: true, since: 1 });
    await parked(appliance, 2);
    await arrive(appliance, box);
    await parked(appliance, 1);
    await clock.advance(20_000);
    const answers = await Promise.all([asked.answered, other.answered]);
    const quiet = answers.find(({ status }) => status === 204);
    expect(quiet?.headers.get('x-wait-reason')).toBe('taken');
  });

  test.each([
    [undefined, 20],
    [0, 1],
    [-5, 1],
    ['1.5', 1.5],
    ['25', 25],
    [26, 25],
    ['1e3', 25],
    ['9'.repeat(400), 25],
  ])('timeout=%s is %d seconds', async (timeout, seconds) => {
    const box = await newBox(appliance);
    const asked = waitDoor.ask(appliance, box, timeout === undefined ? {} : { timeout });
    await parked(appliance, 1);
    await clock.advance(seconds * 1000 - 1);
    await parked(appliance, 1);
    await clock.advance(1);
    expect((await asked.answered).status).toBe(204);
  });

  test('is not affected by setting the clock', async () => {
    const box = await newBox(appliance);
    const asked = waitDoor.ask(appliance, box);
    await parked(appliance, 1);
    clock.set(clock.nowUs() + 86_400e6);
    await clock.advance(19_000);
    await parked(appliance, 1);
    clock.set(clock.nowUs() - 86_400e6);
    await clock.advance(1_000);
    expect((await asked.answered).status).toBe(204);
  });
});

test('when its inbox is deleted a wait is answered 404 and a stream says bye, and others keep waiting', async () => {
  const [box, other] = [await newBox(appliance), await newBox(appliance)];
  const asked = doors.map((door) => door.ask(appliance, box));
  const untouched = doors.map((door) => door.ask(appliance, other));
  await parked(appliance, 4);
  await appliance.request('DELETE', `/api/v1/inboxes/${box.id}`, { key: box.holder.key });
  for (const one of asked) expect(await one.ended()).toBe('deleted');
  await parked(appliance, 2);
  const id = await arrive(appliance, other);
  for (const one of untouched) expect((await one.first()).id).toBe(id);
  for (const one of untouched) one.hangUp();
});

test('at shutdown a wait is answered 204 and a stream says bye and where to continue, at once', async () => {
  const where = await startWaiting();
  const box = await newBox(where);
  const last = await arrive(where, box);
  const waiting = waitDoor.ask(where, box);
  const { SseClient } = await import('./sse-client.ts');
  const url = `${where.url}/api/v1/inboxes/${box.id}/stream?since=0`;
  const stream = await SseClient.open(url, { authorization: `Bearer ${box.holder.key}` });
  await parked(where, 2);
  const events = (async () => {
    const all: string[] = [];
    for (let event = await stream.next(); event; event = await stream.next()) {
      all.push(event.event === 'bye' ? (event.data ?? '') : (event.event ?? 'other'));
    }
    return all;
  })();
  const began = performance.now();
  await where[Symbol.asyncDispose]();
  // A stream that nobody ends takes 25 s.
  expect(performance.now() - began).toBeLessThan(10_000);
  const { status, headers } = await waiting.answered;
  expect([status, headers.get('x-wait-arrived')]).toEqual([204, '0']);
  expect((await events).slice(-2)).toEqual(['message', JSON.stringify({ reason: 'shutdown', since: last })]);
});

describe('mark_read', () => {
  async function fifty(box: Box, query: Query, deliver: () => Promise<unknown>) {
    const asked = Array.from({ length: 50 }, () =>
      waitDoor.ask(appliance, box, { mark_read: true, ...query }),
    );
    await deliver();
    const messages = await Promise.all(asked.map((one) => one.first()));
    expect(new Set(messages.map(({ otp }) => otp)).size).toBe(50);
    for (const message of messages) expect(message).toMatchObject({ read: true });
    const left = await appliance.request('GET', `/api/v1/inboxes/${box.id}/messages?read=false`, {
      key: box.holder.key,
    });
    expect(left.json.data).toEqual([]);
  }
  const codes = (box: Box) =>
    Promise.all(Array.from({ length: 50 }, (_, n) => arrive(appliance, box, { otp: String(100_000 + n) })));

  test('gives 50 simultaneous waits 50 different codes of 50 messages', async () => {
    const box = await newBox(appliance);
    await fifty(box, {}, async () => {
      await parked(appliance, 50);
      await codes(box);
    });
  });

  test('works with since=0, whether the message is stored already or arrives during the wait', async () => {
    const [stored, racing] = [await newBox(appliance), await newBox(appliance)];
    await codes(stored);
    await fifty(stored, { since: 0 }, async () => {});
    await fifty(racing, { since: 0 }, () => codes(racing));
  });

  test.each(['time-out', 'deletion of another inbox', 'shutdown'])(
    'loses no code to a %s during its claim',
    async (end) => {
      const where = await startWaiting({}, clock);
      const [box, other] = [await newBox(where), await newBox(where)];
      const held = holdWrites(where);
      const asked = waitDoor.ask(where, box, { mark_read: true });
      await parked(where, 1);
      const id = await arrive(where, box);
      await until(() => held.count === 1);
      if (end === 'time-out') await clock.advance(20_000);
      else if (end === 'shutdown') where.services.waits.stop();
      else where.services.departures.announce({ inbox_no: other.no });
      held.release();
      expect(await asked.first()).toMatchObject({ id, read: true });
      await where[Symbol.asyncDispose]();
    },
  );

  test('passes a code claimed for a client that went away to the next', async () => {
    const box = await newBox(appliance);
    const held = holdWrites(appliance);
    const first = waitDoor.ask(appliance, box, { mark_read: true });
    await parked(appliance, 1);
    const second = waitDoor.ask(appliance, box, { mark_read: true });
    await parked(appliance, 2);
    const id = await arrive(appliance, box);
    await until(() => held.count === 1);
    first.hangUp();
    await parked(appliance, 1);
    held.release();
    expect(await second.first()).toMatchObject({ id, read: true });
  });

  test('leaves the code to the next client when a claim fails', async () => {
    const box = await newBox(appliance);
    const held = holdWrites(appliance);
    const asked = [
      waitDoor.ask(appliance, box, { mark_read: true }),
      waitDoor.ask(appliance, box, { mark_read: true }),
    ];
    await parked(appliance, 2);
    const id = await arrive(appliance, box);
    await until(() => held.count === 1);
    held.fail(new Error('the disk is full'));
    const answers = await Promise.all(asked.map(({ answered }) => answered));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 500]);
    const messages = await Promise.all(asked.map((one) => one.first()));
    expect(messages.find(Boolean)).toMatchObject({ id });
  });

  test('skips messages that are read, and takes those marked unread', async () => {
    const box = await newBox(appliance);
    const mark = (id: string, read: boolean) =>
      appliance.request('PATCH', `/api/v1/messages/${id}`, { key: box.holder.key, body: { read } });
    const [first, second] = [await arrive(appliance, box), await arrive(appliance, box)];
    await mark(second, true);
    expect(await waitDoor.ask(appliance, box, { mark_read: true, since: 0 }).first()).toMatchObject({
      id: first,
    });
    await mark(second, false);
    expect(await waitDoor.ask(appliance, box, { mark_read: true, since: 0 }).first()).toMatchObject({
      id: second,
    });
  });

  test('claims nothing on HEAD, which returns no message', async () => {
    const box = await newBox(appliance);
    const id = await arrive(appliance, box);
    const path = `/api/v1/inboxes/${box.id}/messages/wait?since=0&mark_read=true`;
    const head = await appliance.request('HEAD', path, { key: box.holder.key });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(await waitDoor.ask(appliance, box, { mark_read: true, since: 0 }).first()).toMatchObject({ id });
  });

  test('leaves the code visible to a plain wait beside it', async () => {
    const box = await newBox(appliance);
    const claiming = waitDoor.ask(appliance, box, { mark_read: true });
    const watching = [waitDoor.ask(appliance, box), streamDoor.ask(appliance, box)];
    await parked(appliance, 3);
    const id = await arrive(appliance, box);
    for (const one of [claiming, ...watching]) expect((await one.first()).id).toBe(id);
    for (const one of watching) one.hangUp();
  });
});

/** Holds back claims until the test decides how they end. */
function holdWrites({ services: { store } }: RunningAppliance) {
  const write = store.write.bind(store);
  const gate = Promise.withResolvers<void>();
  const held = {
    count: 0,
    release() {
      store.write = write;
      gate.resolve();
    },
    fail(fault: Error) {
      store.write = write;
      gate.reject(fault);
    },
  };
  store.write = async (operation, input) => {
    if (operation.name !== claimMessageOp.name) return write(operation, input);
    held.count++;
    await gate.promise;
    return write(operation, input);
  };
  return held;
}

function expectUnread({ holder }: Box, id: string): void {
  const { store } = appliance.services;
  expect(isUnread(store, findTimes(store, holder.account.no, id)!.received_at)).toBe(true);
}

test.each(['suspended', 'inactive'] as const)(
  'an account that is %s while it waits is forbidden',
  async (status) => {
    const box = await newBox(appliance);
    const asked = waitDoor.ask(appliance, box, { mark_read: true });
    await parked(appliance, 1);
    const accountNo = box.holder.account.no;
    await appliance.services.store.write(changeAccountOp, { account_no: accountNo, changes: { status } });
    const id = await arrive(appliance, box);
    const { status: answered, error } = await asked.answered;
    expect([answered, error.code]).toEqual([403, 'account_forbidden']);
    expectUnread(box, id);
  },
);

describe('a key that is revoked while it waits', () => {
  test('gets nothing that came after', async () => {
    for (const door of doors) {
      const box = await newBox(appliance);
      const asked = door.ask(appliance, box, { require: 'message' });
      await parked(appliance, 1);
      const [key] = listKeys(appliance.services.store, box.holder.account.no);
      await appliance.services.store.write(revokeKeyOp, { id: key?.id ?? '' });
      await arrive(appliance, box);
      // A stream is cut without bye: there is nowhere to continue from.
      expect(await asked.first().catch(() => null)).toBeNull();
      await allGone(appliance);
    }
  });

  test('claims nothing, so another key can have the code', async () => {
    const box = await newBox(appliance);
    const asked = waitDoor.ask(appliance, box, { mark_read: true });
    await parked(appliance, 1);
    const [key] = listKeys(appliance.services.store, box.holder.account.no);
    await appliance.services.store.write(revokeKeyOp, { id: key?.id ?? '' });
    const id = await arrive(appliance, box);
    expect((await asked.answered).status).toBe(401);
    expectUnread(box, id);
  });
});
