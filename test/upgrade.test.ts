/** Stores of every earlier schema, so of every released version, taken through the program as an upgrade does. */
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import releases from './corpus/stores/releases.json' with { type: 'json' };
import { earlierStore, mail, storeKey, storesDir } from './platform/store/earlier-store.ts';
import { program } from './program.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-upgrade-'));
afterAll(() => rmSync(dir, { recursive: true }));
const kept = readdirSync(storesDir).flatMap((name) => /^schema-(\d+)\.db\.zst$/.exec(name)?.[1] ?? []);

async function run(...args: string[]) {
  const child = Bun.spawn([...program, ...args], { env: {}, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { output, errors, exitCode };
}

describe('the program', () => {
  test.each(kept.map(Number).sort((a, b) => a - b))(
    'reads the mail in a store of schema %d',
    async (schema) => {
      const data = mkdtempSync(join(dir, `${schema}-`));
      writeFileSync(join(data, 'postern.db'), earlierStore(schema));
      writeFileSync(join(data, 'server.key'), storeKey, { mode: 0o600 });
      const out = join(data, 'out.mbox');
      const { errors, exitCode } = await run(
        'mail',
        'export',
        'kept@postern.test',
        '--out',
        out,
        '--data-dir',
        data,
      );
      expect([exitCode, exitCode === 0 || errors]).toEqual([0, true]);
      const body = mail.raw.split('\r\n\r\n')[1]!.trim();
      expect(readFileSync(out, 'utf8')).toContain(body);
    },
  );
});

test('the store of every released version is kept', () => {
  const missing = Object.entries(releases as Record<string, number>).filter(
    ([, schema]) => !existsSync(join(storesDir, `schema-${schema}.db.zst`)),
  );
  expect(missing).toEqual([]);
});
