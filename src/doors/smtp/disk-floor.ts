import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { PlatformServices } from '../../platform/services.ts';

type Reserve = NonNullable<PlatformServices['store']['reserve']>;

/** Shortest time between two checks of the disk. */
const CHECK_EVERY_MS = 1000;
/** How long a disk that had room is not checked again: in a flood, each mail asks. The commit has the last word. */
const ROOM_MS = 50;
/** With less free space, only what still fits into the write-ahead log is stored. */
const FULL_BYTES = 128 * 1024;

export interface DiskWatch {
  /** Whether mail must be refused for lack of space. Takes microseconds. */
  isLow(): boolean;
  /** Returns why mail is or will soon be refused, and the remedy; null if there is room. */
  trouble(): string | null;
}

/** Watches whether the folder's disk has less free space than the floor, or is full. */
export function watchDisk(dir: string, floorBytes: number, reserve: Reserve | null): DiskWatch {
  let low = false;
  let shortage: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const check = async () => {
    try {
      const disk = await statfs(dir);
      low = disk.bavail * disk.bsize < floorBytes;
      shortage = describeShortage(disk);
    } catch {
      // Where the system can't tell, the store's error at the commit decides.
      low = false;
      shortage = null;
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
      return isUnderFloor() ? 'free disk space is below the configured minimum' : shortage;
    },
  };
}

/** What a disk lacks that the floor does not cover: it may be 0, and it is about space alone. */
function describeShortage({ bavail, bsize, files, ffree }: StatsFs): string | null {
  if (bavail * bsize < FULL_BYTES) {
    return (
      'the disk is full: mail is answered 452, and writes 503, as soon as the write-ahead log has no room left. Delete ' +
      'messages or inboxes, or free space'
    );
  }
  // Some file systems do not count files and report 0 of 0.
  if (files === 0 || ffree > 0) return null;
  return (
    'the disk can hold no more files (no free inodes): large mail is answered 452, and all mail while much arrives. ' +
    'Delete files there; df -i shows the inodes in use'
  );
}

function adviseOnFullDisk(reserve: Reserve, floorBytes: number): string {
  const wantedMib = Math.ceil(Math.max(reserve.roomWantedBytes, floorBytes) / 1024 ** 2);
  return (
    `mail is answered 452 and nothing is stored until ${wantedMib} MiB are free. Reads still work; delete messages or ` +
    'inboxes, or free space'
  );
}
