/** Reads in the reader thread: they take turns, are bounded, and are dropped when nobody waits for them. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../../src/platform/core/failure.ts';
import { openWriter } from '../../../src/platform/store/database.ts';
import { type AnyReadOp, readOp, type Steps } from '../../../src/platform/store/operation.ts';
import { serveReads } from '../../../src/platform/store/read-thread.ts';
import { READ_WORK_MS_MAX } from '../../../src/platform/store/read-turns.ts';
import type { FromThread, ThreadCall, ThreadPort, ToThread } from '../../../src/platform/store/thread.ts';

/** Runs the thread's end on a port of the test. `answered` resolves with the ids in the order of their answers. */
function reader(operations: AnyReadOp[]) {
  const dir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  openWriter(join(dir, 'x.db')).close();
  const posted: FromThread[] = [];
  const port = {
    onmessage: (_: { data: ToThread }) => {},
    postMessage: (one: FromThread) => posted.push(one),
  };
  serveReads(operations, port as unknown as ThreadPort);
  const send = (data: ToThread) => port.onmessage({ data });
  send({ start: { file: join(dir, 'x.db'), addon: undefined } });
  const answers = () => posted.flatMap((one) => ('answers' in one ? one.answers : []));
  return {
    send,
    answers,
    ask: (...calls: Partial<ThreadCall>[]) =>
      send({ calls: calls.map((call) => ({ id: 0, name: 'work', nowUs: 0, input: null, ...call })) }),
    async until(count: number) {
      while (answers().length < count) await new Promise((resolve) => setImmediate(resolve));
      return answers().map(({ id }) => id);
    },
    [Symbol.dispose]() {
      send({ stop: true });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const work = readOp('work', function* (_, pieces: number): Steps<number> {
  for (let piece = 1; piece < pieces; piece++) yield;
  return pieces;
});

test('a short read of another account overtakes a long one and those behind it', async () => {
  using thread = reader([work]);
  const busy = Array.from({ length: 16 }, (_, id) => ({ id, owner: 'busy', input: 50 }));
  thread.ask(...busy, { id: 99, owner: 'calm', input: 3 });
  const order = await thread.until(17);
  expect(order[0]).toBe(99);
  expect(order.slice(1)).toEqual(busy.map(({ id }) => id));
});

test('a dropped read is never answered, and closes its statements', async () => {
  let closed = 0;
  const endless = readOp('work', function* (): Steps<void> {
    try {
      for (;;) yield;
    } finally {
      closed += 1;
    }
  });
  using thread = reader([endless, readOp('quick', () => 'done')]);
  thread.ask({ id: 1, owner: 'a' });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  thread.send({ drop: 1 });
  thread.ask({ id: 2, owner: 'b', name: 'quick' });
  expect(await thread.until(1)).toEqual([2]);
  expect(closed).toBe(1);
});

test('a read that exceeds its time is ended with its operation’s error', async () => {
  let spentMs = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() + spentMs;
  try {
    const slow = readOp(
      'work',
      function* (): Steps<void> {
        for (;;) {
          spentMs += READ_WORK_MS_MAX / 4;
          yield;
        }
      },
      () => new Failure('validation_error', { fields: { q: ['takes too long'] } }),
    );
    using thread = reader([slow]);
    thread.ask({ id: 1, owner: 'a' });
    await thread.until(1);
    expect(thread.answers()).toMatchObject([
      { id: 1, failure: { code: 'validation_error', details: { fields: { q: ['takes too long'] } } } },
    ]);
  } finally {
    performance.now = now;
  }
});

test('a read that throws or is unknown gets an error and affects no other', async () => {
  const broken = readOp('broken', () => {
    throw new Error('the disk');
  });
  using thread = reader([broken, work]);
  thread.ask(
    { id: 1, name: 'broken', owner: 'a' },
    { id: 2, name: 'unknown', owner: 'a' },
    { id: 3, input: 2, owner: 'a' },
  );
  await thread.until(3);
  expect(thread.answers().map((answer) => ('output' in answer ? answer.output : 'fault'))).toEqual([
    'fault',
    'fault',
    2,
  ]);
});

test('reads in progress when the store closes are answered storage_unavailable', async () => {
  const thread = reader([work]);
  thread.ask({ id: 1, owner: 'a', input: 1_000_000 }, { id: 2, owner: 'b', input: 1_000_000 });
  thread[Symbol.dispose]();
  expect(thread.answers()).toMatchObject([
    { id: 1, failure: { code: 'storage_unavailable' } },
    { id: 2, failure: { code: 'storage_unavailable' } },
  ]);
});
