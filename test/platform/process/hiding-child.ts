/**
 * A child process that was taken over, and hides what it uses from its parent. Each job says how. Ends if the system does not let it.
 */
import { dlopen, ptr, read } from 'bun:ffi';
import type { Frame } from '../../../src/platform/process/frames.ts';
import { openParent } from '../../../src/platform/process/parent.ts';

const { symbols: libc } = dlopen('libc.so.6', {
  syscall: { args: ['u64', 'u64'], returns: 'i64' },
  dlsym: { args: ['u64', 'ptr'], returns: 'u64' },
  pthread_create: { args: ['ptr', 'u64', 'u64', 'u64'], returns: 'i32' },
  mmap: { args: ['u64', 'u64', 'i32', 'i32', 'i32', 'i64'], returns: 'u64' },
  madvise: { args: ['u64', 'u64', 'i32'], returns: 'i32' },
});

const EXIT = process.arch === 'x64' ? 60 : 93;
const PROT_READ = 1;
const MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022;
const MADV_NOHUGEPAGE = 15;
/** What one table of pages is for. */
const TABLE_SPAN = 2 * 1024 * 1024;

const ways: Record<string, () => void> = {
  'end the main thread': () => libc.syscall(EXIT, 0),
  'start threads'() {
    const pause = libc.dlsym(0, ptr(Buffer.from('pause\0')));
    for (let thread = 0; thread < 300; thread++) libc.pthread_create(ptr(new Uint8Array(8)), 0, pause, 0);
  },
  'fill tables of pages'() {
    const tables = 250_000;
    const length = tables * TABLE_SPAN;
    const start = libc.mmap(0, length, PROT_READ, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
    libc.madvise(start, length, MADV_NOHUGEPAGE);
    for (let table = 0; table < tables; table++)
      read.u8((Number(start) + table * TABLE_SPAN) as Parameters<typeof read.u8>[0], 0);
  },
};

openParent((frames: Frame[]) => {
  for (const { head } of frames) ways[(head as { job: string }).job]!();
});
