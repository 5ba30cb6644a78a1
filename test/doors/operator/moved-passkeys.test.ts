/** The operator's passkeys belong to another host name than the base URL's. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Authenticator, type Ceremony } from '../../peers/authenticator.ts';
import { posternJson, type Serving, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('a start at another base URL than that of the operator’s passkeys logs a warning, and a link to sign in with', async () => {
  const env = { POSTERN_DATA_DIR: join(folder.path, 'moved') };
  const sets = async (server: Serving) => {
    server.kill('SIGTERM');
    await server.exited;
    return [...(await server.stderr).matchAll(/"(link|added_at)":"([^"]*)"/g)].map(([, , value]) => value);
  };
  await using first = await startServing(['serve'], env);
  const ask = async (path: string, body: object) => {
    const reply = await fetch(`${first.ready.http}/dashboard/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await reply.json()) as { data: Ceremony };
  };
  const email = 'ann@example.com';
  await posternJson(['account', 'create', '--email', email], env);
  const { invite_url } = await posternJson<{ invite_url: string }>(['member', 'link', email, email], env);
  const token = invite_url.split('/').at(-1);
  const { data } = await ask('/invite/passkey/begin', { token });
  const answer = new Authenticator(first.ready.http.replace('127.0.0.1', 'localhost')).create(data);
  await ask('/invite/passkey', { token, pending: data.pending, answer, name: 'Laptop' });
  expect(await sets(first)).toEqual([expect.stringContaining('/setup/')]);

  await using same = await startServing(['serve'], env);
  expect(await sets(same)).toEqual([]);
  await using moved = await startServing(['serve'], {
    ...env,
    POSTERN_BASE_URL: 'https://mail.example.com',
  });
  expect(await sets(moved)).toEqual([
    'localhost',
    expect.stringMatching(/^https:\/\/mail\.example\.com\/setup\//),
  ]);
});
