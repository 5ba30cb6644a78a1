/** How the program is started: with the executable that scripts/test built, or (for a single file) from the sources. */
import { join } from 'node:path';

const built = process.env.BUILT_POSTERN;

export const program: readonly string[] = built
  ? [built]
  : [process.execPath, join(import.meta.dir, '../src/main.ts')];
