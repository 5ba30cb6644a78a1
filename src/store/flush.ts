import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Brings a file, or the names in a folder, to the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
