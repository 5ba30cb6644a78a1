/** An export that can't be completed says why, and never passes off a part as the whole. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../program.ts';
import { environment, postern, posternJson, type Serving, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);
const env = { POSTERN_DATA_DIR: at('data'), POSTERN_DISK_FLOOR: '0', POSTERN_LIMITS: 'off' };
const BOX = 'box@postern.test';
const MAILS = 5;

let server: Serving;

beforeAll(async () => {
  const args = ['account', 'create', '--email', 'ann@example.com'];
  const { api_key } = await posternJson<{ api_key: string }>(args, env);
  server = await startServing(['serve'], env);
  await fetch(`${server.ready.http}/api/v1/inboxes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ routing_key: 'box' }),
  });
  const mails = Array.from(
    { length: MAILS },
    (_, index) => `From x 08:00\nSubject: ${index}\n\n${'hello'.repeat(400)}\n\n`,
  );
  writeFileSync(at('all.mbox'), mails.join(''));
  await posternJson(['mail', 'import', at('all.mbox'), '--inbox', BOX], env);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Makes a folder whose control socket passes requests on to the server's. `beforeMail` runs before each mail. */
function between(name: string, beforeMail: () => Promise<void>) {
  mkdirSync(at(name));
  const door = Bun.serve({
    unix: join(at(name), 'control.sock'),
    async fetch({ url }) {
      const { pathname, search } = new URL(url);
      if (pathname === '/raw') await beforeMail();
      return fetch(`http://postern${pathname}${search}`, { unix: join(at('data'), 'control.sock') });
    },
  });
  return {
    env: { ...env, POSTERN_DATA_DIR: at(name) },
    [Symbol.asyncDispose]: () => door.stop(true),
  };
}

test.each([
  ['mbox', 'out.mbox'],
  ['eml', 'out'],
  ['maildir', 'Maildir'],
])('an export to %s, begun while another writes there, is refused', async (format, name) => {
  const args = ['mail', 'export', BOX, '--out', at(name), '--format', format];
  let left = 3;
  let second: Awaited<ReturnType<typeof postern>> | undefined;
  await using door = between(`door-${format}`, async () => {
    left -= 1;
    if (left === 0) second = await postern(args, env);
  });
  expect(await posternJson(args, door.env)).toMatchObject({ exported: MAILS });
  expect(second).toMatchObject({ status: 1, stdout: '' });
  expect(second!.stderr).toBe(`Another export to ${at(name)} is running, so this one was not begun.\n`);
  const third = await postern(args, env);
  expect(third.stdout + third.stderr).toContain(
    format === 'mbox' ? 'already exists' : `${MAILS} already existed`,
  );
  expect(
    readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.partial'),
    ),
  ).toEqual([]);
});

const canMount = Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0;
test.skipIf(!canMount).each([
  ['mbox', '/mnt/out.mbox'],
  ['eml', '/mnt/out'],
])('an export to %s that fills the disk names the place, and says what to do', async (_, path) => {
  const script = 'mount -t tmpfs -o size=4k none /mnt && exec "$@"';
  const command = [...program, 'mail', 'export', BOX, '--out', path];
  const child = Bun.spawn(['unshare', '--mount', 'sh', '-c', script, 'sh', ...command], {
    env: environment(env),
    stderr: 'pipe',
  });
  expect(await child.stderr.text()).toMatch(
    /^\/mnt\/out\S* can't be used: there is no space left\. Free disk space/,
  );
  expect(await child.exited).toBe(1);
});

test.each([
  ['the folder is missing', 'missing', 'does not exist. Create it, or give another path.'],
  ['a file has the name of the folder', 'all.mbox', 'is not a folder. Give another path.'],
])('an export or a backup where %s says so', async (_, name, reason) => {
  const file = join(at(name), 'out.mbox');
  for (const args of [
    ['mail', 'export', BOX, '--out', file],
    ['backup', file],
  ]) {
    const { status, stderr } = await postern(args, env);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${at(name)} ${reason}`)]);
  }
});
