/** A command that fails says what happened and what to do, once. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFileFault } from '../../../src/doors/operator/file-fault.ts';
import { postern, startServing } from './command-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-errors-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a refusal says each reason only once', () => {
  test('for a webhook’s URL', async () => {
    await using server = await startServing(['serve', '--data-dir', join(folder, 'data')]);
    const env = { POSTERN_DATA_DIR: join(folder, 'data') };
    const { stdout } = await postern(['account', 'create', '--email', 'ann@example.com', '--json'], env);
    const created = await fetch(`${server.ready.http}/api/v1/inboxes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${JSON.parse(stdout).api_key}` },
    });
    const { data } = (await created.json()) as { data: { id: string } };
    const { status, stderr } = await postern(['webhook', 'set', data.id, '--url', 'https://10.0.0.1/'], env);
    expect(status).toBe(1);
    expect(stderr.match(/10\.0\.0\.1 is not public/g)).toHaveLength(1);
  });

  test('for a search', async () => {
    await using trap = await startServing(['capture']);
    const env = { POSTERN_URL: trap.ready.http };
    const { status, stderr } = await postern(['search', 'foo:bar'], env);
    expect(status).toBe(1);
    expect(stderr).toStartWith('QUERY has an unknown token');
    expect(stderr.match(/unknown token/g)).toHaveLength(1);
    const wait = await postern(['wait', 'ann@x.test', '--subject', 'x'.repeat(201)], env);
    expect(wait.stderr).toBe('--subject may have at most 200 characters\n');
    const fault = ['fault', 'add', '--stage', 'rcpt', '--delay-ms', '300001'];
    expect((await postern(fault, env)).stderr).toBe('--delay-ms must be an integer from 0 to 300000\n');
  });
});

describe('a wrong setting', () => {
  const env = { POSTERN_SMTP_LISTEN: 'garbage', POSTERN_API_KEY_FILE: join(folder, 'missing') };

  test.each(['version', '--version', '--help', 'serve --help', 'man', 'completion bash', 'openapi'])(
    'does not stop postern %s, which needs none',
    async (line) => {
      const { status, stdout, stderr } = await postern(line.split(' '), env);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).not.toBe('');
    },
  );

  test('nor does it hide a wrong flag there, or itself from a command that needs it', async () => {
    expect(await postern(['version', '--nope'], env)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.not.stringContaining('POSTERN_SMTP_LISTEN'),
    });
    const { status, stderr } = await postern(['config'], env);
    expect([status, stderr]).toEqual([2, expect.stringContaining('POSTERN_SMTP_LISTEN must be host:port')]);
  });
});

describe('the error for a file', () => {
  test.each([
    ['EACCES', 'Run the command as another user'],
    ['EROFS', 'read-only'],
    ['ENOSPC', 'Free disk space'],
    ['EIO', 'the disk fails'],
    ['ENOTDIR', 'is a file, not a folder'],
    ['EISDIR', 'is a folder, not a file'],
  ])('names the file and says what to do about %s', (code, text) => {
    const explanation = explainFileFault(Object.assign(new Error(code), { code, path: '/srv/backup.db' }));
    expect(explanation).toStartWith("/srv/backup.db can't be used: ");
    expect(explanation).toContain(text);
  });

  test('says what to do about a file where a folder should be', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { status, stderr } = await postern(['account', 'list', '--data-dir', file]);
    expect({ status, lines: stderr.split('\n').length }).toEqual({ status: 1, lines: 2 });
    expect(stderr).toContain('Give another path.');
  });

  test('names the lock of the data folder when SQLite can’t open it', async () => {
    const dataDir = join(folder, 'no-lock');
    mkdirSync(join(dataDir, 'lock.db'), { recursive: true });
    const { status, stderr } = await postern(['account', 'list', '--data-dir', dataDir]);
    expect([status, stderr]).toEqual([
      1,
      `${dataDir}/lock.db can't be locked: unable to open database file (SQLITE_CANTOPEN). Does the disk fail (see dmesg)?\n`,
    ]);
  });

  test('is left unchanged for any other reason', () => {
    expect(explainFileFault(new Error('EACCES'))).toBeNull();
    expect(explainFileFault(Object.assign(new Error('x'), { code: 'ENOENT', path: '/x' }))).toBeNull();
  });
});

test('an API key that no HTTP header can carry is refused before anything starts', async () => {
  for (const name of ['POSTERN_CAPTURE_API_KEY', 'POSTERN_API_KEY']) {
    for (const value of ['two words', 'schlüssel']) {
      const { status, stderr } = await postern(['config'], { [name]: value });
      expect(status).toBe(2);
      expect(stderr).toBe(`${name} must be printable ASCII characters without spaces\n`);
    }
  }
});
