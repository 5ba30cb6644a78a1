/** Secrets that systemd passes to the service as files. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { knobs } from '../../../src/platform/core/settings.ts';
import { postern } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const smarthost = 'smtp://ann:secret@relay.example:587';
const env = { CREDENTIALS_DIRECTORY: folder.path };

/** Returns what `postern config` prints for POSTERN_OUTBOUND. */
async function readOutbound(more: Record<string, string> = {}): Promise<{ value: unknown; source: string }> {
  const { stdout } = await postern(['config', '--json'], { ...env, ...more });
  const all = JSON.parse(stdout) as { variable: string; value: unknown; source: string }[];
  return all.find(({ variable }) => variable === 'POSTERN_OUTBOUND')!;
}

describe("systemd's credentials", () => {
  test('are secrets named after their settings, and are never printed', async () => {
    expect((await readOutbound()).source).toBe('default');
    writeFileSync(join(folder.path, 'postern.outbound'), `${smarthost}\n`);
    const found = await readOutbound();
    expect(found.source).toBe('environment');
    expect(JSON.stringify(found)).not.toContain('secret@');
  });

  test('are overridden by a variable, and by a file that a variable names', async () => {
    writeFileSync(join(folder.path, 'postern.outbound'), 'nonsense');
    writeFileSync(join(folder.path, 'own'), smarthost);
    for (const more of [
      { POSTERN_OUTBOUND: 'off' },
      { POSTERN_OUTBOUND_FILE: join(folder.path, 'own') },
    ] as Record<string, string>[])
      expect((await readOutbound(more)).source).toBe('environment');
    const { status, stderr } = await postern(['config'], env);
    expect([status, stderr]).toEqual([2, expect.stringContaining('POSTERN_OUTBOUND')]);
    expect(stderr).not.toContain('nonsense');
  });

  test('are all requested by the unit', () => {
    const unit = readFileSync(join(import.meta.dir, '../../../systemd/postern.service'), 'utf8');
    const secrets = knobs.filter(({ rule }) => rule.secret && rule.side !== 'client');
    expect(Array.from(unit.matchAll(/^LoadCredential=(.*)$/gm), ([, id]) => id).sort()).toEqual(
      secrets.map(({ name }) => `postern.${name}`).sort(),
    );
  });
});
