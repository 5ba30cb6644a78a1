import { statfs } from 'node:fs/promises';
import type { PlatformServices } from '../../platform/services.ts';

type Reserve = NonNullable<PlatformServices['store']['reserve']>;

/** Shortest time between two checks of the disk. */
const LOOK_EVERY_MS = 1000;
/** A disk that had room is not checked again for this long: a flood checks with each mail. The commit has the last word. */
const ROOM_MS = 50;

export interface DiskWatch {
  /** Whether mail must be refused for lack of space; costs microseconds. */
  isLow(): boolean;
  /** The same in words, with a remedy. */
  trouble(): string | null;
}

/** Watches whether the folder's disk has less free space than the floor, or is full. */
export function watchDisk(dir: string, floorBytes: number, reserve: Reserve | null): DiskWatch {
  let low = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    try {
      const { bavail, bsize } = await statfs(dir);
      low = bavail * bsize < floorBytes;
    } catch {
      // Where the system does not say, the store's error at the commit decides.
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
  let hasRoomUntil = Number.NEGATIVE_INFINITY;
  const isSpent = () => {
    if (!reserve || performance.now() < hasRoomUntil) return false;
    // A full disk is looked at each time: mail is accepted as soon as there is room.
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

/** What to do about a full disk. */
function adviseOnFullDisk(reserve: Reserve, floorBytes: number): string {
  const wantedMib = Math.ceil(Math.max(reserve.roomWantedBytes, floorBytes) / 1024 ** 2);
  return (
    `mail is answered 452 and nothing is stored until ${wantedMib} MiB are free. Reads still work; delete messages or ` +
    'inboxes, or free space'
  );
}
