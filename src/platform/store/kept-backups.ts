/**
 * Earlier backups beside the newest one. `postern.db` is always the newest; one that it replaces is renamed by the time
 * when it was made, `postern-20261124T030000123456Z.db`, and the oldest ones are deleted.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, parse } from 'node:path';
import { isoTime } from '../core/clock.ts';
import { move } from '../files/durable.ts';
import { readNote } from './backup.ts';
import { openReader } from './database.ts';

/** Gives the backup with this name one of its own. Returns its new name; null when there is none. */
export function setAside(file: string): string | null {
  if (!existsSync(file)) return null;
  const madeAt = readTime(file);
  if (madeAt === null) throw new Error(`${file} is not a Postern backup.`);
  const { dir, name, ext } = parse(file);
  const kept = join(dir, `${name}-${isoTime(madeAt).replace(/[-:.]/g, '')}${ext}`);
  move(file, kept);
  return kept;
}

/** Deletes the oldest backups set aside, so that with `file` at most `keep` remain. Returns the deleted ones. */
export function deleteOldest(file: string, keep: number): string[] {
  const old = listSetAside(file).slice(Math.max(0, keep - 1));
  for (const one of old) rmSync(one);
  return old;
}

/** Newest first. Any other file is left alone, even with such a name. */
function listSetAside(file: string): string[] {
  const { dir, name, ext } = parse(file);
  const isName = (one: string) =>
    one.startsWith(`${name}-`) &&
    one.endsWith(ext) &&
    /^\d{8}T\d{12}Z$/.test(one.slice(name.length + 1, one.length - ext.length));
  return readdirSync(dir)
    .filter(isName)
    .sort()
    .reverse()
    .map((one) => join(dir, one))
    .filter((one) => readTime(one) !== null);
}

/** When a backup was made, microseconds; null for a file that is none. */
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
