/**
 * The power fails before any step of a change to the data folder: the next start finds either the old or the new
 * state.
 */
import { afterAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson } from '../../doors/operator/command-process.ts';

/** In memory where possible: a flush is only counted here and costs no time. */
const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'postern-cuts-'));
afterAll(() => rmSync(dir, { recursive: true }));

interface Cut {
  step: number;
  keepsUnflushed: boolean;
  wasCut: boolean;
}

async function cuts<Found>(what: string, ...rest: string[]): Promise<(Cut & Found)[]> {
  const work = join(dir, what);
  mkdirSync(work, { recursive: true });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'cuts.ts'), what, work, ...rest], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`${out.trim().split('\n').at(-1)}\n${errors}`);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Cut & Found);
}

test('a restore leaves either the old store or the new one, each with its own key, and keeps the old ones whole', async () => {
  const at = (name: string) => join(dir, 'restore', name);
  const env = (name: string) => ({ POSTERN_DATA_DIR: at(name) });
  mkdirSync(at(''), { recursive: true });
  for (const name of ['old', 'new']) {
    await posternJson(['account', 'create', '--email', `${name}@example.com`], env(name));
  }
  await posternJson(['backup', at('backup.db')], env('new'));
  cpSync(at('old/server.key'), at('old.key'));
  const readState = (name: string) => ({
    email: `${name}@example.com`,
    isSound: true,
    key: readFileSync(at(`${name}/server.key`)).toString('hex'),
  });
  const before = { ...readState('old'), kept: null, names: 0 };
  const after = { ...readState('new'), kept: readState('old'), names: 1 };
  const found = await cuts<typeof before>('restore', at('backup.db'));
  for (const { step, keepsUnflushed, wasCut, ...state } of found) {
    const expected = wasCut && state.email === before.email ? before : after;
    expect({ step, keepsUnflushed, ...state }).toEqual({ step, keepsUnflushed, ...expected } as never);
  }
  // Both states occurred, in both kinds of cut.
  expect(new Set(found.map(({ keepsUnflushed, email }) => `${keepsUnflushed} ${email}`)).size).toBe(4);
});

test('a created certificate exists whole or not at all', async () => {
  const found = await cuts<{ damage: string[]; isKept: boolean }>('certificate');
  expect(found.length).toBeGreaterThan(10);
  for (const { step, keepsUnflushed, wasCut, damage, isKept } of found) {
    expect({ step, keepsUnflushed, damage }).toEqual({ step, keepsUnflushed, damage: [] });
    expect(wasCut || isKept).toBe(true);
  }
});

test('a first start leaves only stores in WAL mode, and keeps what it finished', async () => {
  const found = await cuts<Record<string, boolean>>('first start');
  for (const { step, keepsUnflushed, wasCut, ...state } of found) {
    const { hadStore, hadKey } = state;
    const expected = { hadKey, hadStore, isWal: hadStore, isSameKey: true, isWhole: true };
    expect({ step, keepsUnflushed, ...state }).toEqual({ step, keepsUnflushed, ...expected } as never);
    if (!wasCut) expect({ hadStore, hadKey }).toEqual({ hadStore: true, hadKey: true });
  }
});
