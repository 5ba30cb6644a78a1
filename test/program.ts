/** How to start the program and its threads: as scripts/test built them, or from the sources, in a run without a build. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ApplianceOptions } from '../src/app/services.ts';

const { BUILT_POSTERN: executable, BUILT_THREADS: folder } = process.env;

export const program: readonly string[] = executable
  ? [executable]
  : [process.execPath, join(import.meta.dir, '../src/main.ts')];

/** How an appliance in this process starts its other processes and threads. */
export const built: Pick<ApplianceOptions, 'program' | 'threads'> = {
  program,
  ...(folder && { threads: { writer: findThread(folder, 'writer'), reader: findThread(folder, 'reader') } }),
};

function findThread(folder: string, name: string): URL {
  return pathToFileURL(join(folder, `${name}-thread.js`));
}
