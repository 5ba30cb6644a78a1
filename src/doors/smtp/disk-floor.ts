import { statfs } from 'node:fs/promises';
import type { PlatformServices } from '../../platform/services.ts';

type Reserve = NonNullable<PlatformServices['store']['reserve']>;

/** Shortest time between two checks of the disk. */
const CHECK_EVERY_MS = 1000;
/** How long a disk that had room is not checked again: in a flood, each mail asks. The commit has the last word. */
const ROOM_MS = 50;

export interface DiskWatch {
  /** Whether mail must be refused for lack of space. Takes microseconds. */
  isLow(): boolean;
  /** Returns why mail is refused, and the remedy; null if it is not. */
  trouble(): string | null;
}

/** Watches whether the folder's disk has less free space than the floor, or is full. */
export function watchDisk(dir: string, floorBytes: number, reserve: Reserve | null): DiskWatch {
  let low = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const check = async () => {
    try {
      const { bavail, bsize } = await statfs(dir);
      low = bavail * bsize < floorBytes;
    } catch {
      // Where the system can't tell, the store's error at the commit decides.
      low = false;
    }
  };
  void check();
  const isUnderFloor = () => {
    const now = performance.now();
    if (now - checkedAt > CHECK_EVERY_MS) {
      checkedAt = now;
      void check();
    }
    return low;
  };
  let hasRoomUntil = Number.NEGATIVE_INFINITY;
  const isSpent = () => {
    if (!reserve || performance.now() < hasRoomUntil) return false;
    // A full disk is checked each time: mail is accepted again as soon as there is room.
    if (reserve.isSpent()) return true;
    hasRoomUntil = performance.now() + ROOM_MS;
    return false;
  };
  return {
    isLow: () => isSpent() || isUnderFloor(),
    trouble() {
      if (reserve?.isSpent()) return `the disk is full: ${adviseOnFullDisk(reserve, floorBytes)}`;
      return isUnderFloor() ? 'free disk space is below the configured minimum' : null;
    },
  };
}

function adviseOnFullDisk(reserve: Reserve, floorBytes: number): string {
  const wantedMib = Math.ceil(Math.max(reserve.roomWantedBytes, floorBytes) / 1024 ** 2);
  return (
    `mail is answered 452 and nothing is stored until ${wantedMib} MiB are free. Reads still work; delete messages or ` +
    'inboxes, or free space'
  );
}
