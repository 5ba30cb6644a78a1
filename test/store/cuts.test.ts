/** The power fails before any step of what changes the data folder: what the next start finds is one or the other. */
import { afterAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson } from '../operator/command-process.ts';

/** In memory where that is to be had: a flush is a step to count here, and costs nothing. */
const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'postern-cuts-'));
afterAll(() => rmSync(dir, { recursive: true }));

interface Cut {
  step: number;
  keeps_unflushed: boolean;
  was_cut: boolean;
}

async function cuts<Found>(what: string, ...rest: string[]): Promise<(Cut & Found)[]> {
  const work = join(dir, what);
  mkdirSync(work, { recursive: true });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'cuts.ts'), what, work, ...rest], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, told, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`${out.trim().split('\n').at(-1)}\n${told}`);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Cut & Found);
}

test('a restore leaves the old store with its key or the new one with its own, and keeps the old ones whole', async () => {
  const at = (name: string) => join(dir, 'restore', name);
  const env = (name: string) => ({ POSTERN_DATA_DIR: at(name) });
  mkdirSync(at(''), { recursive: true });
  for (const name of ['old', 'new']) {
    await posternJson(['account', 'create', '--email', `${name}@example.com`], env(name));
  }
  await posternJson(['backup', at('backup.db')], env('new'));
  cpSync(at('old/server.key'), at('old.key'));
  const stateOf = (name: string) => ({
    email: `${name}@example.com`,
    is_sound: true,
    key: readFileSync(at(`${name}/server.key`)).toString('hex'),
  });
  const before = { ...stateOf('old'), kept: null, names: 0 };
  const after = { ...stateOf('new'), kept: stateOf('old'), names: 1 };
  const found = await cuts<typeof before>('restore', at('backup.db'));
  for (const { step, keeps_unflushed, was_cut, ...state } of found) {
    const expected = was_cut && state.email === before.email ? before : after;
    expect({ step, keeps_unflushed, ...state }).toEqual({ step, keeps_unflushed, ...expected } as never);
  }
  // Both were seen, in both ways of a cut.
  expect(new Set(found.map(({ keeps_unflushed, email }) => `${keeps_unflushed} ${email}`)).size).toBe(4);
});

test('a certificate that was made is there whole, or not at all', async () => {
  const found = await cuts<{ damage: string[]; is_kept: boolean }>('certificate');
  expect(found.length).toBeGreaterThan(10);
  for (const { step, keeps_unflushed, was_cut, damage, is_kept } of found) {
    expect({ step, keeps_unflushed, damage }).toEqual({ step, keeps_unflushed, damage: [] });
    expect(was_cut || is_kept).toBe(true);
  }
});

test('a first start leaves no store that is not in WAL mode, and what it finished stays', async () => {
  const found = await cuts<Record<string, boolean>>('first start');
  for (const { step, keeps_unflushed, was_cut, ...state } of found) {
    const { had_store, had_key } = state;
    const expected = { had_key, had_store, is_wal: had_store, is_same_key: true, is_whole: true };
    expect({ step, keeps_unflushed, ...state }).toEqual({ step, keeps_unflushed, ...expected } as never);
    if (!was_cut) expect({ had_store, had_key }).toEqual({ had_store: true, had_key: true });
  }
});
