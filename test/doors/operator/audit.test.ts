import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postern, posternJson, startServing } from './command-process.ts';

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

/** U+009B begins a terminal's command as ESC [ does, and U+202E turns the direction of text. Headers carry the bytes of UTF-8. */
const HOSTILE = 'Agent \u009b31m\u202e';

test('audit export prints nothing of a stranger that a terminal would act on', async () => {
  await using serving = await startServing(['serve'], env);
  const refused = await fetch(`${serving.ready.http}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': Buffer.from(HOSTILE).toString('latin1') },
    body: JSON.stringify({ email: 'eve@example.com', password: 'a wrong one' }),
  });
  expect(refused.status).toBe(401);
  for (const format of [[], ['--json']]) {
    const { stdout } = await postern(['audit', 'export', ...format], env);
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
    expect(stdout).toContain('\\u009b31m');
  }
});
