import { statfs } from 'node:fs/promises';
import type { PlatformServices } from '../../platform/services.ts';

type Reserve = NonNullable<PlatformServices['store']['reserve']>;

/** Looked at no more often than this; between looks the last answer stands. */
const LOOK_EVERY_MS = 1000;

export interface DiskWatch {
  /** Says whether mail must be refused for want of space; costs microseconds. */
  isLow(): boolean;
  /** The same in words, with what to do. */
  trouble(): string | null;
}

/** Looks whether the folder's disk has less free space than the floor, or is full. */
export function watchDisk(dir: string, floorBytes: number, reserve: Reserve | null): DiskWatch {
  let low = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    try {
      const { bavail, bsize } = await statfs(dir);
      low = bavail * bsize < floorBytes;
    } catch {
      // Where the system does not tell, the store's own fault at the commit decides.
      low = false;
    }
  };
  void look();
  const isUnderFloor = () => {
    const now = performance.now();
    if (now - lookedAt > LOOK_EVERY_MS) {
      lookedAt = now;
      void look();
    }
    return low;
  };
  return {
    // Asked anew each time: the moment there is room, mail is taken.
    isLow: () => reserve?.isSpent() === true || isUnderFloor(),
    trouble() {
      if (reserve?.isSpent()) return `the disk is full: ${adviseOnFullDisk(reserve, floorBytes)}`;
      return isUnderFloor() ? 'the disk is under its floor' : null;
    },
  };
}

/** What to do about a disk that is full. */
function adviseOnFullDisk(reserve: Reserve, floorBytes: number): string {
  const wantedMib = Math.ceil(Math.max(reserve.roomWantedBytes, floorBytes) / 1024 ** 2);
  return (
    `mail is answered 452 and nothing is stored until ${wantedMib} MiB are free. Reading goes on; delete messages or ` +
    'inboxes, or free space'
  );
}
