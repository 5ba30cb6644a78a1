/** The writer of a temporary store runs in the main thread, and otherwise works like any other. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/platform/core/clock.ts';
import { Failure, fail } from '../../../src/platform/core/failure.ts';
import { createLog } from '../../../src/platform/core/log.ts';
import { runInline } from '../../../src/platform/store/inline-thread.ts';
import { writeOp } from '../../../src/platform/store/operation.ts';
import { Store } from '../../../src/platform/store/store.ts';
import type { ThreadPort, ToThread } from '../../../src/platform/store/thread.ts';
import { serveWrites } from '../../../src/platform/store/write-loop.ts';

const addOp = writeOp('add', (tx, key: string) => {
  const sql = `INSERT INTO idempotency (scope, key, body_hash, output, created_at) VALUES ('s', ?, x'', '', 0)`;
  tx.sql(sql).run(key);
  tx.notify({ topic: 'added', no: 1 });
  if (key === 'refused') fail('conflict', { fields: { key: ['taken'] } });
  return key;
});

const log = createLog({ form: 'json', level: 'error', colour: false, write: () => {}, nowUs: () => 0 });

let dir: string;
let groups: number[];
let store: Store;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  groups = [];
  store = await Store.open({
    file: join(dir, 'postern.db'),
    dataDir: dir,
    clock: systemClock,
    log,
    copiesBeforeMigration: false,
    ownCheckpoints: true,
    isThrownAway: true,
    onGroup: (size) => groups.push(size),
    onBroken: (reason) => expect(reason).toBe(''),
    startWriter: () => runInline((port) => serveWrites([addOp], port)),
    startReader: () => expect.unreachable(),
  });
});
afterEach(async () => {
  if (store.database.open) await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const rows = () => (store.sql('SELECT count(*) AS n FROM idempotency').get() as { n: number }).n;

test('a write is readable once it is answered, and a refusal arrives as it was thrown', async () => {
  expect(await store.write(addOp, 'one')).toBe('one');
  expect(rows()).toBe(1);
  const refusal = await store.write(addOp, 'refused').catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(Failure);
  expect(refusal).toMatchObject({ code: 'conflict', fields: { key: ['taken'] } });
  expect(rows()).toBe(1);
});

test('writes of one turn of the event loop share a transaction, however they were awaited before', async () => {
  const write = async (key: string) => {
    await null;
    return store.write(addOp, key);
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(write));
  expect([groups, rows()]).toEqual([[4], 4]);
});

test('the event loop gets its turn between two groups', async () => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  for (let count = 0; count < 50; count++) await store.write(addOp, `${count}`);
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});

test('listeners receive what a write announces', async () => {
  const heard: string[] = [];
  store.notices.listen(({ topic }) => heard.push(topic));
  await store.write(addOp, 'one');
  expect(heard).toEqual(['added']);
});

test('no write is lost when the store is closed behind it', async () => {
  const writes = ['a', 'b', 'c'].map((key) => store.write(addOp, key));
  await store.close();
  expect(await Promise.all(writes)).toEqual(['a', 'b', 'c']);
  expect(readdirSync(dir)).not.toContain('postern.db-wal');
});

test('messages arrive in order, in a later microtask and not copied, and none after the end', async () => {
  const heard: ToThread[] = [];
  let thread: ThreadPort | undefined;
  const port = runInline((end) => {
    thread = end;
    end.onmessage = ({ data }) => heard.push(data);
  });
  const first: ToThread = { drop: 1 };
  port.postMessage(first);
  port.postMessage({ drop: 2 });
  expect(heard).toEqual([]);
  await null;
  expect(heard[0]).toBe(first);
  expect(heard).toEqual([{ drop: 1 }, { drop: 2 }]);
  port.postMessage({ drop: 3 });
  port.terminate();
  await null;
  expect(heard).toHaveLength(2);
  thread!.postMessage({ ready: true });
});
