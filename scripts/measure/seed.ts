/** Fills a store with copies of its newest message, in its own schema. No server may have it open. */
import { join } from 'node:path';
import { writes } from '../../src/app/writes.ts';
import type { ParsedContent } from '../../src/platform/mail/parsed.ts';
import {
  findWholeMail,
  type MailColumns,
  packMail,
  readContent,
  readStoredPiece,
} from '../../src/platform/mail/stored-mail.ts';
import { openFile, openWriter, type Sqlite } from '../../src/platform/store/database.ts';
import { Writer } from '../../src/platform/store/group-commit.ts';

const ROWS_AT_ONCE = 20_000;
const INDEX_AT_ONCE = 200;

/** What differs between copies, which `n.i` counts: ten words in subjects, five thousand senders. */
const WORDS = '["login","order","invoice","ticket","parcel","report","alarm","refund","meeting","backup"]';
const changed: Record<string, string> = {
  attachment_count: 'n.i % 100 = 0',
  tags: `CASE WHEN n.i % 5000 = 0 THEN '["ci"]' END`,
  received_at: 'message.received_at + n.i',
  id: "'msg_' || lower(hex(randomblob(16)))",
  raw_no: 'message.raw_no + n.i',
  subject: `'Your ' || json_extract('${WORDS}', '$[' || (n.i % 10) || ']') || ' code, number ' || n.i`,
  from: `'Sender ' || (n.i * 31 % 5000) || ' <s' || (n.i * 31 % 5000) || '@shop.example>'`,
};

/** Adds this many copies, and indexes them for searches. */
export function seedIndexed(dataDir: string, messages: number): IndexPrice {
  const file = join(dataDir, 'postern.db');
  const database = openWriter(file);
  copyNewest(database, messages);
  database.close();
  return indexAll(file, messages);
}

/** Adds this many copies that no search finds: indexing a million of them takes a quarter of an hour. */
export function seedUnindexed(dataDir: string, messages: number): void {
  const database = openWriter(join(dataDir, 'postern.db'));
  const newest = copyNewest(database, messages);
  database.exec(`UPDATE search_state SET indexed_to = ${newest}, text_indexed_to = ${newest}`);
  database.close();
}

/** Copies the newest message this many times, and returns the time of the last copy. */
function copyNewest(database: Sqlite, messages: number): number {
  // Not synced, because a crash would lose only the data of a bench.
  database.pragma('synchronous = OFF');
  const base = readBase(database);
  database.function('vary_content', (at) => packVaried(base, Number(at)).content);
  database.function('vary_content_size', (at) => packVaried(base, Number(at)).content_size);
  const { received_at, raw_no } = database
    .prepare('SELECT received_at, raw_no FROM message ORDER BY received_at DESC LIMIT 1')
    .get() as { received_at: number; raw_no: number };
  const numbers =
    'WITH RECURSIVE n (i) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
  for (let done = 0; done < messages; done += ROWS_AT_ONCE) {
    const span = [done + 1, Math.min(messages, done + ROWS_AT_ONCE)];
    database.transaction(() => {
      database
        .prepare(
          formatCopy(
            database,
            'raw',
            {
              no: 'raw.no + n.i',
              content: 'vary_content(n.i)',
              content_size: 'vary_content_size(n.i)',
            },
            numbers,
            `no = ${raw_no}`,
          ),
        )
        .run(...span);
      const one = `received_at = ${received_at}`;
      database.prepare(formatCopy(database, 'message', changed, numbers, one)).run(...span);
    })();
  }
  database.exec(`INSERT INTO message_tag (account_no, tag, received_at)
    SELECT account_no, 'ci', received_at FROM message WHERE tags IS NOT NULL`);
  database.exec(`UPDATE arrival SET last_at = ${received_at + messages}`);
  return received_at + messages;
}

/** The cost of the index of texts for each message. */
export interface IndexPrice {
  bytes: number;
  /** Processor time in microseconds: for the index of texts, and for merging both indexes. */
  indexUs: number;
  mergeUs: number;
}

interface Base {
  content: ParsedContent;
  mail: Uint8Array;
}

function readBase(database: Sqlite): Base {
  const row = database
    .prepare('SELECT content, content_size, size, bytes FROM raw ORDER BY no DESC LIMIT 1')
    .get() as MailColumns;
  const whole = findWholeMail(row);
  if (!whole || whole.content_size === 0) throw new Error('only a small mail can be copied');
  return { content: readContent(row), mail: readStoredPiece(whole) };
}

const TEXT_WORDS = (
  'the your order has been shipped and will arrive on monday please check details of payment below if you have any ' +
  'question reply to this message our team is happy help account security notice new device signed from unknown place ' +
  'confirm address before we can deliver parcel thank for choosing us newsletter unsubscribe weekly report attached'
).split(' ');

/** Returns a text of about 1,000 characters that differs from mail to mail. Every thousandth has the word `marzipan`. */
function packVaried({ content, mail }: Base, at: number): ReturnType<typeof packMail> {
  let seed = at * 2_654_435_761;
  const words = Array.from({ length: 150 }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return TEXT_WORDS[(seed >>> 8) % TEXT_WORDS.length]!;
  });
  const rare = at % 1_000 === 0 ? ' marzipan cake' : '';
  const text = `Reference ${(seed ^ at).toString(36)}${rare}. ${words.join(' ')}`;
  const names = at % 100 === 0 ? [{ ...ATTACHMENT, filename: `scan-${at}.pdf` }] : [];
  const json = Buffer.from(JSON.stringify({ ...content, text, attachments: names }));
  return packMail({ content: json, isJson: true }, mail);
}

const ATTACHMENT = { index: 0, content_type: 'application/pdf', size: 9, content_id: null, inline: false };

function formatCopy(
  database: Sqlite,
  table: string,
  instead: Record<string, string>,
  numbers: string,
  where: string,
): string {
  const columns = (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const values = columns.map((name) => instead[name] ?? `${table}."${name}"`);
  const names = columns.map((name) => `"${name}"`);
  return `INSERT INTO ${table} (${names}) ${numbers} SELECT ${values} FROM ${table}, n WHERE ${table}.${where}`;
}

/** Indexes with the product's own operations, as its job does. */
function indexAll(file: string, messages: number): IndexPrice {
  const timesUs = { index: 0, merge: 0 };
  const timed = (part: keyof typeof timesUs, run: () => number): number => {
    const began = process.cpuUsage();
    const done = run();
    const { user, system } = process.cpuUsage(began);
    timesUs[part] += user + system;
    return done;
  };
  const writer = new Writer(file, writes);
  const done = (name: string, input: unknown): number => {
    const [answer] = writer.commitGroup([{ id: 1, name, nowUs: 0, input }]);
    if (!answer || !('output' in answer)) throw new Error(`${name} failed: ${JSON.stringify(answer)}`);
    return answer.output as number;
  };
  const merge = () => timed('merge', () => done('messages.merge_search', null));
  while (done('messages.index_search', { rows: INDEX_AT_ONCE }) > 0) done('messages.merge_search', null);
  while (timed('index', () => done('messages.index_text', { rows: INDEX_AT_ONCE })) > 0) {
    for (let times = 0; times < 4 && merge() > 0; times++);
  }
  while (merge() > 0);
  writer.close();
  const bytes = measureTextIndex(file);
  return { bytes: bytes / messages, indexUs: timesUs.index / messages, mergeUs: timesUs.merge / messages };
}

/** Returns the bytes of all pages of the index of texts, including the numbers of its rows. */
function measureTextIndex(file: string): number {
  const database = openFile(file);
  const { bytes } = database
    .prepare(
      `SELECT sum(pgsize) AS bytes FROM dbstat
       WHERE name LIKE 'message_search_text%' OR name LIKE '%search_row%' OR name LIKE '%search_text_term%'`,
    )
    .get() as { bytes: number };
  database.close();
  return bytes;
}
