/** `postern watch`: a line for each message that arrives, whatever happens to the connection. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendMail } from '../../../peers/smtp-client.ts';
import { program } from '../../../program.ts';
import { postern, type Serving, startServing } from '../command-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-watch-'));
let trap: Serving;
const env = () => ({ POSTERN_URL: trap.ready.http, POSTERN_API_KEY: trap.ready.api_key ?? '' });
beforeAll(async () => {
  trap = await startServing(['capture', '--data', folder]);
});
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function send(to: string, subject: string, body = 'hello') {
  const raw = `From: App <app@example.org>\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${body}\r\n`;
  const port = Number(trap.ready.smtp.split(':').at(-1));
  await sendMail({ port, from: 'app@example.org', to: [to], raw });
}

/** A watch under way, and what it has printed. */
function startWatch(args: string[] = []) {
  const child = Bun.spawn([...program, 'watch', ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env() },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  const read = (async () => {
    for await (const chunk of child.stdout) text += Buffer.from(chunk).toString();
  })();
  const stderr = new Response(child.stderr).text();
  return {
    stderr,
    lines: () => text.split('\n').slice(0, -1),
    async end(signal: NodeJS.Signals = 'SIGINT') {
      child.kill(signal);
      await read;
      return child.exited;
    },
  };
}

type Watch = ReturnType<typeof startWatch>;

async function linesOf(watch: Watch, count: number): Promise<string[]> {
  const ends = performance.now() + 10_000;
  while (watch.lines().length < count) {
    if (performance.now() > ends) throw new Error(`only ${JSON.stringify(watch.lines())}`);
    await Bun.sleep(5);
  }
  return watch.lines();
}

/** Until it hears: mail from before its start is not shown. */
async function listening(watch: Watch): Promise<void> {
  const ends = performance.now() + 10_000;
  while (watch.lines().length === 0 && performance.now() < ends) await send('ready@example.com', 'ready');
  // The last one may still be on its way.
  const { json } = await countReady();
  await linesOf(watch, json);
}

async function countReady(): Promise<{ json: number }> {
  return { json: 1 };
}

test('prints a line for each message of any inbox, as the banner does, until it is interrupted', async () => {
  await send('before@example.com', 'Not shown');
  const watch = startWatch();
  await listening(watch);
  await send('ann@example.com', 'Sign in', 'Your code is 482913');
  await send('bob+tag@example.com', 'A\u001b[31mred\u0007', 'x');
  const ends = performance.now() + 10_000;
  while (!watch.lines().some((line) => line.includes('bob+tag')) && performance.now() < ends)
    await Bun.sleep(5);
  const lines = watch.lines().filter((line) => !line.includes('ready@'));
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}ann@example\.com {2}Sign in {2}482913 {2}from App <app@/),
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}bob\+tag@example\.com {2}A \[31mred {2}from App <app@/),
  ]);
  expect(await watch.end()).toBe(0);
  expect(await watch.stderr).toBe('');
});

test('prints a line of JSON each with --json, and ends on SIGTERM', async () => {
  const watch = startWatch(['--json']);
  await listening(watch);
  await send('json@example.com', 'One', 'Your code is 112233');
  const ends = performance.now() + 10_000;
  while (!watch.lines().at(-1)?.includes('json@') && performance.now() < ends) await Bun.sleep(5);
  expect(JSON.parse(watch.lines().at(-1)!)).toMatchObject({ subject: 'One', otp: '112233' });
  expect(await watch.end('SIGTERM')).toBe(0);
});

test('goes on after a restart of the server, with what came meanwhile, and nothing twice', async () => {
  const watch = startWatch(['--json']);
  await listening(watch);
  const port = new URL(trap.ready.http).port;
  const key = trap.ready.api_key!;
  await trap[Symbol.asyncDispose]();
  const args = ['capture', '--data', folder, '--http-listen', `127.0.0.1:${port}`];
  trap = await startServing(args, { POSTERN_CAPTURE_API_KEY: key });
  await send('after@example.com', 'After');
  const ends = performance.now() + 20_000;
  while (!watch.lines().at(-1)?.includes('after@') && performance.now() < ends) await Bun.sleep(5);
  const ids = watch.lines().map((line) => (JSON.parse(line) as { id: string }).id);
  expect(JSON.parse(watch.lines().at(-1)!)).toMatchObject({ subject: 'After' });
  expect(new Set(ids).size).toBe(ids.length);
  expect(await watch.end()).toBe(0);
}, 40_000);

test('ends with 1 when there is no server, or the key is wrong', async () => {
  const nobody = await postern(['watch'], { POSTERN_URL: 'http://127.0.0.1:9' });
  expect([nobody.status, nobody.stdout]).toEqual([1, '']);
  expect(nobody.stderr).toContain('POSTERN_URL');
  const wrong = await postern(['watch'], { ...env(), POSTERN_API_KEY: 'pst_live_wrong' });
  expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('POSTERN_API_KEY')]);
});
