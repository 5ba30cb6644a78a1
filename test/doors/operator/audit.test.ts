import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postern, posternJson } from './command-process.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-audit-'));
afterAll(() => rmSync(dir, { recursive: true }));
const env = { POSTERN_DATA_DIR: dir };

test('audit export prints a line for each entry of the whole server, or of an account that was deleted', async () => {
  const { account_id } = await posternJson<{ account_id: string }>(
    ['account', 'create', '--email', 'ann@example.com'],
    env,
  );
  await postern(['account', 'create', '--email', 'eve@example.com'], env);
  await postern(['account', 'set', account_id, '--plan', 'pro'], env);
  await postern(['account', 'delete', account_id], env);
  const read = async (...args: string[]) => {
    const { status, stdout } = await postern(['audit', 'export', ...args], env);
    expect(status).toBe(0);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  expect((await read()).map(({ action }) => action)).toEqual([
    'account.created',
    'account.created',
    'account.changed',
    'account.deleted',
  ]);
  const whole = await posternJson<unknown[]>(['audit', 'export'], env);
  expect(whole).toEqual(await read());
  expect(await posternJson<unknown>(['audit', 'export', '--since', '2199-01-01'], env)).toEqual([]);
  const own = await read('--account', account_id);
  expect(own.map(({ action, actor }) => [action, actor.kind])).toEqual([
    ['account.created', 'operator'],
    ['account.changed', 'operator'],
    ['account.deleted', 'operator'],
  ]);
  expect(own[1].details).toEqual({ plan: 'business → pro' });
  expect(await read('--since', '2199-01-01')).toEqual([]);
  expect((await postern(['audit', 'export', '--since', 'yesterday'], env)).status).toBe(2);
});
