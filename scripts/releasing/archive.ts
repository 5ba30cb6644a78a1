import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { listTarOptions } from '../reproducible-tar.ts';
import { targets } from '../targets.ts';
import { fillFolder, type GeneratedFiles } from './folder.ts';
import { run } from './run.ts';

/** It takes 4 s for 62.4 MB. Level 12 takes 40 s for 60.9 MB. */
const LEVEL = 6;

export interface Contents {
  epoch: number;
  generated: GeneratedFiles;
}

/** Writes `<executable>.tar.gz`, which has a release folder of the same name with the executable in it. */
export function packArchive(executable: string, target: string, { epoch, generated }: Contents): void {
  const work = mkdtempSync(join(tmpdir(), 'postern-release-'));
  try {
    const name = basename(executable);
    const folder = join(work, name);
    fillFolder(folder, targets[target]!.os, generated);
    copyFileSync(executable, join(folder, 'postern'));
    chmodSync(join(folder, 'postern'), 0o755);
    const tar = join(work, 'tar');
    run(['tar', ...listTarOptions('ustar', epoch), '-cf', tar, '-C', work, name]);
    // With the library inside the pinned Bun, because the machine's gzip may be updated.
    writeFileSync(
      `${executable}.tar.gz`,
      Bun.gzipSync(readFileSync(tar), { library: 'libdeflate', level: LEVEL }),
    );
  } finally {
    rmSync(work, { recursive: true });
  }
}
