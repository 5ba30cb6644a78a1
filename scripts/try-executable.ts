import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Needs the store, its threads, which are embedded as separate files, and the addon. */
const ARGUMENTS = ['account', 'create', '--email=build@postern.test', '--data-dir=data', '--json'];

/**
 * Runs an executable alone, in an empty folder with an empty environment. Returns what it said if it does not work; null
 * if it does.
 *
 * @param command the executable, perhaps after an emulator.
 */
export function tryExecutable(command: readonly string[], timeoutMs: number): string | null {
  const cwd = mkdtempSync(join(tmpdir(), 'postern-try-'));
  try {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command, ...ARGUMENTS], {
      cwd,
      env: {},
      timeout: timeoutMs,
    });
    return exitCode === 0 && stdout.includes('"api_key"') ? null : `${stdout}${stderr}`;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
