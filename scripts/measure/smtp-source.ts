/**
 * Receiving from Postfix's own load generator, smtp-source(1), instead of ours (flood.ts). The servers run side by side and
 * take turns, because the speed of a virtual machine changes from one minute to the next.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuPerMail, readCpu, sumCpu } from './cpu.ts';
import { median, type Report, ratio, shown } from './figures.ts';
import { type MailKind, mails } from './mails.ts';
import { findGoPeers, startMailDev } from './peers.ts';
import { startCapture, startPostern, type Target } from './targets.ts';

const ROUNDS = 5;

interface Case {
  title: string;
  mail: MailKind;
  sessions: number;
  /** Mails of a turn, which takes two to four seconds. */
  mails: number;
  /** What Postern's rate should be, relative to that of a peer. */
  goals: Readonly<Record<string, number>>;
}

const cases: readonly Case[] = [
  { title: '5 KB', mail: 'plain5k', sessions: 50, mails: 8_000, goals: { MailDev: 1, Mailpit: 2.2 } },
  { title: '8 KB', mail: 'alternative8k', sessions: 50, mails: 6_000, goals: { MailDev: 1, Mailpit: 2.5 } },
  { title: '5 KB', mail: 'plain5k', sessions: 1, mails: 1_500, goals: { Mailpit: 1.4 } },
];

interface Turn {
  perS: number;
  /** Processor time per mail. */
  us: number;
}

export async function benchSmtpSource(report: Report, smoke: boolean): Promise<void> {
  report.section('Receiving from smtp-source: medians of turns');
  if (!Bun.which('smtp-source')) {
    report.line('skipped: smtp-source is not installed (Postfix)');
    return;
  }
  await using servers = new AsyncDisposableStack();
  const starts = [startPostern, startCapture, startMailDev, ...(smoke ? [] : findGoPeers(['mailpit']))];
  const targets: Target[] = [];
  for (const start of starts) targets.push(servers.use(await start()));
  for (const one of smoke ? cases.slice(0, 1) : cases)
    await benchCase(report, smoke ? { ...one, mails: 100 } : one, targets, smoke ? 1 : ROUNDS);
}

async function benchCase(
  report: Report,
  one: Case,
  targets: readonly Target[],
  rounds: number,
): Promise<void> {
  // The first turn compiles the code and is not counted.
  for (const target of targets) await takeTurn(target, one);
  const turns = new Map(targets.map(({ name }) => [name, [] as Turn[]]));
  for (let round = 0; round < rounds; round++)
    for (const target of round % 2 === 0 ? targets : targets.toReversed())
      turns.get(target.name)!.push(await takeTurn(target, one));
  const title = `${one.title}, ${one.sessions === 1 ? 'one session' : `${one.sessions} sessions`}`;
  const ours = turns.get(targets[0]!.name)!;
  for (const [name, all] of turns) {
    const ratios = ours.map(({ perS }, round) => perS / all[round]!.perS);
    report.line(
      `${title}: ${name}`,
      `${shown(median(all.map(({ perS }) => perS)))}/s`,
      `${shown(median(all.map(({ us }) => us)))} µs`,
      ...(all === ours ? [] : [`${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`]),
    );
    const goal = one.goals[name];
    if (goal) report.goal(`${title}: relative to ${name}`, median(ratios), '×', { atLeast: goal });
  }
}

async function takeTurn({ smtpPort, recipient, pid }: Target, one: Case): Promise<Turn> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  try {
    const file = join(folder, 'mail.eml');
    // It adds a CR of its own to each line.
    writeFileSync(file, mails[one.mail]().replaceAll('\r\n', '\n'));
    const counts = ['-s', String(one.sessions), '-m', String(one.mails)];
    const envelope = ['-f', 'bench@shop.example', '-t', recipient];
    const command = ['smtp-source', '-d', ...counts, ...envelope, '-F', file, `inet:127.0.0.1:${smtpPort}`];
    const before = readCpu(pid);
    const began = performance.now();
    const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
    const said = await child.stderr.text();
    if ((await child.exited) !== 0) throw new Error(`smtp-source: ${said}`);
    const seconds = (performance.now() - began) / 1000;
    const parts = cpuPerMail(before, readCpu(pid), one.mails);
    return { perS: one.mails / seconds, us: sumCpu(parts) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
