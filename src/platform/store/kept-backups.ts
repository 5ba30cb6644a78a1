/**
 * Earlier backups beside the newest one. `postern.db` is always the newest; one that it replaces is named by the time
 * when it was made, `postern-20261124T030000123456Z.db`, and the oldest ones are deleted.
 */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { isoTime } from '../core/clock.ts';
import { flushFolder, linkOrMove } from '../files/durable.ts';
import { readNote } from './backup.ts';
import { openReader } from './database.ts';

/** Two backups have the same time only if the clock was set back, so a free microsecond is near. */
const SAME_TIME_MAX = 1_000;

interface KeptBackup {
  path: string;
  /** Microseconds. */
  madeAt: number;
}

/**
 * Gives the backup with this name a second name of its own, so that a backup has this name at any moment, even if the
 * process is killed. Returns the second name; null when there is no backup.
 */
export function setAside(file: string): string | null {
  if (!existsSync(file)) return null;
  const madeAt = readTime(file);
  if (madeAt === null) throw new Error(`${file} is not a Postern backup.`);
  const { dir, name, ext } = parse(file);
  for (let at = madeAt; at < madeAt + SAME_TIME_MAX; at++) {
    const kept = join(dir, `${name}-${isoTime(at).replace(/[-:.]/g, '')}${ext}`);
    const there = lstatSync(kept, { throwIfNoEntry: false });
    // Set aside by a run that was killed before it gave the new backup its name.
    if (there && there.ino === lstatSync(file).ino) return kept;
    if (there) continue;
    linkOrMove(file, kept);
    flushFolder(dirname(kept));
    return kept;
  }
  throw new Error(`${file} could not be kept: ${SAME_TIME_MAX} backups of its time are there already.`);
}

/** Deletes the oldest backups set aside, so that with `file` at most `keep` remain. Returns the deleted ones. */
export function deleteOldest(file: string, keep: number, nowUs: number): string[] {
  const old = listSetAside(file, nowUs).slice(Math.max(0, keep - 1));
  // The oldest first: whatever stops this, the newest stay.
  const deleted = old.map(({ path }) => path).reverse();
  for (const path of deleted) rmSync(path, { force: true });
  return deleted;
}

/**
 * Backups set aside, newest first. Those dated in the future come last: they were made while the clock was wrong, and
 * would otherwise push out good ones until that time. Any other file is left alone, even with such a name: it may be a
 * link to somebody's own file, or what a broken disk has left.
 */
function listSetAside(file: string, nowUs: number): KeptBackup[] {
  const { dir, name, ext } = parse(file);
  const isName = (one: string) =>
    one.startsWith(`${name}-`) &&
    one.endsWith(ext) &&
    /^\d{8}T\d{12}Z$/.test(one.slice(name.length + 1, one.length - ext.length));
  const found = readdirSync(dir)
    .filter(isName)
    .map((one) => join(dir, one))
    .filter((path) => lstatSync(path).isFile())
    .map((path) => ({ path, madeAt: readTime(path) }))
    .filter((one): one is KeptBackup => one.madeAt !== null);
  const rank = ({ madeAt }: KeptBackup) => (madeAt > nowUs ? -1 : madeAt);
  return found.sort((a, b) => rank(b) - rank(a) || b.madeAt - a.madeAt);
}

/** When a backup was made, microseconds; null if the file is not a backup. */
function readTime(file: string): number | null {
  try {
    const database = openReader(file);
    try {
      return readNote(database)?.made_at ?? null;
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}
