/** A plan: something that Postern does while every change is logged, where to cut it, and what must hold then. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chance } from './chance.ts';
import { CrashFs } from './crashfs.ts';
import type { Checked } from './findings.ts';
import { type LogRecord, readLog } from './log.ts';
import { type Marked, marksOf, type Step } from './promises.ts';
import type { Workplace } from './workplace.ts';

/** What recordings are made with. */
export interface Stage {
  work: Workplace;
  crashfs: string;
  /** Mails of the load; the other plans take a part of it. */
  mails: number;
}

export interface Recording {
  records: LogRecord[];
  marks: Marked[];
  /** Files that were in the mount before, by path. */
  initial: ReadonlyMap<string, Uint8Array>;
  /** What the load sent and was refused: the recording itself is no good then. */
  refused: string[];
}

/** A folder that a cut left: `root` is what was mounted. */
export interface CutFolder {
  root: string;
  n: number;
  /** Counts the folders that are checked, from 0. */
  turn: number;
}

export interface Plan {
  name: string;
  meaning: string;
  /** Plans of the same recording share it. */
  recording: string;
  /** Its part of the cuts, beside the others'. */
  weight: number;
  record(stage: Stage): Promise<Recording>;
  /** Records to cut after; each list gets an equal part of the cuts. */
  cuts(recording: Recording): number[][];
  check(folder: CutFolder, recording: Recording): Promise<Checked>;
}

/** Mounts a folder with what is in it, runs something in it, and reads the log. */
export async function recordIn(
  { work, crashfs }: Stage,
  name: string,
  backing: string,
  run: (fs: CrashFs) => Promise<string[]>,
): Promise<Recording> {
  const initial = readFolder(backing);
  const fs = await CrashFs.mount(crashfs, work, name, backing);
  const refused = await run(fs);
  await fs.unmount();
  const records = readLog(fs.log);
  return { records, marks: marksOf(records), initial, refused };
}

function readFolder(folder: string): Map<string, Uint8Array> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))];
    }),
  );
}

/** `count` cuts out of the lists, an equal part of each; what a list has too few of, the later ones give. */
export function chooseCuts(lists: readonly (readonly number[])[], count: number, chance: Chance): number[] {
  const chosen = new Set<number>();
  for (const [index, list] of lists.entries()) {
    const free = [...new Set(list)].filter((n) => !chosen.has(n));
    const part = Math.ceil((count - chosen.size) / (lists.length - index));
    for (const n of chance.sample(free, part)) chosen.add(n);
  }
  return [...chosen].sort((one, other) => one - other);
}

/** The records of a step's mark, in order. */
export function stepsAt({ marks }: Recording, step: Step): number[] {
  return marks.flatMap(({ n, mark }) => (mark.is === 'step' && mark.step === step ? [n] : []));
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Around the records that a crash is most likely to hurt: names, lengths and syncs, and one record before each. */
export function delicateCuts({ records }: Recording, from: number, to: number): number[] {
  const dull = new Set(['write', 'bind', 'mknod']);
  return records
    .filter(({ n, op }) => n >= from && n <= to && !dull.has(op))
    .flatMap(({ n }) => [n - 1, n])
    .filter((n) => n >= from);
}
