/** `postern upgrade --check` requests one address, only when it is run, and trusts nothing in the answer. */
import { afterAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../package.json';
import { testCa } from '../../peers/https-receiver.ts';
import { program } from '../../program.ts';
import { temporaryFolder } from './folder.ts';

const asked: string[] = [];
const answers: Record<string, () => Response> = {
  '/newer/release.json': () =>
    Response.json({ version: '99.0.0', released: '2030-01-02', changes: ['Faster.', 'A\u001b[31m red one'] }),
  '/same/release.json': () => Response.json({ version }),
  '/odd/release.json': () => Response.json({ version: '9.9.9; rm -rf /', changes: 5 }),
  '/list/release.json': () => Response.json([1]),
  '/text/release.json': () => new Response('<html>'),
  '/large/release.json': () => new Response('x'.repeat(300 * 1024)),
  '/away/release.json': () => Response.redirect('http://example.com/release.json', 302),
  '/round/release.json': () => Response.redirect('/round/release.json', 302),
  '/moved/release.json': () => Response.redirect('/newer/release.json', 302),
};
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    return answers[pathname]?.() ?? new Response('no', { status: 404 });
  },
});
afterAll(() => server.stop(true));
const at = (folder: string) => `http://127.0.0.1:${server.port}/${folder}`;

async function run(args: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...program, 'upgrade', ...args], { env, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { output, errors, exitCode };
}

test('upgrade prints what is new and how to install it, without control characters', async () => {
  const { output, exitCode } = await run(['--check', '--from', at('newer/')]);
  expect(exitCode).toBe(0);
  expect(output).toContain(`Postern 99.0.0 (2030-01-02) is available; ${version} is installed.`);
  expect(output).toContain('  - Faster.\n  - A [31m red one\n');
  expect(output).toContain(`curl -fsS ${at('newer')}/install.sh | sudo sh -s -- --from ${at('newer')}/`);
});

test('upgrade follows a redirect, and takes the address from the setting', async () => {
  const { output } = await run(['--check', '--json'], { POSTERN_RELEASES_URL: at('moved') });
  expect(JSON.parse(output)).toMatchObject({ installed: version, newest: '99.0.0', newer: true });
});

test('upgrade says when there is nothing newer', async () => {
  const { output } = await run(['--check', '--json', '--from', at('same')]);
  expect(JSON.parse(output)).toMatchObject({ newest: version, newer: false, install: null });
});

test('upgrade makes no request without --check or without an address', async () => {
  asked.length = 0;
  const without = await run(['--from', at('newer')]);
  expect([without.exitCode, without.errors]).toEqual([2, expect.stringContaining('add --check')]);
  const nowhere = await run(['--check']);
  expect([nowhere.exitCode, nowhere.errors]).toEqual([2, expect.stringContaining('POSTERN_RELEASES_URL')]);
  expect(asked).toEqual([]);
});

test.each([
  ['odd', 'it has no version'],
  ['list', 'it has no version'],
  ['text', 'it has no version'],
  ['large', 'too large'],
  ['away', 'must begin with https://'],
  ['round', 'redirects too many times'],
  ['gone', 'answered 404'],
])('upgrade refuses the release index at /%s, and says why: %s', async (folder, reason) => {
  const { errors, exitCode } = await run(['--check', '--from', at(folder)]);
  expect([exitCode, errors]).toEqual([1, expect.stringContaining(reason)]);
});

test('a plain http address on another machine is not requested', async () => {
  const { errors, exitCode } = await run(['--check', '--from', 'http://example.com/latest']);
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('must begin with https://')]);
});

test('a redirect from another machine to this one is not followed', async () => {
  const ca = await testCa();
  const tls = await ca.issue(['localhost']);
  await using elsewhere = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls,
    fetch: () => Response.redirect(`${at('newer')}/release.json`, 302),
  });
  using folder = temporaryFolder();
  const roots = join(folder.path, 'roots.pem');
  writeFileSync(roots, ca.pem);
  asked.length = 0;
  const from = `https://localhost:${elsewhere.port}`;
  const { errors, exitCode } = await run(['--check', '--from', from], { POSTERN_EXTRA_CA_FILE: roots });
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('which is not https')]);
  expect(asked).toEqual([]);
  const untrusted = await run(['--check', '--from', from]);
  expect([untrusted.exitCode, untrusted.errors]).toEqual([
    1,
    expect.stringContaining('Set POSTERN_EXTRA_CA_FILE'),
  ]);
});
