/**
 * Compares an earlier build with this one. The two take short turns, because the speed of a virtual machine changes more
 * from one minute to the next than two builds differ.
 */
import { resolve } from 'node:path';
import { cpuPerMail, readCpu, sumCpu } from './cpu.ts';
import { quantile, type Report, ratio, shown } from './figures.ts';
import type { MailKind } from './mails.ts';
import { flood } from './processes.ts';
import { startCapture, type Target } from './targets.ts';

const TURNS = 30;
const TURN_S = 1;
/** Time for the sessions of a turn to open. */
const OPENING_S = 0.15;
/** Time before the first turn, in which the code is compiled. */
const WARM_UP_S = 6;

const cases: { title: string; mail: MailKind; connections: number }[] = [
  { title: '5 KB plain, 50 sessions', mail: 'plain5k', connections: 50 },
  { title: '5 KB plain, one session', mail: 'plain5k', connections: 1 },
  { title: '8 KB multipart, 50 sessions', mail: 'alternative8k', connections: 50 },
  { title: '100 KB plain, 50 sessions', mail: 'plain100k', connections: 50 },
];

interface Turn {
  perS: number;
  /** Processor time per mail. */
  us: number;
}

/** Measures captures, because a build can't open the store of a later one. */
export async function benchBuilds(report: Report, smoke: boolean): Promise<void> {
  report.section('Two builds by turns, capture: this one to an earlier one, median and quartiles');
  const before = process.env.BENCH_BEFORE;
  if (!before) {
    report.line('skipped: BENCH_BEFORE names no earlier dist/postern');
    return;
  }
  report.line('', 'rate', '', 'processor time', '');
  for (const one of smoke ? cases.slice(0, 1) : cases) {
    await using now = await startCapture();
    await using earlier = await startCapture(resolve(before));
    const take = (target: Target, seconds: number) => takeTurn(target, one, seconds);
    for (const target of [now, earlier]) await take(target, smoke ? 0.5 : WARM_UP_S);
    const turns: [Turn, Turn][] = [];
    for (let turn = 0; turn < (smoke ? 1 : TURNS); turn++) {
      // They swap places, so that neither is always the first.
      if (turn % 2 === 0) turns.push([await take(now, TURN_S), await take(earlier, TURN_S)]);
      else turns.push([await take(earlier, TURN_S), await take(now, TURN_S)].toReversed() as [Turn, Turn]);
    }
    const rates = turns.map(([ours, other]) => ours.perS / other.perS);
    const times = turns.map(([ours, other]) => ours.us / other.us);
    report.line(one.title, ...describeRatios(rates), ...describeRatios(times));
    report.line(
      '',
      `${shown(
        quantile(
          turns.map(([{ perS }]) => perS),
          0.5,
        ),
      )}/s`,
    );
  }
}

function describeRatios(ratios: number[]): [string, string] {
  const at = (share: number) => ratio(quantile(ratios, share));
  return [at(0.5), `${at(0.25)} to ${at(0.75)}`];
}

async function takeTurn(
  { smtpPort, recipient, pid }: Target,
  { mail, connections }: { mail: MailKind; connections: number },
  seconds: number,
): Promise<Turn> {
  const before = readCpu(pid);
  const { perS, accepted, refused, lastRefusal } = await flood({
    port: smtpPort,
    recipient,
    mail,
    connections,
    reuse: true,
    pipelining: false,
    messages: 1_000_000,
    seconds,
    warmUpS: OPENING_S,
  });
  if (refused > 0) throw new Error(`refused ${refused}: ${lastRefusal}`);
  const parts = cpuPerMail(before, readCpu(pid), accepted);
  return { perS, us: sumCpu(parts) };
}
