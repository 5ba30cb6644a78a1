/** The commands that call a server whose certificate is from a private CA. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReceiver, testCa } from '../../../peers/https-receiver.ts';
import { postern } from '../command-process.ts';
import { temporaryFolder } from '../folder.ts';

test('a server with a certificate from a private CA is trusted if POSTERN_EXTRA_CA_FILE has the CA, and the error names that setting', async () => {
  using folder = temporaryFolder();
  await using server = await startReceiver({ names: ['127.0.0.1'] });
  const body = JSON.stringify({ data: [], pagination: { next_cursor: null } });
  server.answer({ body, headers: { 'content-type': 'application/json' } });
  const env = { POSTERN_URL: `https://127.0.0.1:${server.port}` };
  const refused = await postern(['search', 'x'], env);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('is not trusted')]);
  expect(refused.stderr).toContain('Set POSTERN_EXTRA_CA_FILE');

  const file = join(folder.path, 'ca.pem');
  const trusting = { ...env, POSTERN_EXTRA_CA_FILE: file };
  const missing = await postern(['search', 'x'], trusting);
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining("can't be read")]);
  writeFileSync(file, (await testCa()).pem);
  expect(await postern(['search', 'x', '--json'], trusting)).toEqual({
    status: 0,
    stdout: '[]\n',
    stderr: '',
  });

  await using other = await startReceiver({ names: ['other.test'] });
  const wrong = await postern(['search', 'x'], {
    ...trusting,
    POSTERN_URL: `https://127.0.0.1:${other.port}`,
  });
  expect([wrong.status, wrong.stderr]).toEqual([
    1,
    `The certificate of https://127.0.0.1:${other.port} is for another name. Set POSTERN_URL to the name that it has.\n`,
  ]);
});
