import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '../../../src/platform/core/failure.ts';
import { CHECKPOINT_PAGES, openReader } from '../../../src/platform/store/database.ts';
import { Writer } from '../../../src/platform/store/group-commit.ts';
import {
  type KeptKind,
  mailOp,
  onFullDisk,
  repeatableOp,
  type TallyKind,
  type Tx,
  writeOp,
} from '../../../src/platform/store/operation.ts';
import { until } from '../../until.ts';

const add = (tx: { sql(text: string): { run(...values: unknown[]): unknown } }, key: string) =>
  tx
    .sql(`INSERT INTO idempotency (scope, key, body_hash, output, created_at) VALUES ('s', ?, x'', '', 0)`)
    .run(key);

/** Adds a row with the count in its key. */
const counted: TallyKind<{ count: number }> = {
  make: () => ({ count: 0 }),
  write: (tx, { count }) => void add(tx, `counted ${count}`),
};

const countRows = (tx: Tx) =>
  (tx.sql('SELECT count(*) AS rows FROM idempotency').get() as { rows: number }).rows;
const cacheRows = (tx: Tx) => tx.cached('rows', () => countRows(tx));

const keptRows: KeptKind<{ rows?: number }> = { make: () => ({}) };

const operations = [
  writeOp('tell_kept', (tx) => {
    const kept = tx.kept(keptRows);
    kept.rows ??= countRows(tx);
    return kept.rows;
  }),
  mailOp('tell_cached', (tx) => cacheRows(tx)),
  mailOp('add_and_keep', (tx, key: string) => {
    add(tx, key);
    return cacheRows(tx);
  }),
  mailOp('add_and_forget', (tx, key: string) => {
    add(tx, key);
    tx.clearCache();
    return cacheRows(tx);
  }),
  writeOp('add_between', (tx, key: string) => {
    const before = cacheRows(tx);
    add(tx, key);
    return [before, cacheRows(tx)];
  }),
  writeOp('count', (tx, isFine: boolean) => {
    tx.tallies.of(counted).count += 1;
    if (!isFine) fail('conflict');
  }),
  writeOp('tell_sync', (tx) => tx.sql('PRAGMA synchronous').get()),
  repeatableOp('tell_repeatable', (tx) => tx.sql('PRAGMA synchronous').get()),
  repeatableOp('tell_checkpoints', (tx) => tx.sql('PRAGMA wal_autocheckpoint').get()),
  repeatableOp('add_repeatable', (tx, key: string) => add(tx, key)),
  writeOp('add', (tx, key: string) => {
    add(tx, key);
    return key;
  }),
  writeOp('add_and_refuse', (tx, key: string) => {
    add(tx, key);
    fail('conflict', { fields: { key: ['taken'] } });
  }),
  writeOp('add_and_break', (tx, key: string) => {
    add(tx, key);
    throw new TypeError('a fault');
  }),
  writeOp('add_and_fill_disk', (tx, key: string) => {
    add(tx, key);
    throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
  }),
  onFullDisk(
    writeOp('add_with_room', (tx, key: string) => {
      add(tx, key);
      if (existsSync(join(dir, 'reserve'))) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
      return key;
    }),
  ),
  writeOp('add_and_fail', (tx, key: string) => {
    add(tx, key);
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
  }),
  writeOp('tell_time', (tx) => tx.nowUs),
];

let dir: string;
let writer: Writer;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'postern-group-'));
  writer = new Writer(join(dir, 'postern.db'), operations);
});
afterEach(() => {
  writer.close();
  rmSync(dir, { recursive: true, force: true });
});

const call = (id: number, name: string, input: unknown) => ({ id, name, input, nowUs: id * 10 });

function stored(): string[] {
  const reader = openReader(join(dir, 'postern.db'));
  const rows = reader.prepare('SELECT key FROM idempotency ORDER BY key').all() as { key: string }[];
  reader.close();
  return rows.map(({ key }) => key);
}

describe('what write operations cache', () => {
  const outputs = (...calls: [string, unknown?][]) =>
    writer
      .commitGroup(calls.map(([name, input], at) => call(at + 1, name, input)))
      .map((answer) => ('output' in answer ? answer.output : null));

  test('is kept across groups until an operation that does not keep it', () => {
    expect(outputs(['tell_cached'], ['add_and_keep', 'a'])).toEqual([0, 0]);
    expect(outputs(['tell_cached'], ['add', 'b'], ['tell_cached'])).toEqual([0, 'b', 2]);
    expect(outputs(['add', 'c'])).toEqual(['c']);
    expect(outputs(['tell_cached'])).toEqual([3]);
  });

  test('is not used by an operation that does not keep it, before and after its own writes', () => {
    expect(outputs(['tell_cached'], ['add_and_keep', 'a'], ['add_between', 'b'])).toEqual([0, 0, [1, 2]]);
  });

  test('is dropped by an operation that keeps it but reports a change', () => {
    expect(outputs(['tell_cached'], ['add_and_forget', 'a'], ['tell_cached'])).toEqual([0, 1, 1]);
  });

  test('is dropped when its operation is rolled back', () => {
    expect(outputs(['add', 'a'], ['tell_cached'], ['add_and_refuse', 'b'])).toEqual(['a', 1, null]);
    // The operation is rolled back alone, in its own savepoint.
    expect(outputs(['tell_cached'])).toEqual([1]);
    // The whole group is rolled back.
    expect(outputs(['add', 'c'], ['tell_cached'], ['add_and_fill_disk', 'd'])).toEqual([null, null, null]);
    expect(outputs(['tell_cached'])).toEqual([1]);
  });
});

describe('what a group counts', () => {
  test('is written once, with its commit', () => {
    writer.commitGroup([1, 2, 3].map((id) => call(id, 'count', true)));
    expect(stored()).toEqual(['counted 3']);
    writer.commitGroup([call(4, 'count', true)]);
    expect(stored()).toEqual(['counted 1', 'counted 3']);
  });

  test('leaves out the operations that failed', () => {
    writer.commitGroup([call(1, 'count', false), call(2, 'add', 'a')]);
    expect(stored()).toEqual(['a']);
    const answers = writer.commitGroup([
      call(1, 'count', true),
      call(2, 'count', false),
      call(3, 'add', 'b'),
    ]);
    expect(answers.map((answer) => 'output' in answer)).toEqual([true, false, true]);
    expect(stored()).toEqual(['a', 'b', 'counted 1']);
    expect(writer.commitGroup([call(1, 'add', 'c')])).toHaveLength(1);
    expect(stored()).toEqual(['a', 'b', 'c', 'counted 1']);
  });

  test('is nothing when the disk is full', () => {
    writer.commitGroup([call(1, 'count', true), call(2, 'add_and_fill_disk', 'x')]);
    writer.commitGroup([call(3, 'add', 'a')]);
    expect(stored()).toEqual(['a']);
  });
});

test('a kept value is dropped with a group that could not be stored', () => {
  const names = ['add', 'add_and_refuse', 'tell_kept', 'add_and_fill_disk'];
  const answers = writer.commitGroup(names.map((name, at) => call(at, name, name)));
  expect(answers.filter((answer) => 'output' in answer)).toEqual([]);
  expect(writer.commitGroup([call(1, 'tell_kept', null)])).toEqual([{ id: 1, output: 0 }]);
});

test('every commit is flushed to disk, except in a temporary folder', () => {
  const commit = (one: Writer) => one.commitGroup([call(1, 'tell_sync', null)])[0];
  expect(commit(writer)).toMatchObject({ output: { synchronous: 2 } });
  const options = { ownCheckpoints: true, isThrownAway: true };
  const other = new Writer(join(dir, 'thrown-away.db'), operations, options);
  expect(commit(other)).toMatchObject({ output: { synchronous: 0 } });
  other.close();
});

test('a repeatable commit is not flushed by itself, but does not keep others from being flushed', () => {
  const commit = (...names: string[]) => writer.commitGroup(names.map((name, at) => call(at, name, null)));
  const [full, normal] = [2, 1].map((synchronous) => ({ output: { synchronous } }));
  expect(commit('tell_repeatable')).toMatchObject([normal]);
  expect(commit('tell_sync')).toMatchObject([full]);
  expect(commit('tell_repeatable', 'tell_sync')).toMatchObject([full, full]);
  expect(commit('tell_repeatable')).toMatchObject([normal]);
});

describe('a group of writes', () => {
  test('is stored except for those that failed, which do not affect the others', () => {
    const answers = writer.commitGroup([
      call(1, 'add', 'a'),
      call(2, 'add_and_refuse', 'b'),
      call(3, 'add_and_break', 'c'),
      call(4, 'unknown', 'd'),
      call(5, 'add', 'a'),
      call(6, 'add', 'e'),
    ]);
    expect(answers).toEqual([
      { id: 1, output: 'a' },
      {
        id: 2,
        failure: {
          code: 'conflict',
          details: expect.objectContaining({ fields: { key: ['taken'] }, status: 409 }),
        },
      },
      { id: 3, fault: expect.stringContaining('a fault') },
      { id: 4, fault: 'no write operation is named unknown' },
      { id: 5, fault: expect.stringContaining('UNIQUE') },
      { id: 6, output: 'e' },
    ]);
    expect(stored()).toEqual(['a', 'e']);
  });

  test('is rolled back completely when the disk is full, and the next one is stored', () => {
    const answers = writer.commitGroup([
      call(1, 'add', 'a'),
      call(2, 'add_and_fill_disk', 'b'),
      call(3, 'add', 'c'),
    ]);
    const details = { text: expect.stringContaining('The disk is full') };
    const refused = { code: 'storage_unavailable', details };
    expect(answers).toEqual([1, 2, 3].map((id) => ({ id, failure: refused })) as never);
    expect(stored()).toEqual([]);
    expect(writer.commitGroup([call(4, 'add', 'd')])).toEqual([{ id: 4, output: 'd' }]);
    expect(stored()).toEqual(['d']);
  });

  test('that the disk refused is reported until a commit has written something', () => {
    expect(writer.trouble).toBeNull();
    writer.commitGroup([call(1, 'add_and_fail', 'a')]);
    expect(writer.trouble).toContain('disk I/O error (SQLITE_IOERR_FSYNC); the disk fails');
    // After the checkpoint the log is written from its start again, so its size says nothing.
    const log = () => Bun.hash(readFileSync(join(dir, 'postern.db-wal')));
    const before = log();
    // An operation that changes nothing would succeed on any disk.
    writer.commitGroup([call(2, 'tell_time', null)]);
    expect(log()).not.toBe(before);
    expect(writer.trouble).toBeNull();
    const after = log();
    writer.commitGroup([call(3, 'tell_time', null)]);
    expect(log()).toBe(after);
    expect(stored()).toEqual([]);
  });

  test('that frees space runs again on the reserve when the disk is full', () => {
    writeFileSync(join(dir, 'reserve'), 'kept');
    writer.close();
    const ownCheckpoints = true;
    writer = new Writer(join(dir, 'postern.db'), operations, { ownCheckpoints, reserveDir: dir });
    const answers = writer.commitGroup([call(1, 'add', 'a'), call(2, 'add_with_room', 'b')]);
    expect(answers).toEqual([
      { id: 2, output: 'b' },
      { id: 1, failure: expect.objectContaining({ code: 'storage_unavailable' }) },
    ] as never);
    expect(stored()).toEqual(['b']);
    expect(existsSync(join(dir, 'reserve'))).toBe(false);
  });

  test('runs each operation with the time of its own request', () => {
    expect(writer.commitGroup([call(1, 'tell_time', null), call(2, 'tell_time', null)])).toEqual([
      { id: 1, output: 10 },
      { id: 2, output: 20 },
    ]);
  });
});

describe('the write-ahead log', () => {
  let next = 0;
  const fill = (some: Writer, rounds: number) => {
    for (let round = 0; round < rounds; round++)
      some.commitGroup([call(1, 'add', `${next++} ${'x'.repeat(CHECKPOINT_PAGES * 512)}`)]);
  };
  /** What the file itself contains, without the log. */
  const isCheckpointed = () => statSync(join(dir, 'postern.db')).size > CHECKPOINT_PAGES * 2048;

  test('is checkpointed between groups once it is large enough', () => {
    fill(writer, 1);
    writer.checkpoint();
    expect(isCheckpointed()).toBe(false);
    fill(writer, 4);
    expect(isCheckpointed()).toBe(false);
    writer.checkpoint();
    expect(isCheckpointed()).toBe(true);
  });

  test('is checkpointed by a commit when there is never a pause', () => {
    fill(writer, 20);
    expect(isCheckpointed()).toBe(true);
  });

  test('is checkpointed by its own fsync when only jobs write', () => {
    for (let round = 0; round < 20; round++)
      writer.commitGroup([call(1, 'add_repeatable', `${next++} ${'x'.repeat(CHECKPOINT_PAGES * 512)}`)]);
    expect(isCheckpointed()).toBe(true);
    // A checkpoint that SQLite runs within a commit fails silently.
    const [answer] = writer.commitGroup([call(2, 'tell_checkpoints', null)]);
    expect(answer).toEqual({ id: 2, output: { wal_autocheckpoint: 0 } });
  });

  test('that was deleted is copied into the store as soon as no reader holds an old state', async () => {
    const reader = openReader(join(dir, 'postern.db'));
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM idempotency').get();
    writer.commitGroup([call(1, 'add', 'acknowledged')]);
    rmSync(join(dir, 'postern.db-wal'));
    // Moved files are looked for ten times a second.
    await until(() => 'failure' in writer.commitGroup([call(2, 'tell_time', null)])[0]!);
    reader.close();
    writer.commitGroup([call(3, 'tell_time', null)]);
    // What a start after a kill would find.
    copyFileSync(join(dir, 'postern.db'), join(dir, 'left.db'));
    const left = openReader(join(dir, 'left.db'));
    expect(left.prepare('SELECT key FROM idempotency').pluck().all()).toEqual(['acknowledged']);
    left.close();
  });

  test('is never checkpointed if another program does it, not even at a stop while that one is not running', () => {
    writer.close();
    const open = () => new Writer(join(dir, 'postern.db'), operations, { ownCheckpoints: false });
    writer = open();
    fill(writer, 20);
    writer.checkpoint();
    writer.close();
    expect(isCheckpointed()).toBe(false);
    writer = open();
    expect(stored()).toHaveLength(20);
  });
});
