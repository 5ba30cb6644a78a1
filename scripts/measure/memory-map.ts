/** Measures what a server's memory consists of, from the mappings of its processes (proc(5), smaps). */
import { readFileSync } from 'node:fs';
import { listTree } from './processes.ts';

/** Shared pages are divided among their users (PSS). The engine maps compiled code writable and executable. */
const memoryParts = {
  'program and libraries': (flags: string, file: string) => file.startsWith('/') && !flags.includes('w'),
  'their data': (_: string, file: string) => file.startsWith('/'),
  'compiled JavaScript': (flags: string) => flags.startsWith('rwx'),
  'heaps, buffers, SQLite’s pages': () => true,
};

export type MemoryPart = keyof typeof memoryParts;

/** Returns the megabytes of each part, in the main process and in its children together. */
export type MemoryMap = Record<'main' | 'children', Map<MemoryPart, number>>;

export function readMemoryMap(pid: number): MemoryMap {
  const map: MemoryMap = { main: new Map(), children: new Map() };
  for (const one of listTree(pid)) {
    const sums = one === pid ? map.main : map.children;
    for (const [part, kb] of listMappings(one)) sums.set(part, (sums.get(part) ?? 0) + kb / 1024);
  }
  return map;
}

export const memoryPartNames = Object.keys(memoryParts) as MemoryPart[];

function listMappings(pid: number): [MemoryPart, number][] {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/smaps`, 'utf8');
  } catch {
    // It has ended.
    return [];
  }
  const mapping = /^[0-9a-f]+-[0-9a-f]+ (\S{4}) \S+ \S+ \S+ *(.*)\n(?:(?![0-9a-f]+-).*\n)*?Pss: +(\d+)/gm;
  return Array.from(text.matchAll(mapping), ([, flags = '', file = '', kb]) => [
    memoryPartNames.find((part) => memoryParts[part](flags, file))!,
    Number(kb),
  ]);
}
