/** Draws the charts in docs/performance.md: the rate by sessions, and a mail's cost by the number of stored messages. */
import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cpuPerMail, readCpu, sumCpu } from './cpu.ts';
import { median, type Report, ratio, shown } from './figures.ts';
import type { FloodResult } from './flood.ts';
import { findGoPeers, type StartPeer, startMailDev } from './peers.ts';
import { drawChart } from './plot.ts';
import { flood } from './processes.ts';
import { seedUnindexed } from './seed.ts';
import { makeDataDir, removeDataDir, startCapture, startPostern, type Target } from './targets.ts';

const pictures = resolve(import.meta.dir, '../../docs/pictures');

const SESSIONS = [1, 2, 5, 10, 20, 50, 100];
const STORED = [0, 10_000, 100_000, 1_000_000];
const NAMES: Record<string, string> = { postern: 'Postern', capture: 'Postern, capture' };
const RATE_ROUNDS = 2;
const COST_ROUNDS = 3;
const COST_SESSIONS = 50;
/** Bun's compilers are busy for the first thousands of mails. */
const WARM_UP_S = 3;
const COUNTED_S = 3;
const COST_GOAL = 1.15;

export async function benchPlots(report: Report, smoke: boolean): Promise<void> {
  await plotRate(report, smoke);
  await plotCost(report, smoke);
}

async function plotRate(report: Report, smoke: boolean): Promise<void> {
  report.section('Messages of 5 KB a second, by the number of sessions');
  const goPeers = smoke ? [] : findGoPeers(['mailpit']);
  const starts: StartPeer[] = [startPosternOnce, startCapture, ...(smoke ? [] : [startMailDev]), ...goPeers];
  const all = new Map<string, number[][]>();
  const sessions = smoke ? [1, 10] : SESSIONS;
  for (let round = 0; round < (smoke ? 1 : RATE_ROUNDS); round++) {
    for (const [at, connections] of sessions.entries()) {
      for (const start of starts) {
        await using target = await start();
        const { perS } = await send(target, connections, smoke);
        const rates = all.get(target.name) ?? sessions.map(() => []);
        all.set(target.name, rates);
        rates[at]!.push(perS);
      }
    }
  }
  // The best round of each, because other work of the machine is not the server's fault.
  const best = (rates: number[]) => Math.max(...rates);
  const series = [...all].map(([name, rates]) => ({ name: NAMES[name] ?? name, values: rates.map(best) }));
  report.line('sessions', ...sessions.map(String));
  for (const { name, values } of series) report.line(name, ...values.map(shown));
  if (smoke) return;
  draw('ingest-rate.svg', {
    title: 'Mails of 5 KB per second',
    xTitle: 'SMTP sessions at a time',
    yTitle: 'mails per second',
    xLabels: sessions.map(String),
    series,
  });
}

async function plotCost(report: Report, smoke: boolean): Promise<void> {
  report.section('Processor time of a 5 KB mail, by the number of stored messages');
  const stored = smoke ? [0, 200] : STORED;
  const costs = stored.map((): number[] => []);
  const stores: Filled[] = [];
  for (const messages of stored) stores.push(await fill(messages));
  try {
    for (let round = 0; round < (smoke ? 1 : COST_ROUNDS); round++)
      for (const [at, store] of stores.entries()) costs[at]!.push(await measureCost(store, smoke));
  } finally {
    for (const { dataDir } of stores) removeDataDir(dataDir);
  }
  const medians = costs.map(median);
  const labels = stored.map((messages) => messages.toLocaleString('en-US'));
  for (const [at, us] of medians.entries()) report.line(`${labels[at]} stored`, `${shown(us)} µs`);
  const [, few = 0] = medians;
  report.goal(`a mail at ${labels.at(-1)}, times one at ${labels[1]}`, medians.at(-1)! / few, '×', {
    under: COST_GOAL,
  });
  if (smoke) return;
  draw('ingest-stored.svg', {
    title: `Processor time of a mail of 5 KB, ${COST_SESSIONS} sessions`,
    xTitle: 'messages stored before',
    yTitle: 'µs of processor time a mail',
    xLabels: labels,
    series: [{ name: 'Postern', values: medians }],
    goal: { value: few * COST_GOAL, text: `goal: at most ${ratio(COST_GOAL)} the cost at ${labels[1]}` },
  });
}

interface Filled {
  messages: number;
  dataDir: string;
  apiKey: string;
  inboxId: string;
}

/** Creates a store with this many messages, all in one inbox. */
async function fill(messages: number): Promise<Filled> {
  const target = await startPostern();
  const { dataDir, apiKey, inboxId } = target;
  // This mail is the one that is copied.
  await send(target, 1, true, 1);
  await target[Symbol.asyncDispose]();
  if (messages > 0) seedUnindexed(dataDir, messages);
  return { messages, dataDir, apiKey, inboxId };
}

/** Starts each round with a copy of the store, so that the original stays unchanged. */
async function measureCost({ messages, dataDir, ...known }: Filled, smoke: boolean): Promise<number> {
  const isCopied = messages < STORED.at(-1)!;
  const dir = isCopied ? makeDataDir() : dataDir;
  if (isCopied) cpSync(dataDir, dir, { recursive: true });
  try {
    await using target = await startPostern(dir, known);
    const running = send(target, COST_SESSIONS, smoke);
    await Bun.sleep(1000 * (smoke ? 0.5 : WARM_UP_S));
    const before = readCpu(target.pid);
    const { counted } = await running;
    return sumCpu(cpuPerMail(before, readCpu(target.pid), counted));
  } finally {
    if (isCopied) removeDataDir(dir);
  }
}

async function startPosternOnce(): Promise<Target> {
  const target = await startPostern();
  const dispose = async () => {
    await target[Symbol.asyncDispose]();
    removeDataDir(target.dataDir);
  };
  return { ...target, [Symbol.asyncDispose]: dispose };
}

function send(
  target: Target,
  connections: number,
  smoke: boolean,
  messages = 1_000_000,
): Promise<FloodResult> {
  return flood({
    port: target.smtpPort,
    recipient: target.recipient,
    mail: 'plain5k',
    connections,
    reuse: true,
    pipelining: false,
    messages,
    seconds: smoke ? 0.5 : COUNTED_S,
    warmUpS: smoke ? 0.5 : WARM_UP_S,
  });
}

function draw(name: string, chart: Parameters<typeof drawChart>[0]): void {
  writeFileSync(join(pictures, name), drawChart(chart));
  console.log(`  docs/pictures/${name}: drawn`);
}
