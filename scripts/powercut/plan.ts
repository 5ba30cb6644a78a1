/** A plan is something that Postern does while every change is logged, where to cut it, and what must hold afterwards. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chance } from './chance.ts';
import { CrashFs } from './crashfs.ts';
import type { Checked } from './findings.ts';
import { type LogRecord, readLog } from './log.ts';
import { type Marked, readMarks, type Step } from './promises.ts';
import type { Workplace } from './workplace.ts';

export interface Stage {
  work: Workplace;
  crashfs: string;
  /** The number of mails in the plan `load`; other plans use a part of it. */
  mails: number;
}

export interface Recording {
  records: LogRecord[];
  marks: Marked[];
  /** Files in the mount at the start, by path. */
  initial: ReadonlyMap<string, Uint8Array>;
  /** Requests of the load that were refused, which makes the recording useless. */
  refused: string[];
}

/** A folder as a cut left it; `root` is the mount. */
export interface CutFolder {
  root: string;
  n: number;
  /** Number of the checked folder, from 0. */
  turn: number;
}

export interface Plan {
  name: string;
  meaning: string;
  /** Plans with the same recording share it. */
  recording: string;
  /** Its share of the cuts, relative to the others. */
  weight: number;
  record(stage: Stage): Promise<Recording>;
  /** Records to cut after; each list gets an equal share of the cuts. */
  cuts(recording: Recording): number[][];
  check(folder: CutFolder, recording: Recording): Promise<Checked>;
}

/** Mounts a folder with initial content, runs something in it, and returns the log. */
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
  return { records, marks: readMarks(records), initial, refused };
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

/** Picks `count` cuts, equally many from each list. If a list is too short, later ones fill up. */
export function chooseCuts(lists: readonly (readonly number[])[], count: number, chance: Chance): number[] {
  const chosen = new Set<number>();
  for (const [index, list] of lists.entries()) {
    const free = [...new Set(list)].filter((n) => !chosen.has(n));
    const part = Math.ceil((count - chosen.size) / (lists.length - index));
    for (const n of chance.sample(free, part)) chosen.add(n);
  }
  return [...chosen].sort((one, other) => one - other);
}

/** Returns the records of a step's marks, in order. */
export function findSteps({ marks }: Recording, step: Step): number[] {
  return marks.flatMap(({ n, mark }) => (mark.is === 'step' && mark.step === step ? [n] : []));
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Returns the records at which a cut is most likely to do damage: names, lengths and syncs, and the record before each. */
export function findDelicateCuts({ records }: Recording, from: number, to: number): number[] {
  const dull = new Set(['write', 'bind', 'mknod']);
  return records
    .filter(({ n, op }) => n >= from && n <= to && !dull.has(op))
    .flatMap(({ n }) => [n - 1, n])
    .filter((n) => n >= from);
}
