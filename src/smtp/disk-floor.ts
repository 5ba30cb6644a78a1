import { statfs } from 'node:fs/promises';

/** Looked at no more often than this; between looks the last answer stands. */
const LOOK_EVERY_MS = 1000;

/** Says whether the folder's disk has less free space than the floor; never waits for the disk. */
export function watchDisk(dir: string, floor_bytes: number): () => boolean {
  let low = false;
  let looked_at = Number.NEGATIVE_INFINITY;
  const look = async () => {
    try {
      const { bavail, bsize } = await statfs(dir);
      low = bavail * bsize < floor_bytes;
    } catch {
      // Where the system does not tell, the store's own fault at the commit decides.
      low = false;
    }
  };
  void look();
  return () => {
    const now = performance.now();
    if (now - looked_at > LOOK_EVERY_MS) {
      looked_at = now;
      void look();
    }
    return low;
  };
}
