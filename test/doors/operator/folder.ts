import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that is removed at the end of the block (`using`). */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'operator-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
