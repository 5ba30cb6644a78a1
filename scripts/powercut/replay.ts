/** Goes through a recording, rebuilds the folder of each cut in each variant, and has it checked. */
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chance } from './chance.ts';
import { type Checked, type FindingKind, findingKinds } from './findings.ts';
import type { LogRecord } from './log.ts';
import type { Plan, Recording } from './plan.ts';
import { Disk, type Image, type Variant } from './simulate.ts';
import type { Workplace } from './workplace.ts';

/** Share of the write-ahead log's syncs that a mutant drops. */
const DROPPED_SYNCS = 0.8;

export interface ReplayOptions {
  cuts: readonly number[];
  variants: readonly Variant[];
  jobs: number;
  isMutant: boolean;
  onFaulty: (fault: { cut: number; op: string; variant: Variant; checked: Checked }) => void;
}

export type Figures = Record<FindingKind, number> & {
  cuts: number;
  /** The number of folders that cuts left, and of distinct ones, which alone are checked. */
  folders: number;
  started: number;
  faulty: number;
  mails: number;
  compared: number;
};

export async function replay(
  plan: Plan,
  recording: Recording,
  work: Workplace,
  options: ReplayOptions,
): Promise<Figures> {
  const { cuts, variants, isMutant } = options;
  const figures = startFigures(cuts.length);
  const disk = new Disk(recording.initial);
  const reaches = isMutant ? dropSyncs(recording.records) : () => true;
  const slots = new Slots(options.jobs);
  const wanted = new Set(cuts);
  const last = cuts.at(-1) ?? 0;
  const known = new Map<string, Promise<Checked>>();
  let marks = 0;
  for (const record of recording.records) {
    if (record.n > last) break;
    if (reaches(record)) disk.feed(record);
    if (record.op === 'mark') marks++;
    if (!wanted.has(record.n)) continue;
    for (const variant of variants) {
      const image = disk.image(variant, record.n);
      figures.folders++;
      // The same bytes with the same promises need only one check.
      const print = `${marks} ${hashImage(image)}`;
      const isNew = !known.has(print);
      if (isNew) {
        const slot = await slots.take();
        const root = join(work.dir, `replay-${slot}`);
        writeImage(root, image);
        const checking = plan
          .check({ root, n: record.n, turn: figures.started++ }, recording)
          .catch(reportBrokenCheck)
          .finally(() => {
            rmSync(root, { recursive: true, force: true });
            slots.free(slot);
          });
        known.set(print, checking);
      }
      void known.get(print)!.then((checked) => {
        if (isNew) {
          figures.mails += checked.mails;
          figures.compared += checked.compared;
        }
        if (checked.findings.length === 0) return;
        figures.faulty++;
        for (const { kind } of checked.findings) figures[kind]++;
        options.onFaulty({ cut: record.n, op: record.op, variant, checked });
      });
    }
  }
  await Promise.all(known.values());
  return figures;
}

function startFigures(cuts: number): Figures {
  const none = Object.fromEntries(Object.keys(findingKinds).map((kind) => [kind, 0]));
  return {
    cuts,
    folders: 0,
    started: 0,
    faulty: 0,
    mails: 0,
    compared: 0,
    ...(none as Record<FindingKind, number>),
  };
}

function reportBrokenCheck(fault: unknown): Checked {
  return { findings: [{ kind: 'other', detail: `the check failed: ${fault}` }], mails: 0, compared: 0 };
}

/** Drops four of five syncs of a write-ahead log, as if they never reached the disk. */
function dropSyncs(records: readonly LogRecord[]): (record: LogRecord) => boolean {
  const isLog = (name: string | undefined) => name?.endsWith('-wal') === true;
  const logs = new Set(records.filter(({ op, name }) => op === 'create' && isLog(name)).map(({ id }) => id));
  const chance = new Chance(1);
  return ({ op, id }) => !(op === 'fsync' && logs.has(id) && chance.isLikely(DROPPED_SYNCS));
}

/** Numbers from 0, each held by one user at a time. */
class Slots {
  private readonly unused: number[];
  private readonly waiting: ((slot: number) => void)[] = [];

  constructor(count: number) {
    this.unused = Array.from({ length: count }, (_, index) => index);
  }

  async take(): Promise<number> {
    const slot = this.unused.shift();
    return slot ?? new Promise((resolve) => this.waiting.push(resolve));
  }

  free(slot: number): void {
    const next = this.waiting.shift();
    if (next) next(slot);
    else this.unused.push(slot);
  }
}

function hashImage({ folders, files, links }: Image): string {
  const parts = [folders.join('\n'), [...links].join('\n')];
  for (const [path, content] of files) {
    // A -shm file contains noise, always the same for each file.
    parts.push(`${path} ${content.length} ${path.endsWith('-shm') ? '' : Bun.hash(content)}`);
  }
  return parts.join('\n');
}

function writeImage(root: string, { folders, files, links }: Image): void {
  mkdirSync(root, { mode: 0o700 });
  for (const folder of folders) mkdirSync(join(root, folder), { mode: 0o700 });
  for (const [path, content] of files) writeFileSync(join(root, path), content, { mode: 0o600 });
  for (const [name, first] of links) linkSync(join(root, first), join(root, name));
}
