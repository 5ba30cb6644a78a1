/** Notes times with the same clock in every process and thread. They are kept in memory and written to files. */
import { dlopen, ptr } from 'bun:ffi';
import { appendFileSync, readFileSync } from 'node:fs';

/** The monotonic clock of clock_gettime(2): all processes share its origin, and nobody can set it. */
const CLOCK_MONOTONIC = 1;
const FLUSH_EVERY_MS = 100;

const libc = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } });
const timespec = new BigInt64Array(2);
const timespecAt = ptr(timespec);

export function readClockUs(): number {
  libc.symbols.clock_gettime(CLOCK_MONOTONIC, timespecAt);
  return Number(timespec[0]) * 1e6 + Number(timespec[1]) / 1e3;
}

/** One row of times for each mail. A file, because the process that writes it may be killed at any time. */
export class Stamps {
  private unwritten: number[] = [];
  private row: number[] = [];

  constructor(private readonly file: string) {
    setInterval(() => this.flush(), FLUSH_EVERY_MS).unref();
  }

  get isRowOpen(): boolean {
    return this.row.length > 0;
  }

  note(): void {
    this.row.push(readClockUs());
  }

  endRow(): void {
    this.unwritten.push(...this.row);
    this.row = [];
  }

  private flush(): void {
    if (this.unwritten.length === 0) return;
    appendFileSync(this.file, new Uint8Array(Float64Array.from(this.unwritten).buffer));
    this.unwritten = [];
  }
}

/** Time after which the last row of every writer is in its file. */
export const FLUSHED_AFTER_MS = 3 * FLUSH_EVERY_MS;

export function readStamps(file: string, times: number): number[][] {
  const bytes = readFileSync(file);
  const all = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  return Array.from({ length: all.length / times }, (_, at) => [
    ...all.subarray(at * times, (at + 1) * times),
  ]);
}
