/** Measures messages per second, stored durably and parsed, beside the peers; what other clients notice; and memory. */
import { cpuPerMail, readCpu, sumCpu } from './cpu.ts';
import { median, type Report, ratio, shown } from './figures.ts';
import type { FloodOptions, FloodResult } from './flood.ts';
import type { MailKind } from './mails.ts';
import { findGoPeers, type StartPeer, startMailDev, startSmtpSink } from './peers.ts';
import { pollHealth } from './poller.ts';
import { flood, measureMemory } from './processes.ts';
import { benchStoredBytes } from './stored-bytes.ts';
import {
  isPostern,
  type Postern,
  removeDataDir,
  startCapture,
  startPostern,
  type Target,
} from './targets.ts';

interface Case {
  title: string;
  /** 50 by default. */
  sessions?: number;
  mail: MailKind;
  pipelining: boolean;
  reuse: boolean;
  /** Also measures Mailpit, Inbucket and a capture with a temporary store, in enough rounds to judge goals. */
  isJudged?: boolean;
  goals?: Goals;
}

/** Rates as multiples of a peer's in the same round; `cpuUs`: processor time of a mail. */
interface Goals {
  timesMaildev?: number;
  timesMailpit?: number;
  captureTimesMaildev?: number;
  cpuUs?: number;
}

const cases: Case[] = [
  {
    title: '5 KB plain',
    mail: 'plain5k',
    pipelining: false,
    reuse: true,
    isJudged: true,
    goals: { timesMaildev: 1, timesMailpit: 2.2, cpuUs: 360 },
  },
  {
    title: '8 KB multipart',
    mail: 'alternative8k',
    pipelining: false,
    reuse: true,
    isJudged: true,
    goals: { timesMaildev: 1, timesMailpit: 2.5, cpuUs: 560 },
  },
  {
    title: '5 KB plain',
    sessions: 1,
    mail: 'plain5k',
    pipelining: false,
    reuse: true,
    isJudged: true,
    goals: { timesMailpit: 1.4, captureTimesMaildev: 1 },
  },
  { title: '100 KB plain', mail: 'plain100k', pipelining: true, reuse: true },
  { title: '5 MB with an attachment', sessions: 4, mail: 'attached5m', pipelining: true, reuse: true },
  { title: '5 KB plain, PIPELINING', mail: 'plain5k', pipelining: true, reuse: true },
  { title: '8 KB multipart, PIPELINING', mail: 'alternative8k', pipelining: true, reuse: true },
  { title: '5 KB plain, one connection each', mail: 'plain5k', pipelining: true, reuse: false },
];

const CONNECTIONS = 50;
/** Bun's compilers are busy for the first thousands of mails; the bench measures the sustained rate. */
const WARM_UP_S = 5;

/** Rounds; BENCH_ROUNDS sets fewer for a first look, because five rounds of every server take 25 minutes. */
const ROUNDS_MAX = Number(process.env.BENCH_ROUNDS ?? 5);

export async function benchIngest(report: Report, smoke: boolean): Promise<void> {
  const goPeers = smoke ? [] : findGoPeers();
  for (const one of smoke ? cases.slice(0, 1) : cases) {
    const rounds = smoke ? 1 : Math.min(one.isJudged ? 5 : 2, ROUNDS_MAX);
    const peers = [startMailDev, ...(one.isJudged ? goPeers : []), startSmtpSink];
    const ours = [() => startPostern(), ...(one.isJudged && !smoke ? [startCapture] : [])];
    await benchCase(report, one, [...ours, ...peers], rounds, smoke ? 1 : 5);
  }
  await benchStoredBytes(report, smoke);
  await benchHealth(report, smoke ? 1 : 8);
}

interface Measured {
  runs: FloodResult[];
  /** Microseconds of processor time per mail, by part, one list per round. */
  cpu: [string, number][][];
  pssMb: number;
}

async function benchCase(
  report: Report,
  one: Case,
  starts: readonly StartPeer[],
  rounds: number,
  seconds: number,
): Promise<void> {
  const sessions = one.sessions ?? CONNECTIONS;
  const many = sessions === 1 ? 'one session' : `${sessions} sessions`;
  report.section(`Ingest: ${one.title}, ${many}${one.reuse ? ' kept open' : ''}`);
  const all = new Map<string, Measured>();
  for (let round = 0; round < rounds; round++) {
    // Each server takes a turn in each round, so that a noisy moment of the machine affects all of them.
    for (const start of starts) {
      await using target: Target = await start();
      const measured = all.get(target.name) ?? { runs: [], cpu: [], pssMb: 0 };
      all.set(target.name, measured);
      const running = flood(makeOptions(target, one, seconds));
      await Bun.sleep(WARM_UP_S * 1000);
      const before = readCpu(target.pid);
      const result = await running;
      // Measured a moment after the last mail, when connections are closing and nothing else happens.
      measured.cpu.push(cpuPerMail(before, readCpu(target.pid), result.perS * seconds));
      measured.runs.push(result);
      measured.pssMb = Math.max(measured.pssMb, measureMemory(target.pid).pssMb);
      if (isPostern(target)) await finishPostern(target, result);
    }
  }
  printCase(report, one, all);
}

/** The figures of the median round. */
function printCpu(report: Report, name: string, rounds: readonly [string, number][][]): void {
  const [total, parts] = middleCpu(rounds);
  const shares = parts.map(([part, us]) => `${part} ${shown(us)}`).join(', ');
  report.line(`${name}, processor time a mail`, `${shown(total)} µs: ${shares}`);
}

function middleCpu(rounds: readonly [string, number][][]): [number, [string, number][]] {
  const totals = rounds.map((parts): [number, [string, number][]] => [sumCpu(parts), parts]);
  return totals.sort(([one], [other]) => one - other)[Math.floor(totals.length / 2)]!;
}

/**
 * Checks that every message that was answered 250 is stored, with its text and its code. The speed of a server that loses
 * mail means nothing, and neither does the speed with mail that no parser can read.
 */
async function finishPostern(target: Postern, result: FloodResult): Promise<void> {
  const { data } = (await target.get('/account')) as { data: { usage: { messages_received: number } } };
  const stored = data.usage.messages_received;
  if (stored !== result.accepted)
    throw new Error(`${result.accepted} messages were accepted, ${stored} are stored`);
  const latest = (await target.get(`/inboxes/${target.inboxId}/messages/latest`)) as {
    data: { otp: string | null; text: string };
  };
  if (latest.data.otp !== '482913' || !latest.data.text.startsWith('Your code is 482913'))
    throw new Error(`the newest message has the code ${latest.data.otp} and the text ${latest.data.text}`);
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}

function makeOptions(target: Target, one: Case, seconds: number): FloodOptions {
  return {
    port: target.smtpPort,
    recipient: target.recipient,
    mail: one.mail,
    connections: one.sessions ?? CONNECTIONS,
    reuse: one.reuse,
    pipelining: one.pipelining,
    messages: 1_000_000,
    seconds,
    warmUpS: Math.min(WARM_UP_S, seconds),
  };
}

function printCase(report: Report, one: Case, all: ReadonlyMap<string, Measured>): void {
  const maildev = all.get('MailDev')!.runs;
  report.line(
    '',
    'messages/s',
    'range',
    'first 2 s',
    'to MailDev',
    'p50 ms',
    'p99 ms',
    'body to 250',
    'PSS MB',
  );
  for (const [name, { runs, pssMb }] of all) {
    const middle = (pick: (run: FloodResult) => number) => shown(median(runs.map(pick)));
    report.line(
      name,
      middle(({ perS }) => perS),
      formatRange(runs.map(({ perS }) => perS)),
      middle(({ coldPerS }) => coldPerS),
      ratio(compare(runs, maildev)),
      middle(({ p50Ms }) => p50Ms),
      middle(({ p99Ms }) => p99Ms),
      middle(({ bodyP50Ms }) => bodyP50Ms),
      shown(pssMb),
    );
    const why = runs.find(({ refused }) => refused > 0);
    if (why) report.line(`  refused ${why.refused}: ${why.lastRefusal}`);
  }
  for (const [name, { cpu }] of all) printCpu(report, name, cpu);
  judgeCase(report, one, all);
}

/** Returns the median of the rounds' ratios. */
function compare(ours: readonly FloodResult[], theirs: readonly FloodResult[]): number {
  return median(ours.map(({ perS }, round) => perS / theirs[round]!.perS));
}

function judgeCase(report: Report, { goals = {}, reuse }: Case, all: ReadonlyMap<string, Measured>): void {
  const { runs, cpu } = all.get('postern')!;
  const goal = (name: string, us: readonly FloodResult[], peer: string, atLeast: number | undefined) => {
    const theirs = all.get(peer)?.runs;
    if (atLeast !== undefined && theirs) report.goal(name, compare(us, theirs), '×', { atLeast });
  };
  goal('times MailDev', runs, 'MailDev', goals.timesMaildev);
  goal('times Mailpit', runs, 'Mailpit', goals.timesMailpit);
  goal('a capture, times MailDev', all.get('capture')?.runs ?? runs, 'MailDev', goals.captureTimesMaildev);
  if (goals.cpuUs) report.goal('processor time a mail', middleCpu(cpu)[0], 'µs', { under: goals.cpuUs });
  if (!reuse) {
    const p50Ms = median(runs.map((run) => run.p50Ms));
    report.goal('p50 (no delay before the greeting)', p50Ms, 'ms', { under: 100 });
  }
}

/** The spread of the rounds shows how busy the machine was. */
function formatRange(values: number[]): string {
  return `${shown(Math.min(...values))}–${shown(Math.max(...values))}`;
}

async function benchHealth(report: Report, seconds: number): Promise<void> {
  report.section('While a flood of 5 KB mails runs over 50 sessions');
  await using target = await startPostern();
  const idle = measureMemory(target.pid);
  const poller = pollHealth(target.http, 5);
  const running = flood(makeOptions(target, cases[0]!, seconds));
  await Bun.sleep(1000 + seconds * 500);
  const atWork = measureMemory(target.pid);
  await running;
  const polled = await poller.stop();
  report.line('GET /healthz p50, max', `${shown(polled.p50Ms)} ms`, `${shown(polled.maxMs)} ms`);
  report.goal('GET /healthz p99', polled.p99Ms, 'ms', { under: 15 });
  report.line('RSS idle before, at work', `${shown(idle.rssMb)} MB`, `${shown(atWork.rssMb)} MB`);
  report.goal('PSS idle before', idle.pssMb, 'MB', { under: 80 });
  report.goal(`PSS at work (${atWork.processes} processes)`, atWork.pssMb, 'MB', { under: 180 });
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}
