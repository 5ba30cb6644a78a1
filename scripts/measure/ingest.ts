/** Messages per second, stored durably and parsed, compared with the peers; what other clients notice; memory. */
import { cpuPerMail, readCpu } from './cpu.ts';
import { median, type Report, ratio, shown } from './figures.ts';
import type { FloodOptions, FloodResult } from './flood.ts';
import type { MailKind } from './mails.ts';
import { pollHealth } from './poller.ts';
import { flood, measureMemory } from './processes.ts';
import {
  type Postern,
  removeDataDir,
  startMailDev,
  startPostern,
  startSmtpSink,
  type Target,
} from './targets.ts';

interface Case {
  title: string;
  /** 50 unless given. */
  sessions?: number;
  mail: MailKind;
  pipelining: boolean;
  reuse: boolean;
  /** Goals: messages per second, and times MailDev. */
  goal?: { perS: number; timesMaildev: number };
}

const cases: Case[] = [
  {
    title: '5 KB plain',
    mail: 'plain5k',
    pipelining: false,
    reuse: true,
    goal: { perS: 2500, timesMaildev: 1.2 },
  },
  {
    title: '8 KB multipart',
    mail: 'alternative8k',
    pipelining: false,
    reuse: true,
    goal: { perS: 1800, timesMaildev: 1 },
  },
  { title: '5 KB plain', sessions: 1, mail: 'plain5k', pipelining: false, reuse: true },
  { title: '100 KB plain', mail: 'plain100k', pipelining: true, reuse: true },
  { title: '5 MB with an attachment', sessions: 4, mail: 'attached5m', pipelining: true, reuse: true },
  { title: '5 KB plain, PIPELINING', mail: 'plain5k', pipelining: true, reuse: true },
  { title: '8 KB multipart, PIPELINING', mail: 'alternative8k', pipelining: true, reuse: true },
  { title: '5 KB plain, one connection each', mail: 'plain5k', pipelining: true, reuse: false },
];

const CONNECTIONS = 50;
/** Bun's compilers are busy for the first thousands of mails; the bench measures the sustained rate. */
const WARM_UP_S = 5;

export async function benchIngest(report: Report, smoke: boolean): Promise<void> {
  const rounds = smoke ? 1 : 3;
  for (const one of smoke ? cases.slice(0, 1) : cases) await benchCase(report, one, rounds, smoke ? 1 : 5);
  await benchHealth(report, smoke ? 1 : 8);
}

async function benchCase(report: Report, one: Case, rounds: number, seconds: number): Promise<void> {
  const sessions = one.sessions ?? CONNECTIONS;
  const many = sessions === 1 ? 'one session' : `${sessions} sessions`;
  report.section(`Ingest: ${one.title}, ${many}${one.reuse ? ' kept open' : ''}`);
  const targets = [() => startPostern(), startMailDev, startSmtpSink];
  const results = new Map<string, FloodResult[]>();
  const memory = new Map<string, number>();
  const cpu = new Map<string, [string, number][]>();
  for (let round = 0; round < rounds; round++) {
    // Each server takes a turn in each round, so that a noisy moment of the machine affects all of them.
    for (const start of targets) {
      await using target: Target = await start();
      const options = makeOptions(target, one, seconds);
      const running = flood(options);
      await Bun.sleep(options.warmUpS * 1000);
      const before = readCpu(target.pid);
      const result = await running;
      // Taken a moment after the last mail: connections are closing, nothing else.
      cpu.set(target.name, cpuPerMail(before, readCpu(target.pid), result.perS * seconds));
      results.set(target.name, [...(results.get(target.name) ?? []), result]);
      memory.set(target.name, Math.max(memory.get(target.name) ?? 0, measureMemory(target.pid).pss_mb));
      if ('data_dir' in target) await finishPostern(target as Postern, result);
    }
  }
  printCase(report, one, results, memory);
  for (const [name, parts] of cpu) printCpu(report, name, parts);
}

function printCpu(report: Report, name: string, parts: [string, number][]): void {
  const total = parts.reduce((sum, [, us]) => sum + us, 0);
  const shares = parts.map(([part, us]) => `${part} ${shown(us)}`).join(', ');
  report.line(`${name}, processor time a mail`, `${shown(total)} µs: ${shares}`);
}

/**
 * Every message that was answered 250 must be stored, with its text and its code: the speed of a server that loses mail
 * means nothing, nor that of one that was sent what no parser can read.
 */
async function finishPostern(target: Postern, result: FloodResult): Promise<void> {
  const { data } = (await target.get('/account')) as { data: { usage: { messages_received: number } } };
  const stored = data.usage.messages_received;
  if (stored !== result.accepted)
    throw new Error(`${result.accepted} messages were accepted, ${stored} are stored`);
  const latest = (await target.get(`/inboxes/${target.inbox_id}/messages/latest`)) as {
    data: { otp: string | null; text: string };
  };
  if (latest.data.otp !== '482913' || !latest.data.text.startsWith('Your code is 482913'))
    throw new Error(`the newest message has the code ${latest.data.otp} and the text ${latest.data.text}`);
  await target[Symbol.asyncDispose]();
  removeDataDir(target.data_dir);
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

function printCase(
  report: Report,
  one: Case,
  results: Map<string, FloodResult[]>,
  memory: Map<string, number>,
): void {
  const maildev = results.get('MailDev')!.map(({ perS }) => perS);
  const against = (name: string) =>
    median(results.get(name)!.map(({ perS }, index) => perS / maildev[index]!));
  report.line('', 'messages/s', 'range', 'to MailDev', 'p50 ms', 'p99 ms', 'PSS MB', 'refused');
  for (const [name, runs] of results) {
    const middle = (pick: (run: FloodResult) => number) => shown(median(runs.map(pick)));
    report.line(
      name,
      middle(({ perS }) => perS),
      formatRange(runs.map(({ perS }) => perS)),
      ratio(against(name)),
      middle(({ p50Ms }) => p50Ms),
      middle(({ p99Ms }) => p99Ms),
      shown(memory.get(name)!),
      middle(({ refused }) => refused),
    );
    const why = runs.find(({ refused }) => refused > 0)?.lastRefusal;
    if (why) report.line(`  refused: ${why}`);
  }
  const ours = results.get('postern')!;
  if (one.goal) {
    report.goal('messages/s', median(ours.map(({ perS }) => perS)), '/s', { atLeast: one.goal.perS });
    report.goal('times MailDev', against('postern'), '×', { atLeast: one.goal.timesMaildev });
  }
  if (!one.reuse)
    report.goal('p50 (no delay before the greeting)', median(ours.map(({ p50Ms }) => p50Ms)), 'ms', {
      under: 100,
    });
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
  report.goal('GET /healthz p99', polled.p99Ms, 'ms', { under: 25 });
  report.line('RSS idle before, at work', `${shown(idle.rssMb)} MB`, `${shown(atWork.rssMb)} MB`);
  report.goal('PSS idle before', idle.pss_mb, 'MB', { under: 100 });
  report.goal(`PSS at work (${atWork.processes} processes)`, atWork.pss_mb, 'MB', { under: 250 });
  await target[Symbol.asyncDispose]();
  removeDataDir(target.data_dir);
}
