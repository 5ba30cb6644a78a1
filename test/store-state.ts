/**
 * Reads and changes a running server's store where no public interface can. Tests of behaviour call these functions and
 * have no SQL of their own (test/tidy.test.ts), so that renaming a column breaks only this file.
 */
import { join } from 'node:path';
import { openFile, openReader, openWriter, type Sqlite, Statements } from '../src/platform/store/database.ts';
import { Writer } from '../src/platform/store/group-commit.ts';
import { type Reading, type Tx, writeOp } from '../src/platform/store/operation.ts';
import { outbound } from '../src/rules/outbound.ts';
import type { RunningAppliance } from './start.ts';

type WithStore = Pick<RunningAppliance, 'services'>;
type WithFolder = Pick<RunningAppliance, 'dataDir'>;

export function countRows({ services }: WithStore, table: string): number {
  const { rows } = services.store.sql(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number };
  return rows;
}

/** Runs a statement on the store's file, as another program would. */
export function runOnFile({ dataDir }: WithFolder, statement: string): void {
  const database = openWriter(join(dataDir, 'postern.db'));
  try {
    database.exec(statement);
  } finally {
    database.close();
  }
}

/** Holds SQLite's write lock, as another program that writes does. Returns a function that releases it. */
export function lockWrites({ dataDir }: WithFolder): () => void {
  const database = openFile(join(dataDir, 'postern.db'));
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

/** Counts the segments of the search index. Deletions leave some behind until the index is merged. */
export const countSearchSegments = (where: WithStore) =>
  countRows(where, '(SELECT DISTINCT segid FROM message_search_idx)');

/** Returns all rows of a table as one text, for tests that something is not in it. */
export function dumpTable({ services }: WithStore, table: string): string {
  return JSON.stringify(services.store.sql(`SELECT * FROM ${table}`).all());
}

/** Returns SQLite's query plan for a statement: its steps, joined by `; `. */
export function explainPlan({ services }: WithStore, statement: string): string {
  const values = Array(statement.split('?').length - 1).fill(1);
  const steps = services.store.sql(`EXPLAIN QUERY PLAN ${statement}`).all(...values);
  return (steps as { detail: string }[]).map(({ detail }) => detail).join('; ');
}

/** Returns the store for reading, and a set that collects the text of each statement that runs. */
export function recordStatements({ services }: WithStore): { reading: Reading; statements: Set<string> } {
  const statements = new Set<string>();
  const sql = (text: string) => {
    statements.add(text);
    return services.store.sql(text);
  };
  return { reading: { sql }, statements };
}

/** Opens the store for reading, and counts how often `get` runs a statement that contains this text. */
export function openCounting({ dataDir }: WithFolder, text: string) {
  const database: Sqlite = openReader(join(dataDir, 'postern.db'));
  const statements = new Statements(database);
  let runs = 0;
  const sql = (asked: string) => {
    const statement = statements.sql(asked);
    if (!asked.includes(text)) return statement;
    return Object.assign(Object.create(statement), {
      get: (...values: unknown[]) => {
        runs += 1;
        return statement.get(...values);
      },
    });
  };
  return { database, sql, runs: () => runs, [Symbol.dispose]: () => void database.close() };
}

/** Returns the ids of an inbox's messages, oldest first. */
export function storedMessageIds({ services }: WithStore, inboxNo: number): string[] {
  const rows = services.store
    .sql('SELECT id FROM message WHERE inbox_no = ? ORDER BY received_at')
    .all(inboxNo);
  return (rows as { id: string }[]).map(({ id }) => id);
}

/** Returns what ingest announces for a message; undefined if it was deleted. */
export function storedArrival(
  { services }: WithStore,
  id: string,
): { received_at: number; from: string } | undefined {
  const row = services.store.sql('SELECT received_at, "from" FROM message WHERE id = ?').get(id);
  return row as { received_at: number; from: string } | undefined;
}

/** Returns whether a message exists and is unread. */
export function isStoredUnread({ services }: WithStore, id: string): boolean {
  return services.store.sql('SELECT 1 FROM message WHERE id = ? AND read_at IS NULL').get(id) !== undefined;
}

/** Runs a write operation that the server's own writer does not have, with a second writer. */
function writeBeside<In>(
  { dataDir }: WithFolder,
  run: (tx: Tx, input: In) => unknown,
  input: In,
  nowUs = 0,
): void {
  const operation = writeOp('test.beside', run);
  const writer = new Writer(join(dataDir, 'postern.db'), [operation]);
  const [answer] = writer.commitGroup([{ id: 1, name: operation.name, nowUs, input }]);
  writer.close();
  if (!answer || !('output' in answer)) throw new Error(`the write failed: ${JSON.stringify(answer)}`);
}

/** Adds a suppression, as if a recipient's server had refused an address permanently. */
export function suppressRecipient(where: WithStore & WithFolder, accountNo: number, email: string): void {
  const nowUs = where.services.clock.nowUs();
  const insert = (tx: Tx) =>
    tx
      .sql(
        `INSERT INTO suppression (account_no, email, reason, created_at, expires_at)
         VALUES (?, ?, '550 5.1.1', ?, ?)`,
      )
      .run(accountNo, email, nowUs, nowUs + outbound.suppressedS * 1_000_000).changes;
  writeBeside(where, insert, null, nowUs);
}

/** Makes the secrets of authenticator apps unreadable, as if they were sealed with another server.key. */
export function spoilTotpSecrets(where: WithFolder): void {
  writeBeside(where, (tx: Tx) => tx.sql('UPDATE totp SET secret = randomblob(60)').run().changes, null);
}

/** Makes jobs have run last at a time, so that a start finds them due. */
export function noteJobRuns(where: WithFolder, names: readonly string[], atUs: number): void {
  const note = (tx: Tx) => {
    for (const name of names)
      tx.sql('INSERT OR REPLACE INTO job_run (name, last_at) VALUES (?, ?)').run(name, atUs);
  };
  writeBeside(where, note, null);
}

/** Marks an outbound email as sent, as if it had been delivered. */
export function markSent(where: WithFolder, id: string): void {
  const finish = (tx: Tx) => {
    tx.sql(`UPDATE outbound_email SET status = 'sent', waiting = 0 WHERE id = ?`).run(id);
    tx.sql('DELETE FROM outbound_mime WHERE outbound_no = (SELECT no FROM outbound_email WHERE id = ?)').run(
      id,
    );
  };
  writeBeside(where, finish, null);
}

/** Sets the size of all outbound emails. */
export function setEmailSizes(where: WithFolder, bytes: number): void {
  writeBeside(where, (tx: Tx) => tx.sql('UPDATE outbound_email SET size = ?').run(bytes), null);
}

/** Makes SQLite refuse every new row of a table from now on. */
export function refuseRowsOf(where: WithFolder, table: string): void {
  const trigger = `CREATE TRIGGER broken BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'broken on purpose'); END`;
  writeBeside(where, (tx: Tx) => tx.sql(trigger).run(), null);
}

/** Queues deliveries to a webhook, each due one millisecond after the one before it, beginning at `nowUs`. */
export function queueDeliveries(where: WithFolder, webhookNo: number, count: number, nowUs: number): void {
  const fill = (tx: Tx) => {
    tx.sql(
      `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?)
       INSERT INTO event (no, id, account_no, inbox_no, kind, subject_id, created_at)
       SELECT value, 'evt_' || value, account_no, inbox_no, 'email.received', 'msg_' || value, value
       FROM n, webhook w
       WHERE w.no = ?`,
    ).run(count, webhookNo);
    return tx
      .sql(
        `INSERT INTO delivery (event_no, webhook_no, status, tries, due_at, created_at, attempts)
         SELECT no, ?, 'pending', 0, ? + no * 1000, 1, '[]'
         FROM event`,
      )
      .run(webhookNo, nowUs);
  };
  writeBeside(where, fill, null, nowUs);
}

/** Queues an email `count` times more, each due one millisecond later than the one before. */
export function repeatEmail(where: WithFolder, id: string, count: number): void {
  const columns =
    'account_no, kind, status, from_domain, from_address, "to", cc, bcc, subject, message_id, attempts, created_at, expires_at';
  const repeat = (tx: Tx) => {
    tx.sql(
      `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?)
       INSERT INTO outbound_email (id, ${columns}) SELECT id || value, ${columns} FROM n, outbound_email e WHERE e.id = ?`,
    ).run(count, id);
    tx.sql(
      `INSERT INTO outbound_recipient (outbound_no, email, domain, status, attempts, next_attempt_at)
       SELECT e.no, r.email, r.domain, r.status, r.attempts, r.next_attempt_at + 1000 * (e.no - r.outbound_no)
       FROM outbound_email e, outbound_recipient r
       WHERE r.outbound_no = (SELECT no FROM outbound_email WHERE id = ?) AND e.no > r.outbound_no`,
    ).run(id);
  };
  writeBeside(where, repeat, null);
}

/** Returns when each waiting email is due and when it expires, in the order of their queuing. */
export function readQueueTimes({ services }: WithStore): { dueAt: number; expiresAt: number }[] {
  const rows = services.store.sql(
    `SELECT r.next_attempt_at AS dueAt, e.expires_at AS expiresAt
     FROM outbound_recipient r JOIN outbound_email e ON e.no = r.outbound_no WHERE e.waiting = 1 ORDER BY r.no`,
  );
  return rows.all() as { dueAt: number; expiresAt: number }[];
}

/** Repeats the only errand `count` times, due an hour later and one millisecond apart. */
export function repeatErrand(where: WithFolder, count: number): void {
  const columns = 'account_no, received_at, rule_id, rule_name, kind, target, status, tries, created_at, at';
  const repeat = `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?)
    INSERT INTO errand (${columns}, due_at) SELECT ${columns}, due_at + 3600000000 + 1000 * value FROM errand, n`;
  writeBeside(where, (tx: Tx) => tx.sql(repeat).run(count), null);
}

/** Turns an inbox on or off for mail. */
export function enableInbox(where: WithFolder, id: string, isEnabled: boolean): void {
  writeBeside(
    where,
    (tx: Tx) => tx.sql('UPDATE inbox SET is_enabled = ? WHERE id = ?').run(Number(isEnabled), id),
    null,
  );
}

/** Loses a message's bytes, as a broken disk does. */
export function loseMail(where: WithFolder, messageId: string): void {
  damage(where, 'DELETE FROM raw WHERE no = (SELECT raw_no FROM message WHERE id = ?)', messageId);
}

/** Loses one piece of a large mail, as a broken disk does. */
export function losePiece(where: WithFolder, messageId: string, part: number): void {
  const chosen = `part = ${part} AND raw_no = (SELECT raw_no FROM message WHERE id = ?)`;
  damage(where, `DELETE FROM raw_chunk WHERE ${chosen}`, messageId);
}

/** Makes a message's parsed content unreadable, as a broken disk does. */
export function spoilContent(where: WithFolder, messageId: string): void {
  damage(
    where,
    "UPDATE raw SET content = x'00' WHERE no = (SELECT raw_no FROM message WHERE id = ?)",
    messageId,
  );
}

/** Stores content that is a small frame and becomes very large, as a parser process that a mail took over could. */
export function inflateContent({ dataDir }: WithFolder, messageId: string, bytes: number): void {
  const frame = Bun.zstdCompressSync(Buffer.from(JSON.stringify({ text: '' }).padEnd(bytes)), { level: 1 });
  const store = openFile(join(dataDir, 'postern.db'));
  try {
    store
      .prepare(
        `UPDATE raw SET content = ?, content_size = 0, bytes = content
         WHERE no = (SELECT raw_no FROM message WHERE id = ?)`,
      )
      .run(frame, messageId);
  } finally {
    store.close();
  }
}

/** Makes a mail's row state another size than its frame has, as a broken disk does. */
export function misstateSize(where: WithFolder, messageId: string): void {
  const chosen = 'no = (SELECT raw_no FROM message WHERE id = ?)';
  damage(where, `UPDATE raw SET content_size = content_size + 1 WHERE ${chosen}`, messageId);
}

/** Counts the mails that share a frame with their content. */
export const countOneFrameMails = (where: WithStore) => countRows(where, 'raw WHERE content_size > 0');

/** Stores every mail as versions before schema 16 did: in two frames, and with nothing repacked yet. */
export function splitFrames({ dataDir }: WithFolder): void {
  const store = openFile(join(dataDir, 'postern.db'));
  const split = store.prepare('UPDATE raw SET content = ?, bytes = ?, content_size = 0 WHERE no = ?');
  try {
    store.transaction(() => {
      const rows = store.prepare('SELECT no, content, content_size FROM raw WHERE content_size > 0').all();
      for (const { no, content, content_size } of rows as OneFrame[]) {
        const both = Bun.zstdDecompressSync(new Uint8Array(content));
        const [json, mail] = [both.subarray(0, content_size), both.subarray(content_size)];
        split.run(Bun.zstdCompressSync(json), Bun.zstdCompressSync(mail), no);
      }
      store.exec('UPDATE repacking SET done_no = 0, last_no = (SELECT coalesce(max(no), 0) FROM raw)');
    })();
  } finally {
    store.close();
  }
}

/** Stores all mail as versions before schema 18 did, which had no threads. */
export function forgetThreads({ dataDir }: WithFolder): void {
  const store = openFile(join(dataDir, 'postern.db'));
  const update = store.prepare('UPDATE raw SET content = ?, content_size = ? WHERE no = ?');
  try {
    store.transaction(() => {
      store.exec('DELETE FROM thread; DELETE FROM thread_ref; DELETE FROM thread_sent');
      store.exec('UPDATE message SET thread_no = NULL, ref = NULL');
      const rows = store.prepare('SELECT no, content, content_size FROM raw').all();
      for (const { no, content, content_size } of rows as OneFrame[]) {
        const both = Buffer.from(Bun.zstdDecompressSync(new Uint8Array(content)));
        const end = content_size || both.length;
        const { in_reply_to, reply_text, ...old } = JSON.parse(both.subarray(0, end).toString());
        const json = Buffer.from(JSON.stringify(old));
        const packed = Bun.zstdCompressSync(Buffer.concat([json, both.subarray(end)]));
        update.run(packed, content_size && json.length, no);
      }
      store.exec(`UPDATE threading SET done_at = 0, last_at = (SELECT coalesce(max(received_at), 0) FROM message),
        done_no = 0, last_no = (SELECT coalesce(max(no), 0) FROM outbound_email)`);
    })();
  } finally {
    store.close();
  }
}

interface OneFrame {
  no: number;
  content: Buffer;
  content_size: number;
}

function damage({ dataDir }: WithFolder, statement: string, messageId: string): void {
  const store = openFile(join(dataDir, 'postern.db'));
  try {
    store.pragma('foreign_keys = OFF');
    if (store.prepare(statement).run(messageId).changes !== 1) throw new Error(`no mail of ${messageId}`);
  } finally {
    store.close();
  }
}

/** Returns a view of the store whose first read finds nothing, as if the row had been written right after it. */
export function hideFromFirstRead(store: Reading): Reading {
  let statements = 0;
  return {
    sql(text) {
      const statement = store.sql(text);
      const nothing = { get: () => undefined } as unknown as typeof statement;
      return statements++ === 0 ? nothing : statement;
    },
  };
}
