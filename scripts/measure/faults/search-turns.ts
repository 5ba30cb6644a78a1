/** Measures one account's searches while an account with a large inbox runs 16 at once. */
import { sendMail } from '../../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from '../figures.ts';
import { mails } from '../mails.ts';
import { seedIndexed } from '../seed.ts';
import { type Postern, removeDataDir, runCommand, startPostern } from '../targets.ts';

interface SearchTurns {
  /** The calm account alone. */
  alone: Times;
  /** The calm account beside the busy one. */
  beside: Times;
  /** The busy account's searches meanwhile, and how long each took. */
  busy: Times;
}

interface Times {
  searches: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const PARALLEL = 16;
const WANTED_SEARCHES = 200;

/** Slow conditions in a large inbox: the index does not help, or finds many messages of which none matches. */
const slowQueries = [
  'q=e&from=nobody%40nowhere',
  'q=ur%20y&subject_contains=1',
  'subject_contains=q',
  'q=zq',
];

export async function benchSearchTurns(report: Report, smoke: boolean): Promise<void> {
  const { alone, beside, busy } = await measureSearchTurns(smoke);
  report.line('', 'p50', 'p99', 'max ms', 'searches');
  for (const [name, { p50Ms, p99Ms, maxMs, searches }] of Object.entries({ alone, beside, busy }))
    report.line(name, ...[p50Ms, p99Ms, maxMs].map(shown), String(searches));
  report.goal('a search beside 16 of another account, p99', beside.p99Ms, 'ms', { under: 50 });
}

/** Smoke: small, only to check that it works. */
async function measureSearchTurns(smoke: boolean): Promise<SearchTurns> {
  const messages = smoke ? 2_000 : Number(process.env.BENCH_MESSAGES ?? 100_000);
  const empty = await startPostern();
  await deliver(empty);
  await empty[Symbol.asyncDispose]();
  seedIndexed(empty.dataDir, messages);
  const { api_key = '' } = runCommand(empty.dataDir, 'account', 'create', '--email', 'calm@postern.test');
  const target = await startPostern(empty.dataDir, empty);
  try {
    const calm = await createCalmAccount(target, api_key);
    const rounds = smoke ? 20 : WANTED_SEARCHES;
    await timeSearches(rounds, calm);
    const alone = await timeSearches(rounds, calm);
    const busy = keepSearching(target);
    // Waits until all sixteen are running.
    await Bun.sleep(200);
    const beside = await timeSearches(rounds, calm);
    return { alone, beside, busy: await busy.stop() };
  } finally {
    await target[Symbol.asyncDispose]();
    removeDataDir(empty.dataDir);
  }
}

/** Returns a function that searches in an inbox of its own with a few mails. */
async function createCalmAccount(target: Postern, apiKey: string): Promise<() => Promise<void>> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const created = await fetch(`${target.http}/api/v1/inboxes`, { method: 'POST', headers });
  const { data } = (await created.json()) as { data: { id: string; address: string } };
  for (let count = 0; count < 20; count++) await deliver({ ...target, recipient: data.address });
  return () => get(`${target.http}/api/v1/inboxes/${data.id}/messages?q=code`, apiKey);
}

function deliver({ smtpPort, recipient }: Pick<Postern, 'smtpPort' | 'recipient'>): Promise<unknown> {
  return sendMail({ port: smtpPort, from: 'a@shop.example', to: [recipient], raw: mails.small() });
}

function keepSearching({ http, inboxId, apiKey }: Postern): { stop(): Promise<Times> } {
  const timesMs: number[] = [];
  let isStopped = false;
  const loops = Array.from({ length: PARALLEL }, async (_, index) => {
    for (let nth = index; !isStopped; nth++) {
      const began = performance.now();
      await get(
        `${http}/api/v1/inboxes/${inboxId}/messages?${slowQueries[nth % slowQueries.length]}`,
        apiKey,
      );
      timesMs.push(performance.now() - began);
    }
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(loops);
      return summarizeTimes(timesMs);
    },
  };
}

async function timeSearches(count: number, search: () => Promise<void>): Promise<Times> {
  const timesMs: number[] = [];
  for (let nth = 0; nth < count; nth++) {
    const began = performance.now();
    await search();
    timesMs.push(performance.now() - began);
  }
  return summarizeTimes(timesMs);
}

function summarizeTimes(timesMs: readonly number[]): Times {
  const at = (share: number) => quantile(timesMs, share);
  return { searches: timesMs.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

async function get(url: string, apiKey: string): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
