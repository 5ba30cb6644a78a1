/** Measures conversations among a million messages: the list, a page of a thread, and what other clients notice. */
import { join } from 'node:path';
import { openWriter } from '../../src/platform/store/database.ts';
import { sendMail } from '../../test/peers/smtp-client.ts';
import type { Report } from './figures.ts';
import { mails } from './mails.ts';
import { findDeepCursor, measureReads } from './search.ts';
import { seedUnindexed } from './seed.ts';
import { type Postern, removeDataDir, startPostern } from './targets.ts';

const PAGE_MS = 10;

/** Of ten messages, one is in a single large thread, four are in threads of five, and five are alone. */
const LARGE = 'i % 10 = 0';
const SMALL = 'i % 10 BETWEEN 1 AND 4';

interface List {
  data: { id: string; message_count: number }[];
}

export async function benchThreads(report: Report, smoke: boolean): Promise<void> {
  const messages = smoke ? 2_000 : Number(process.env.BENCH_MESSAGES ?? 1_000_000);
  report.section(`Conversations among ${messages.toLocaleString('en-US')} messages`);
  await using target = await startSeeded(messages);
  const times = smoke ? 20 : 1_000;
  report.line('', 'p50 ms', 'p99 ms', 'stall of others');
  const { data } = (await target.get('/threads?limit=100')) as List;
  const large = data.find(({ message_count }) => message_count > 5)?.id;
  const small = data.filter(({ message_count }) => message_count === 5).map(({ id }) => `/threads/${id}`);
  const alone = data.filter(({ message_count }) => message_count === 1).map(({ id }) => `/threads/${id}`);
  const findCursor = (base: string) => findDeepCursor(target, base, smoke ? 1 : 200);
  const paths: [string, string[]][] = [
    ['list of threads (25)', ['/threads?limit=25']],
    ['list of threads (100)', ['/threads?limit=100']],
    ['list of threads, deep (25)', [`/threads?limit=25&cursor=${await findCursor('/threads')}`]],
    ['a message alone', alone],
    ['a thread of 5', small],
    [`a thread of ${messages / 10} (25)`, [`/threads/${large}?limit=25`]],
    [`a thread of ${messages / 10} (100)`, [`/threads/${large}?limit=100`]],
    [
      `a thread of ${messages / 10}, deep (25)`,
      [`/threads/${large}?limit=25&cursor=${await findCursor(`/threads/${large}`)}`],
    ],
  ];
  for (const [name, some] of paths) await measureReads(report, target, name, some, times, PAGE_MS);
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}

/** Receives one mail, then copies it into conversations. No search finds the copies. */
async function startSeeded(messages: number): Promise<Postern> {
  const empty = await startPostern();
  const raw = mails.small();
  await sendMail({ port: empty.smtpPort, from: 'a@shop.example', to: [empty.recipient], raw });
  await empty[Symbol.asyncDispose]();
  seedUnindexed(empty.dataDir, messages);
  makeThreads(empty.dataDir);
  return startPostern(empty.dataDir, empty);
}

/** SQL for a copy's thread, whose number is the time of its first message. `i` counts the copies from 1. */
function makeThreads(dataDir: string): void {
  const database = openWriter(join(dataDir, 'postern.db'));
  const { base } = database.prepare('SELECT min(received_at) AS base FROM message').get() as { base: number };
  const counted = `WITH counted AS (SELECT received_at, received_at - ${base} AS i FROM message)`;
  const formatCondition = (some: string) =>
    `received_at IN (${counted} SELECT received_at FROM counted WHERE i > 0 AND ${some})`;
  database.exec(`UPDATE message SET thread_no = ${base + 10} WHERE ${formatCondition(LARGE)}`);
  database.exec(
    `UPDATE message SET thread_no = ${base} + (received_at - ${base}) / 50 * 50 + (received_at - ${base}) % 10
     WHERE ${formatCondition(SMALL)}`,
  );
  database.exec(
    `INSERT INTO thread (no, id, account_no, last_at, messages, mentions)
     SELECT thread_no, 'thr_' || lower(hex(randomblob(16))), account_no, max(received_at), count(*), 0
     FROM message WHERE thread_no IS NOT NULL GROUP BY thread_no`,
  );
  database.close();
}
