/** A damaged folder is reported, with what to do about it, and nothing in it is changed. */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { putCertificate } from '../../ready-certificate.ts';
import { setSchemaVersion } from '../../store-file.ts';
import { postern, posternJson, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const whole = join(folder.path, 'whole');
await posternJson(['account', 'create', '--email', 'ann@example.com'], { POSTERN_DATA_DIR: whole });

/** Copies a folder with one account. */
function copyNamed(name: string): { path: string; env: { POSTERN_DATA_DIR: string } } {
  const path = join(folder.path, name);
  cpSync(whole, path, { recursive: true });
  return { path, env: { POSTERN_DATA_DIR: path } };
}

const doors = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
const commands: [string, string[]][] = [
  ['a command', ['account', 'list', '--json']],
  ['serve', ['serve', '--json', ...doors]],
];

describe.each(commands)('%s explains and leaves alone a folder', (name, args) => {
  test.each(['garbage', 'cut in half'])('whose store is %s', async (damage) => {
    const { path, env } = copyNamed(`${name} ${damage}`);
    const file = join(path, 'postern.db');
    if (damage === 'cut in half') truncateSync(file, Math.floor(statSync(file).size / 2));
    else writeFileSync(file, 'no store at all '.repeat(1000));
    const before = readFileSync(file);
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toContain(`The store ${file} is damaged`);
    expect(stderr).toContain('backup');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('with a store from a newer Postern', async () => {
    const { path, env } = copyNamed(`${name} newer`);
    setSchemaVersion(join(path, 'postern.db'), 999);
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toStartWith('The store was written by a newer Postern');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });

  test("with another program's database under the store's name", async () => {
    const { path, env } = copyNamed(`${name} foreign`);
    const file = join(path, 'postern.db');
    for (const left of readdirSync(path)) if (left !== 'tls') rmSync(join(path, left), { recursive: true });
    const database = new Database(file);
    database.exec('CREATE TABLE invoice (id)');
    database.close();
    const [before, names] = [readFileSync(file), readdirSync(path)];
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toStartWith(`${file} is a database of another program, not a Postern store.`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(path)).not.toContain('server.key');
    expect(names).not.toContain('server.key');
  });

  test('whose store has been emptied', async () => {
    const { path, env } = copyNamed(`${name} emptied`);
    const file = join(path, 'postern.db');
    truncateSync(file);
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toStartWith(`The store ${file} is empty (0 bytes)`);
    expect(stderr).toContain('postern restore');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect({ status, stdout, size: statSync(file).size }).toEqual({ status: 1, stdout: '', size: 0 });
  });

  test.each(['missing', 'empty'])('whose store is %s while its write-ahead log has content', async (lost) => {
    const { path, env } = copyNamed(`${name} log ${lost}`);
    const file = join(path, 'postern.db');
    const log = 'what is left of the mail';
    writeFileSync(`${file}-wal`, log);
    if (lost === 'missing') rmSync(file);
    else truncateSync(file);
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toStartWith(`The store ${file} is ${lost}`);
    expect(stderr).toContain(`its write-ahead log ${file}-wal is not`);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(readFileSync(`${file}-wal`, 'utf8')).toBe(log);
  });

  test('whose store is a link to a disk that is not mounted', async () => {
    const { path, env } = copyNamed(`${name} unmounted`);
    const file = join(path, 'postern.db');
    rmSync(file);
    symlinkSync('/nowhere/postern.db', file);
    const { status, stderr } = await postern(args, env);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `The store ${file} is a link to a file that does not exist. Is its disk mounted?\n`,
    });
  });

  test('whose key is missing', async () => {
    const { path, env } = copyNamed(`${name} keyless`);
    rmSync(join(path, 'server.key'));
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toContain(`The server's key ${join(path, 'server.key')} is missing`);
    expect(stderr).toContain('backup');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(readdirSync(path)).not.toContain('server.key');
  });
});

test('a restore keeps the write-ahead log of a store that has been emptied', async () => {
  const { path, env } = copyNamed('emptied, restored');
  const file = join(path, 'postern.db');
  await posternJson(['backup', join(folder.path, 'whole.db')], env);
  writeFileSync(`${file}-wal`, 'what is left of the mail');
  truncateSync(file);
  const { kept } = await posternJson<{ kept: string }>(['restore', join(folder.path, 'whole.db')], env);
  expect(readFileSync(join(kept, 'postern.db-wal'), 'utf8')).toBe('what is left of the mail');
  expect(await posternJson<unknown[]>(['account', 'list'], env)).toHaveLength(1);
});

test('a key that others could read is made private, with a warning', async () => {
  const { path, env } = copyNamed('open key');
  const file = join(path, 'server.key');
  chmodSync(file, 0o644);
  const { status, stderr } = await postern(['account', 'list', '--json'], env);
  expect(status).toBe(0);
  expect(stderr).toContain(`${file} was accessible to other users (mode 644)`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await postern(['account', 'list'], env)).stderr).toBe('');
});

describe('a certificate', () => {
  const spoilEnd = (file: string) => writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}garbage`);
  const damages: [string, string, (file: string) => void][] = [
    ['that a power cut has emptied', 'self-signed.key', (file) => truncateSync(file)],
    ['with garbage after its last line', 'self-signed.crt', spoilEnd],
    ['with garbage after its last line', 'self-signed.key', spoilEnd],
  ];
  test.each(damages)('of our own %s (%s) is replaced, with a warning', async (how, name, damage) => {
    const { path, env } = copyNamed(`${how} ${name}`);
    putCertificate(path);
    const file = join(path, 'tls', name);
    damage(file);
    const server = await startServing(['serve'], env);
    await server[Symbol.asyncDispose]();
    expect(await server.stderr).toContain('the self-signed certificate was damaged; a new one is created');
    expect(await server.stderr).toContain(file);
    const again = await startServing(['serve'], env);
    await again[Symbol.asyncDispose]();
    expect(await again.stderr).not.toContain('damaged');
  });

  test('of the operator that is unreadable, malformed or for another key stops the start', async () => {
    const { path, env } = copyNamed('given certificate');
    const pairs = [];
    for (const name of ['one', 'two']) {
      const created = copyNamed(`certificate ${name}`);
      await (await startServing(['serve'], created.env))[Symbol.asyncDispose]();
      const at = (end: string) => join(created.path, `tls/self-signed.${end}`);
      pairs.push({ cert: at('crt'), key: at('key') });
    }
    const [one, two] = pairs as [{ cert: string; key: string }, { cert: string; key: string }];
    const junk = join(path, 'junk.pem');
    writeFileSync(junk, 'junk');
    const wrong: [string, string, string][] = [
      ['/nope/c.pem', one.key, "POSTERN_TLS_CERT (/nope/c.pem) can't be read"],
      [one.cert, '/nope/k.pem', "POSTERN_TLS_KEY (/nope/k.pem) can't be read"],
      [junk, one.key, `POSTERN_TLS_CERT (${junk}) contains no PEM certificate`],
      [one.cert, junk, `POSTERN_TLS_KEY (${junk}) contains no PEM private key`],
      [one.cert, two.key, `POSTERN_TLS_KEY (${two.key}) is not the key of`],
    ];
    for (const [cert, key, message] of wrong) {
      const { status, stderr } = await postern(['serve', '--json', ...doors], {
        ...env,
        POSTERN_TLS_CERT: cert,
        POSTERN_TLS_KEY: key,
      });
      expect(stderr).toContain(message);
      expect(status).toBe(1);
    }
    // The server never replaces it with one of its own.
    expect(readFileSync(junk, 'utf8')).toBe('junk');
    const given = { ...env, POSTERN_TLS_CERT: one.cert, POSTERN_TLS_KEY: one.key };
    await (await startServing(['serve'], given))[Symbol.asyncDispose]();
  });
});
