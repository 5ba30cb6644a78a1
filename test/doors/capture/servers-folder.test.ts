/** A trap and a server never share a folder. */
import { afterAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postern, posternJson, startServing } from '../operator/command-process.ts';
import { temporaryFolder } from '../operator/folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test("a trap refuses a server's folder, and changes nothing in it", async () => {
  const data = join(folder.path, 'server');
  const env = { POSTERN_DATA_DIR: data };
  await posternJson(['account', 'create', '--email', 'ann@example.com'], env);
  const before = readFileSync(join(data, 'postern.db'));
  const { status, stdout, stderr } = await postern(['capture', '--data', data, '--json']);
  expect(stderr).toStartWith(`The store in ${data} belongs to a server`);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(readFileSync(join(data, 'postern.db')).equals(before)).toBe(true);
  // The folder is free again.
  await (await startServing(['serve'], env))[Symbol.asyncDispose]();
});

test('a trap accepts its own folder again, even with further accounts', async () => {
  const data = join(folder.path, 'trap');
  for (const email of ['ann@example.com', 'bob@example.com']) {
    await (await startServing(['capture', '--data', data]))[Symbol.asyncDispose]();
    await posternJson(['account', 'create', '--email', email], { POSTERN_DATA_DIR: data });
  }
});
