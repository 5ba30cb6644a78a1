/**
 * When root runs a command on another user's data folder, the work is done as that user: the user may have planted
 * links there, and root would open, overwrite or hand over their targets.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepareAddon } from '../../platform/store/addon.ts';

/** Drops root's rights permanently, for a command that no longer needs them. */
export async function actAsOwner(dataDir: string): Promise<void> {
  const owner = findForeignOwner(dataDir);
  if (!owner) return;
  await loadOutside();
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}

/** Drops root's rights while `open` runs; what it opens stays open afterwards. */
export async function openAsOwner<Opened>(dataDir: string, open: () => Promise<Opened>): Promise<Opened> {
  const owner = findForeignOwner(dataDir);
  if (!owner) return open();
  await loadOutside();
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([owner.gid]);
  process.setegid?.(owner.gid);
  process.seteuid?.(owner.uid);
  try {
    return await open();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}

/** Returns the folder's owner when this process is root and the folder is another user's; otherwise null. */
export function findForeignOwner(dataDir: string): { uid: number; gid: number } | null {
  if (process.geteuid?.() !== 0) return null;
  const found = statSync(resolve(dataDir), { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null;
}

/**
 * Loads SQLite's native code while this is still root. It may be unpacked into a folder first, and root must not load
 * code from a folder of another user.
 */
function loadOutside(): Promise<void> {
  return prepareAddon(join(tmpdir(), `postern-${randomBytes(16).toString('hex')}`));
}
