/** Measures a server's processor time by thread, from the kernel's counters. */
import { readdirSync, readFileSync } from 'node:fs';
import { listTree } from './processes.ts';

/** Clock ticks per second (sysconf(_SC_CLK_TCK)): 100 on every Linux that Bun runs on. */
const TICKS_PER_S = 100;

/** Seconds of processor time by the thread's part in the work. */
export type CpuTimes = Map<string, number>;

/** Returns the processor time of a process and its descendants, without children that have ended. */
export function readCpu(pid: number): CpuTimes {
  const times: CpuTimes = new Map();
  for (const one of listTree(pid)) {
    for (const thread of listThreads(one)) {
      const part = namePart(one === pid ? 'main' : 'child', thread);
      times.set(part, (times.get(part) ?? 0) + thread.seconds);
    }
  }
  return times;
}

/** Returns the microseconds per mail of each part, largest first. */
export function cpuPerMail(before: CpuTimes, after: CpuTimes, mails: number): [string, number][] {
  return [...after]
    .map(([part, seconds]): [string, number] => [part, ((seconds - (before.get(part) ?? 0)) * 1e6) / mails])
    .filter(([, us]) => us >= 0.5)
    .sort(([, one], [, other]) => other - one);
}

/** Adds the microseconds of all parts. */
export function sumCpu(parts: readonly [string, number][]): number {
  return parts.reduce((sum, [, us]) => sum + us, 0);
}

interface Thread {
  name: string;
  isFirst: boolean;
  seconds: number;
}

function listThreads(pid: number): Thread[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) => readThread(pid, task) ?? []);
  } catch {
    // It has ended.
    return [];
  }
}

function readThread(pid: number, task: string): Thread | null {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8');
    // User and system time are the 12th and 13th fields after the name, which may contain anything (proc(5)).
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { name, isFirst: task === String(pid), seconds: ticks / TICKS_PER_S };
  } catch {
    return null;
  }
}

/** The engine names its own threads (JavaScriptCore: JITWorker, HeapHelper; Bun: Worker, Bun Pool). */
function namePart(process: 'main' | 'child', { name, isFirst }: Thread): string {
  if (isFirst) return process === 'main' ? 'main thread' : 'parser';
  if (/jit|compil/i.test(name)) return 'compilers';
  if (/heap|gc|scaveng/i.test(name)) return 'collectors';
  if (/worker/i.test(name)) return process === 'main' ? 'writer' : 'other';
  return 'other';
}
