/**
 * A disk whose power can fail before any change to a folder. It patches node:fs, so a test needs its own process, and
 * imports it before the code under test. Unless `keepsUnflushed` is set, a cut loses unflushed data as a file system may
 * lose it: names and folders go back to their folder's last fsync, and files lose their content. SQLite's own writes are
 * not affected.
 */
import type NodeFs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Uses require: an import would bind the functions of node:fs before they are patched.
const fs = createRequire(import.meta.url)('node:fs') as typeof NodeFs;

export class PowerCut extends Error {}

interface Change {
  folders: Set<string>;
  undo(): void;
}

/** The original functions of node:fs. */
export const real = { ...fs };

export class PowerCutDisk {
  private stepsLeft = Number.POSITIVE_INFINITY;
  private isOn = false;
  private isOff = false;
  private changes: Change[] = [];
  private dirty = new Set<number>();
  private paths = new Map<number, string>();
  private graves = 0;

  /** `grave` is a folder beside `root` for files that may have to come back. */
  constructor(
    private readonly root: string,
    private readonly grave: string,
  ) {
    real.mkdirSync(grave, { recursive: true });
    const patched = {
      renameSync: (from: string, to: string) => this.change([from, to], () => this.rename(from, to)),
      linkSync: (from: string, to: string) =>
        this.change([to], () => {
          real.linkSync(from, to);
          return () => real.unlinkSync(to);
        }),
      mkdirSync: (path: string, options: NodeFs.MakeDirectoryOptions) =>
        this.change([path], () => {
          const wasThere = real.existsSync(path);
          real.mkdirSync(path, options);
          return () => !wasThere && this.bury(path);
        }),
      unlinkSync: (path: string) => this.change([path], () => this.remove(path)),
      rmSync: (path: string) => {
        if (real.lstatSync(path, { throwIfNoEntry: false })) this.change([path], () => this.remove(path));
        else this.step(path);
      },
      openSync: (path: string, flags: number | string = 'r', mode?: number) => this.open(path, flags, mode),
      writeSync: (descriptor: number, ...rest: [Uint8Array]) => {
        if (this.paths.has(descriptor)) this.step(this.paths.get(descriptor)!);
        if (this.paths.has(descriptor)) this.dirty.add(real.fstatSync(descriptor).ino);
        return real.writeSync(descriptor, ...rest);
      },
      fsyncSync: (descriptor: number) => this.fsync(descriptor),
      closeSync: (descriptor: number) => {
        this.paths.delete(descriptor);
        real.closeSync(descriptor);
      },
    };
    Object.assign(fs, patched);
  }

  /** Runs work and cuts the power before its step of this number. Returns false if it had fewer steps. */
  async cut(step: number, keepsUnflushed: boolean, work: () => unknown): Promise<boolean> {
    this.stepsLeft = step;
    this.isOn = true;
    let wasCut = false;
    try {
      await work();
    } catch (fault) {
      if (!this.isOff) throw fault;
      wasCut = true;
    }
    this.isOff = false;
    this.isOn = false;
    this.stepsLeft = Number.POSITIVE_INFINITY;
    if (!keepsUnflushed) this.loseUnflushed();
    this.changes = [];
    this.dirty.clear();
    return wasCut;
  }

  private loseUnflushed(): void {
    for (const { undo } of this.changes.reverse()) undo();
    for (const name of real.readdirSync(this.root, { recursive: true, encoding: 'utf8' })) {
      const file = join(this.root, name);
      if (this.dirty.has(real.lstatSync(file).ino)) real.truncateSync(file, 0);
    }
  }

  /** Counts a step. Throws if the power fails before it, or is off. */
  private step(path: string): void {
    if (!this.isOn || !path.startsWith(this.root)) return;
    if (this.stepsLeft-- > 0 && !this.isOff) return;
    this.isOff = true;
    throw new PowerCut('the power is off');
  }

  private change(paths: string[], make: () => () => void): void {
    for (const path of paths.slice(0, 1)) this.step(path);
    const undo = make();
    if (this.isOn && paths[0]!.startsWith(this.root))
      this.changes.push({ folders: new Set(paths.map(dirname)), undo });
  }

  private rename(from: string, to: string): () => void {
    const saved = real.lstatSync(to, { throwIfNoEntry: false })?.isFile() ? this.save(to) : null;
    real.renameSync(from, to);
    return () => {
      real.renameSync(to, from);
      if (saved !== null) real.linkSync(saved, to);
    };
  }

  private remove(path: string): () => void {
    const at = this.bury(path);
    return () => real.renameSync(at, path);
  }

  private bury(path: string): string {
    const at = join(this.grave, String(this.graves++));
    real.renameSync(path, at);
    return at;
  }

  private save(path: string): string {
    const at = join(this.grave, String(this.graves++));
    real.linkSync(path, at);
    return at;
  }

  private open(path: string, flags: number | string, mode?: number): number {
    const creates = typeof flags === 'number' && (flags & real.constants.O_CREAT) !== 0;
    if (creates) this.step(path);
    const descriptor = real.openSync(path, flags, mode);
    if (path.startsWith(this.root) || this.root.startsWith(path)) this.paths.set(descriptor, path);
    if (this.isOn && creates && path.startsWith(this.root)) {
      const undo = () => real.rmSync(path, { force: true });
      this.changes.push({ folders: new Set([dirname(path)]), undo });
    }
    return descriptor;
  }

  private fsync(descriptor: number): void {
    const path = this.paths.get(descriptor);
    if (path !== undefined) {
      this.step(path);
      const { ino } = real.fstatSync(descriptor);
      this.dirty.delete(ino);
      // A rename is one step of the file system: an fsync of either folder makes it durable.
      this.changes = this.changes.filter(({ folders }) => !folders.has(path));
    }
    real.fsyncSync(descriptor);
  }
}
