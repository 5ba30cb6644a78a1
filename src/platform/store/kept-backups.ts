/**
 * Keeps earlier backups beside the newest one. `postern.db` is always the newest. One that it replaces is named after the time
 * at which it was made (`postern-20261124T030000123456Z.db`), and the oldest ones are deleted.
 */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { isoTime } from '../core/clock.ts';
import { flushFolder, linkOrMove } from '../files/durable.ts';
import { readNote } from './backup.ts';
import { openReader } from './database.ts';

/** Microseconds to try for a free name. Two backups have the same time only if the clock was set back, so one is near. */
const SAME_TIME_MAX = 1_000;

interface KeptBackup {
  path: string;
  /** Microseconds. */
  madeAt: number;
}

/**
 * Gives the backup a second name, so that it is kept when a newer one takes its first. It is not renamed: even if the process is
 * killed, there is always a backup of the first name. Returns the second name; null if there is no backup.
 */
export function setAside(file: string): string | null {
  if (!existsSync(file)) return null;
  const madeAt = readTime(file);
  if (madeAt === null) throw new Error(`${file} is not a Postern backup.`);
  const { dir, name, ext } = parse(file);
  for (let at = madeAt; at < madeAt + SAME_TIME_MAX; at++) {
    const kept = join(dir, `${name}-${isoTime(at).replace(/[-:.]/g, '')}${ext}`);
    const there = lstatSync(kept, { throwIfNoEntry: false });
    // It was set aside already, by a run that was killed before the new backup got its name.
    if (there && there.ino === lstatSync(file).ino) return kept;
    if (there) continue;
    linkOrMove(file, kept);
    flushFolder(dirname(kept));
    return kept;
  }
  throw new Error(`${file} could not be kept: ${SAME_TIME_MAX} backups of its time are there already.`);
}

/** Deletes the oldest of the backups set aside, so that at most `keep` remain, including `file`. Returns the deleted ones. */
export function deleteOldest(file: string, keep: number, nowUs: number): string[] {
  const old = listSetAside(file, nowUs).slice(Math.max(0, keep - 1));
  // The oldest first, so that the newest remain if this is interrupted.
  const deleted = old.map(({ path }) => path).reverse();
  for (const path of deleted) rmSync(path, { force: true });
  return deleted;
}

/**
 * Lists the backups set aside, newest first. Those dated in the future come last: they were made while the clock was wrong, and
 * would otherwise displace good ones until that time comes. Other files of such a name are left alone: one may be a link to a
 * person's own file, or a backup that the disk has damaged.
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

/** Returns the time at which a backup was made, in microseconds. Null if the file is not a backup. */
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
