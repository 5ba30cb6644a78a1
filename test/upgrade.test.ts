/** The program opens stores of every earlier schema, and so of every released version, as an upgrade does. */
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import releases from './corpus/stores/releases.json' with { type: 'json' };
import { earlierStore, mail, storeKey, storesDir } from './platform/store/earlier-store.ts';
import { program } from './program.ts';
import { readStore } from './store-file.ts';

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

const schemas = kept.map(Number).sort((a, b) => a - b);

function makeFolder(schema: number): string {
  const data = mkdtempSync(join(dir, `${schema}-`));
  writeFileSync(join(data, 'postern.db'), earlierStore(schema));
  writeFileSync(join(data, 'server.key'), storeKey, { mode: 0o600 });
  return data;
}

async function expectMail(data: string): Promise<void> {
  const out = join(data, 'out.mbox');
  const args = ['mail', 'export', 'kept@postern.test', '--out', out, '--data-dir', data];
  const { errors, exitCode } = await run(...args);
  expect([exitCode, exitCode === 0 || errors]).toEqual([0, true]);
  const body = mail.raw.split('\r\n\r\n')[1]!.trim();
  expect(readFileSync(out, 'utf8')).toContain(body);
}

describe('the program', () => {
  test.each(schemas)('reads the mail in a store of schema %d', async (schema) => {
    await expectMail(makeFolder(schema));
  });
});

/** The moments at which the server is killed: once it has done something, or after some milliseconds. */
const moments: ((data: string) => boolean | number)[] = [
  (data) => existsSync(join(data, 'migration-copy')),
  (data) => listCopies(data).some((name) => name.endsWith('.partial')),
  (data) => listCopies(data).some((name) => name.endsWith('.db')),
  (data) => (statSync(join(data, 'postern.db-wal'), { throwIfNoEntry: false })?.size ?? 0) > 0,
  () => 300 + 450 * Math.random(),
];

function listCopies(data: string): string[] {
  const copies = join(data, 'migration-copy');
  return existsSync(copies) ? readdirSync(copies) : [];
}

async function serveUntil(data: string, isDue: (typeof moments)[number]): Promise<void> {
  const listen = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
  const child = Bun.spawn([...program, 'serve', '--data-dir', data, '--json', ...listen], {
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const begun = performance.now();
  let isReady = false;
  const ready = child.stdout.getReader().read();
  void ready.then(() => (isReady = true));
  // A server that is ready is killed too.
  while (!isReady) {
    const due = isDue(data);
    if (typeof due === 'number' ? performance.now() - begun > due : due) break;
    await Bun.sleep(1);
  }
  await Bun.sleep(80 * Math.random());
  child.kill('SIGKILL');
  await child.exited;
}

test('a server that is killed at any moment of an upgrade leaves a store of the old schema or the new one', async () => {
  const newest = schemas.at(-1)!;
  const left = { old: 0, new: 0 };
  const attempt = async (schema: number) => {
    const data = makeFolder(schema);
    // Twice in a row, so that the second start finds what the first has left half done.
    for (const turn of [0, 2]) {
      await serveUntil(data, moments[(schema + turn) % moments.length]!);
      const { version, isSound } = readStore(join(data, 'postern.db'));
      expect([schema, isSound, version === schema || version === newest]).toEqual([schema, true, true]);
      left[version === newest ? 'new' : 'old']++;
    }
    await expectMail(data);
    expect(listCopies(data).filter((name) => name.endsWith('.partial'))).toEqual([]);
  };
  const waiting = schemas.filter((schema) => schema < newest);
  const worker = async () => {
    for (let schema = waiting.shift(); schema !== undefined; schema = waiting.shift()) await attempt(schema);
  };
  await Promise.all([worker(), worker()]);
  // The moments are on both sides of the commit.
  expect(Math.min(left.old, left.new)).toBeGreaterThan(2);
}, 120_000);

test('the store of every released version is kept', () => {
  const missing = Object.entries(releases as Record<string, number>).filter(
    ([, schema]) => !existsSync(join(storesDir, `schema-${schema}.db.zst`)),
  );
  expect(missing).toEqual([]);
});
