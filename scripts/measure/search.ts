/** Measures reads in an inbox of a million messages, and what other clients notice of them. */
import { sendMail } from '../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from './figures.ts';
import { mails } from './mails.ts';
import { pollHealth } from './poller.ts';
import { measureMemory } from './processes.ts';
import { seedIndexed } from './seed.ts';
import { type Postern, removeDataDir, startPostern } from './targets.ts';

interface Page {
  data: { id: string }[];
  pagination: { next_cursor: string | null };
}

const PAGE_MS = 5;
const SEARCH_MS = 50;
const STALL_MS = 10;

/** Names and queries. The pattern is in every message, in a few, in none, or only in pieces. */
const searches: [string, string][] = [
  ['q, in all', 'q=code'],
  ['q, in a tenth', 'q=invoice'],
  ['q, in a few', 'q=number 77777'],
  ['q, in none', 'q=zzqqxx'],
  ['q, in none, its pieces in all', 'q=number code your'],
  ['q, two letters, in none', 'q=zq'],
  ['q, one letter, in all', 'q=e'],
  ['subject_contains, in a few', 'subject_contains=number 77777'],
  ['subject_contains, in none', 'subject_contains=zzqqxx'],
  ['subject_contains, in a sender only', 'subject_contains=shop.example'],
  ['from, in a few', 'from=s4321@'],
  ['from, in none', 'from=nobody@nowhere'],
  ['from, in a subject only', 'from=invoice'],
  ['from and q, in none together', 'from=s4321@&q=number 10'],
  ['from and unread, in none', 'from=nobody@nowhere&read=false'],
  ['search, a word in the text', 'search=marzipan'],
  ['search, two words', 'search=marzipan parcel'],
  ['search, from: and a word', 'search=from:s4321@ marzipan'],
  ['search, body: and a phrase', 'search=body:"marzipan cake"'],
  ['search, a phrase, in none, its pieces in all', 'search="parcel the order newsletter"'],
  ['search, has:attachment and a word', 'search=has:attachment marzipan'],
  ['search, filename:', 'search=filename:scan-77700'],
  ['search, a negative alone', 'search=-marzipan'],
  ['search, tag:', 'search=tag:ci'],
  ['search, tag: and a word, in none', 'search=tag:ci zzqqxx'],
  ['search, in none', 'search=zzqqxx'],
  ['search, two letters, in none', 'search=zq'],
  ['search, a word in all', 'search=code'],
  ['search, larger:, in none', 'search=larger:4m'],
];

export async function benchSearch(report: Report, smoke: boolean): Promise<void> {
  const messages = smoke ? 2_000 : Number(process.env.BENCH_MESSAGES ?? 1_000_000);
  report.section(`Reads in an inbox of ${messages.toLocaleString('en-US')} messages`);
  await using target = await startSeededPostern(report, messages);
  const times = smoke ? 20 : 300;
  const base = `/inboxes/${target.inboxId}/messages`;
  const calm = await measureStall(target, () => Bun.sleep(smoke ? 200 : 2000));
  report.line('GET /healthz by itself', `p99 ${shown(calm.p99Ms)} ms`, `max ${shown(calm.maxMs)} ms`);
  report.line('', 'p50 ms', 'p99 ms', 'stall of others');

  const first = (await target.get(`${base}?limit=25`)) as Page;
  const paths: [string, string][] = [
    ['first page (25)', `${base}?limit=25`],
    ['first page (100)', `${base}?limit=100`],
    ['deep page (25)', `${base}?limit=25&cursor=${await findDeepCursor(target, base, smoke ? 5 : 2000)}`],
    ['latest', `${base}/latest`],
    ['get', `/messages/${first.data[0]?.id}`],
    ['unread', `${base}?read=false`],
    ['read', `${base}?read=true`],
    ['with a code', `${base}?has_otp=true`],
  ];
  for (const [name, path] of paths) await measureReads(report, target, name, [path], times, PAGE_MS);
  for (const [name, query] of searches) {
    const path = `${base}?${query.replaceAll(' ', '%20')}`;
    await measureReads(report, target, name, [path], Math.ceil(times / 3), SEARCH_MS);
  }
  report.line('PSS afterwards', `${shown(measureMemory(target.pid).pssMb)} MB`);
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}

/** Receives one mail, then copies it. */
export async function startSeededPostern(report: Report, messages: number): Promise<Postern> {
  const empty = await startPostern();
  const raw = mails.small();
  await sendMail({ port: empty.smtpPort, from: 'a@shop.example', to: [empty.recipient], raw });
  await empty[Symbol.asyncDispose]();
  const began = performance.now();
  const price = seedIndexed(empty.dataDir, messages);
  report.line('seeded and indexed in', `${shown((performance.now() - began) / 1000)} s`);
  report.goal('index of texts, of a message', price.bytes, 'bytes', { under: 1_000 });
  report.line(
    'its processor time, of a message',
    `${shown(price.indexUs)} µs`,
    `merging ${shown(price.mergeUs)} µs`,
  );
  return startPostern(empty.dataDir, empty);
}

/** Returns the cursor after this many pages of 100 rows. */
export async function findDeepCursor(target: Postern, base: string, pages: number): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page++) {
    const path = `${base}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { pagination } = (await target.get(path)) as Page;
    if (!pagination.next_cursor) break;
    cursor = pagination.next_cursor;
  }
  return encodeURIComponent(cursor);
}

/** Reads these paths in turn, this many times, and reports how long that took and what other clients noticed. */
export async function measureReads(
  report: Report,
  target: Postern,
  name: string,
  paths: string[],
  times: number,
  goalMs: number,
): Promise<void> {
  const timesMs: number[] = [];
  const stall = await measureStall(target, async () => {
    for (let index = 0; index < times; index++) {
      const began = performance.now();
      await target.get(paths[index % paths.length]!);
      timesMs.push(performance.now() - began);
      // For a very slow search, a few runs are enough.
      if (timesMs.length >= 5 && began - timesMs[0]! > 0 && sum(timesMs) > 20_000) break;
    }
  });
  const p99Ms = quantile(timesMs, 0.99);
  report.line(name, shown(quantile(timesMs, 0.5)), shown(p99Ms), `${shown(stall.maxMs)} ms`);
  if (!(p99Ms < goalMs)) report.goal(`${name} p99`, p99Ms, 'ms', { under: goalMs });
  if (!(stall.p99Ms < STALL_MS)) report.goal(`${name}: stall p99`, stall.p99Ms, 'ms', { under: STALL_MS });
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

async function measureStall(target: Postern, work: () => Promise<void>) {
  const poller = pollHealth(target.http, 1);
  await work();
  return poller.stop();
}
