import { readFileSync } from 'node:fs';

/** What a process uses of the machine, as the kernel counts it (proc(5)). All is 0 where the system does not report it. */
export interface Footprint {
  /** Also what is in the swap, where a process can have its memory moved, and the tables of its pages. */
  memoryBytes: number;
  threads: number;
  /** The main thread has ended. If others go on, the system does not report the memory. */
  isHeadless: boolean;
}

export function readFootprint(pid: number): Footprint {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const sizes = status.matchAll(/^Vm(?:RSS|Swap|PTE):\s*(\d+) kB$/gm);
    return {
      memoryBytes: sizes.reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) * 1024,
      threads: Number(/^Threads:\s*(\d+)$/m.exec(status)?.[1] ?? 0),
      isHeadless: /^State:\s*Z/m.test(status),
    };
  } catch {
    return { memoryBytes: 0, threads: 0, isHeadless: false };
  }
}

/** Linux counts processor time in hundredths of a second (USER_HZ, proc(5)). */
const TICK_MS = 10;

/** Processor time of a process in milliseconds; 0 if the system does not report it. */
export function readWorkMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets may contain anything; utime and stime are the 12th and 13th fields after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}
