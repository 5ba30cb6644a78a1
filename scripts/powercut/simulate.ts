/**
 * Rebuilds the folder that a power cut leaves from the log of crashfs. Only fsync guarantees what is on the disk; the
 * variant decides about everything else. Pure: log records in, an image out.
 */
import { Chance } from './chance.ts';
import type { LogRecord } from './log.ts';

export const variants = {
  strict: 'nothing unsynced survives: no data, no name, no rename, no removal',
  ordered: 'names and sizes survive in order (a journal); unsynced data reads as zeros',
  sectors: 'each 512 bytes of each unsynced write survive at random; names up to a random moment',
  pages: 'the same by 4 KiB, and each name survives at random, in no order',
  garbage: 'as sectors; missing data beyond the old end is noise instead of zeros',
  torn: 'everything survives in order, except half of the last unsynced write of each file',
} as const;

export type Variant = keyof typeof variants;

/** Content of the mount after the cut, by path; a path that ends with a slash is a folder. */
export interface Image {
  folders: string[];
  files: Map<string, Uint8Array>;
  /** Additional names of files: name to first name. */
  links: Map<string, string>;
}

type Change =
  | { n: number; kind: 'write'; off: number; data: Uint8Array }
  | { n: number; kind: 'truncate'; size: number };

/** A name that appeared or disappeared (id null). Both halves of a rename have the same n and share one fate. */
interface Naming {
  n: number;
  name: string;
  id: number | null;
}

interface File {
  durable: Bytes;
  pending: Change[];
}

interface Folder {
  durable: Map<string, number>;
  pending: Naming[];
}

const ROOT = 1;
const SHM_BYTES = 32 * 1024;
const SECTOR_BYTES = 512;
const PAGE_BYTES = 4096;
/** Probability that an unsynced truncation survives. */
const TRUNCATED = 0.7;

class Bytes {
  private held: Uint8Array;

  constructor(
    content: Uint8Array = new Uint8Array(0),
    public length = content.length,
  ) {
    this.held = content;
  }

  get content(): Uint8Array {
    return this.held.subarray(0, this.length);
  }

  copy(): Bytes {
    return new Bytes(this.content.slice());
  }

  resize(length: number): void {
    if (length > this.held.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.held.length));
      larger.set(this.content);
      this.held = larger;
    } else if (length > this.length) {
      this.held.fill(0, this.length, length);
    }
    this.length = length;
  }

  write(off: number, data: Uint8Array): void {
    if (off + data.length > this.length) this.resize(off + data.length);
    this.held.set(data, off);
  }

  apply(change: Change): void {
    if (change.kind === 'truncate') this.resize(change.size);
    else this.write(change.off, change.data);
  }
}

export class Disk {
  private readonly files = new Map<number, File>();
  private readonly folders = new Map<number, Folder>([[ROOT, { durable: new Map(), pending: [] }]]);
  /** Files from before the log, until a record gives them their id. */
  private readonly unbound = new Map<string, number>();
  private nextUnbound = -1;

  /** `initial`: files on the disk before the log began, by path. */
  constructor(initial: ReadonlyMap<string, Uint8Array> = new Map()) {
    for (const [path, content] of initial) {
      const parts = path.split('/');
      let folder = ROOT;
      for (let depth = 1; depth < parts.length; depth++) {
        folder = this.initialEntry(folder, parts.slice(0, depth).join('/'), null);
      }
      this.initialEntry(folder, path, content);
    }
  }

  feed(record: LogRecord): void {
    const { op, n, id = 0, dir = 0, name = '' } = record;
    if (op === 'bind') this.bind(id, record.path ?? '');
    else if (op === 'create') {
      this.files.set(id, { durable: new Bytes(), pending: [] });
      this.rename(dir, { n, name, id });
    } else if (op === 'mkdir') {
      this.folders.set(id, { durable: new Map(), pending: [] });
      this.rename(dir, { n, name, id });
    } else if (op === 'link') this.rename(dir, { n, name, id });
    else if (op === 'unlink') this.rename(dir, { n, name, id: null });
    else if (op === 'rename') {
      this.rename(record.dir2 ?? 0, { n, name: record.name2 ?? '', id });
      this.rename(dir, { n, name, id: null });
    } else if (op === 'fsync') this.sync(id, record.off ?? 0);
    else if (op === 'fsyncdir') this.syncFolder(id);
    else this.change(record);
  }

  /** What a cut after the last record leaves. */
  image(variant: Variant, seed: number): Image {
    const chance = new Chance(seed);
    const kept = this.keptNames(variant, chance);
    const image: Image = { folders: [], files: new Map(), links: new Map() };
    this.show({ id: ROOT, path: '', variant, chance, kept, firstNames: new Map(), image });
    return image;
  }

  private initialEntry(folder: number, path: string, content: Uint8Array | null): number {
    const earlier = this.unbound.get(path);
    if (earlier !== undefined) return earlier;
    const id = this.nextUnbound--;
    this.unbound.set(path, id);
    this.folders.get(folder)!.durable.set(path.slice(path.lastIndexOf('/') + 1), id);
    if (content) this.files.set(id, { durable: new Bytes(content.slice()), pending: [] });
    else this.folders.set(id, { durable: new Map(), pending: [] });
    return id;
  }

  private bind(id: number, path: string): void {
    if (id === ROOT) return;
    const old = this.unbound.get(path);
    if (old === undefined) throw new Error(`the log binds ${path}, which did not exist before it began`);
    this.unbound.delete(path);
    for (const kind of [this.files, this.folders] as Map<number, unknown>[]) {
      if (!kind.has(old)) continue;
      kind.set(id, kind.get(old));
      kind.delete(old);
    }
    for (const { durable } of this.folders.values()) {
      for (const [name, one] of durable) if (one === old) durable.set(name, id);
    }
  }

  private rename(dir: number, naming: Naming): void {
    // A socket has no content, and a start recreates it.
    const isKnown = naming.id === null || this.files.has(naming.id) || this.folders.has(naming.id);
    if (isKnown) known(this.folders, dir).pending.push(naming);
  }

  private change({ op, n, id = 0, off = 0, size = 0, data }: LogRecord): void {
    if (op !== 'write' && op !== 'truncate') return;
    const file = known(this.files, id);
    if (op === 'truncate') file.pending.push({ n, kind: 'truncate', size });
    // The log does not contain the bytes of a -shm file.
    else if (data.length > 0) file.pending.push({ n, kind: 'write', off, data });
  }

  private sync(id: number, covered: number): void {
    const file = known(this.files, id);
    for (const change of file.pending) if (change.n <= covered) file.durable.apply(change);
    file.pending = file.pending.filter(({ n }) => n > covered);
  }

  private syncFolder(id: number): void {
    const folder = known(this.folders, id);
    for (const naming of folder.pending) put(folder.durable, naming);
    folder.pending = [];
  }

  private keptNames(variant: Variant, chance: Chance): (n: number) => boolean {
    if (variant === 'strict') return () => false;
    if (variant === 'ordered' || variant === 'torn') return () => true;
    const all = [...this.folders.values()].flatMap(({ pending }) => pending.map(({ n }) => n));
    const inOrder = [...new Set(all)].sort((one, other) => one - other);
    const kept =
      variant === 'pages'
        ? inOrder.filter(() => chance.isLikely(0.5))
        : inOrder.slice(0, chance.below(inOrder.length + 1));
    const set = new Set(kept);
    return (n) => set.has(n);
  }

  private show(at: {
    id: number;
    path: string;
    variant: Variant;
    chance: Chance;
    kept: (n: number) => boolean;
    firstNames: Map<number, string>;
    image: Image;
  }): void {
    const { image, firstNames, kept } = at;
    const { durable, pending } = this.folders.get(at.id)!;
    const entries = new Map(durable);
    for (const naming of pending) if (kept(naming.n)) put(entries, naming);
    for (const [name, id] of entries) {
      const path = at.path === '' ? name : `${at.path}/${name}`;
      const first = firstNames.get(id);
      if (this.folders.has(id)) {
        image.folders.push(path);
        this.show({ ...at, id, path });
      } else if (first !== undefined) image.links.set(path, first);
      else {
        firstNames.set(id, path);
        const isShm = name.endsWith('-shm');
        image.files.set(
          path,
          isShm ? makeNoise(id) : buildContent(this.files.get(id)!, at.variant, at.chance),
        );
      }
    }
  }
}

/** Throws for unknown ids: a simulator that skips what it does not understand would report false losses. */
function known<Item>(items: ReadonlyMap<number, Item>, id: number): Item {
  const item = items.get(id);
  if (!item) throw new Error(`the log changes ${id}, which it never created`);
  return item;
}

function put(entries: Map<string, number>, { name, id }: Naming): void {
  if (id === null) entries.delete(name);
  else entries.set(name, id);
}

/** The index of a write-ahead log exists only in memory: after a cut its file may contain anything. */
function makeNoise(id: number): Uint8Array {
  return new Chance(id).bytes(SHM_BYTES);
}

function buildContent({ durable, pending }: File, variant: Variant, chance: Chance): Uint8Array {
  if (variant === 'strict' || pending.length === 0) return durable.content;
  const out = durable.copy();
  if (variant === 'ordered') for (const change of pending) resizeOnly(out, change);
  else if (variant === 'torn') {
    for (const change of pending.slice(0, -1)) out.apply(change);
    const last = pending.at(-1)!;
    if (last.kind === 'write') out.write(last.off, last.data.subarray(0, chance.below(last.data.length + 1)));
  } else scatter(out, pending, variant, chance);
  return out.content;
}

function resizeOnly(out: Bytes, change: Change): void {
  if (change.kind === 'truncate') out.resize(change.size);
  else out.resize(Math.max(out.length, change.off + change.data.length));
}

function scatter(out: Bytes, pending: readonly Change[], variant: Variant, chance: Chance): void {
  const step = variant === 'pages' ? PAGE_BYTES : SECTOR_BYTES;
  const likely = chance.pick([0.1, 0.5, 0.5, 0.9]);
  const fillTo = (end: number) => {
    const from = out.length;
    if (end <= from) return;
    if (variant === 'garbage') out.write(from, chance.bytes(end - from));
    else out.resize(end);
  };
  let end = out.length;
  for (const change of pending) {
    if (change.kind === 'truncate') {
      if (chance.isLikely(TRUNCATED)) out.resize(change.size);
      continue;
    }
    const { off, data } = change;
    end = Math.max(end, off + data.length);
    for (let at = off; at < off + data.length; ) {
      const next = Math.min((Math.floor(at / step) + 1) * step, off + data.length);
      if (chance.isLikely(likely)) {
        fillTo(at);
        out.write(at, data.subarray(at - off, next - off));
      }
      at = next;
    }
  }
  if (variant === 'garbage' && chance.isLikely(0.5)) fillTo(end);
}
