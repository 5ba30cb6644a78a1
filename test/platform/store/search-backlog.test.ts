import { expect, test } from 'bun:test';
import Database from 'better-sqlite3';
import { isBacklogShort } from '../../../src/features/messages/search-backlog.ts';
import { Statements } from '../../../src/platform/store/database.ts';

test('20,000 unindexed messages are too many, and each is counted once, 5,000 at a time', () => {
  const database = new Database(':memory:');
  database.exec('CREATE TABLE message (received_at INTEGER PRIMARY KEY) STRICT');
  const store = new Statements(database);
  const insert = database.prepare('INSERT INTO message (received_at) VALUES (?)');
  const add = database.transaction((after: number, count: number) => {
    for (let at = after + 1; at <= after + count; at++) insert.run(at);
  });
  const looks = (times: number, indexedTo = 0) =>
    Array.from({ length: times }, () => isBacklogShort(store, indexedTo));

  add(0, 19_999);
  expect(looks(6)).toEqual(Array(6).fill(true));
  database.exec('DELETE FROM message WHERE received_at <= 10000');
  add(19_999, 1);
  expect(looks(2)).toEqual([false, false]);
  // The index has caught up, and the next messages are counted anew.
  expect(looks(2, 20_000)).toEqual([true, true]);
  add(20_000, 20_000);
  expect(looks(4, 20_000)).toEqual([true, true, true, false]);
});
