import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { targets } from '../targets.ts';
import { fillFolder, type GeneratedFiles } from './folder.ts';
import { run } from './run.ts';

/** 62.4 MB in 4 s; level 12 takes 40 s for 60.9. */
const LEVEL = 6;

export interface Contents {
  epoch: number;
  generated: GeneratedFiles;
}

/** Writes `<executable>.tar.gz`: a release folder of the same name, with the executable in it. */
export function packArchive(executable: string, target: string, { epoch, generated }: Contents): void {
  const work = mkdtempSync(join(tmpdir(), 'postern-release-'));
  try {
    const name = basename(executable);
    const folder = join(work, name);
    fillFolder(folder, targets[target]!.os, generated);
    copyFileSync(executable, join(folder, 'postern'));
    chmodSync(join(folder, 'postern'), 0o755);
    const tar = join(work, 'tar');
    run(['tar', ...sameBytes(epoch), '-cf', tar, '-C', work, name]);
    // Uses the library inside the pinned Bun: the machine's gzip may have another version tomorrow.
    writeFileSync(
      `${executable}.tar.gz`,
      Bun.gzipSync(readFileSync(tar), { library: 'libdeflate', level: LEVEL }),
    );
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Options with which GNU tar writes the same bytes for the same files. */
const sameBytes = (epoch: number) => [
  '--sort=name',
  '--format=ustar',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  `--mtime=@${epoch}`,
];
