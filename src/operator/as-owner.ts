/**
 * Root that works for the user of a data folder works as that user: the folder is that user's, who may have put links
 * into it, and what root opens or gives away there would be whatever they lead to.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepareAddon } from '../store/addon.ts';

/** For good: for a command that needs nothing of root's any more. */
export async function actAsOwner(data_dir: string): Promise<void> {
  const owner = foreignOwner(data_dir);
  if (!owner) return;
  await loadOutside();
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}

/** For a while: what `open` opens stays open afterwards. */
export async function openAsOwner<Opened>(data_dir: string, open: () => Promise<Opened>): Promise<Opened> {
  const owner = foreignOwner(data_dir);
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

/** Null unless this is root, and the folder is there and another user's. */
export function foreignOwner(data_dir: string): { uid: number; gid: number } | null {
  if (process.geteuid?.() !== 0) return null;
  const found = statSync(resolve(data_dir), { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null;
}

/** Code that root loads must not come out of that user's folder, where it goes when it can't be in memory. */
function loadOutside(): Promise<void> {
  return prepareAddon(join(tmpdir(), `postern-${randomBytes(16).toString('hex')}`));
}
