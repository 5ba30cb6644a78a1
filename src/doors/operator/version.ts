import { tmpdir } from 'node:os';
import { version as postern } from '../../../package.json';
import type { LocalCommand } from './command.ts';

export const version: LocalCommand = {
  name: 'version',
  meaning: 'print the versions of Postern, Bun and SQLite',
  needsNoSettings: true,
  async runHere({ json }) {
    const { readSqliteVersion } = await import('../../platform/store/lock.ts');
    const sqlite = await readSqliteVersion(tmpdir());
    const bun = Bun.version;
    process.stdout.write(
      json
        ? `${JSON.stringify({ version: postern, bun, sqlite })}\n`
        : `Postern ${postern} (Bun ${bun}, SQLite ${sqlite})\n`,
    );
    return 0;
  },
};
