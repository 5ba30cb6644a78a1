/** `postern watch`: a line for each message that arrives, whatever happens to the connection. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendMail } from '../../../peers/smtp-client.ts';
import { program } from '../../../program.ts';
import { type RunningAppliance, startAppliance } from '../../../start.ts';
import { until } from '../../../until.ts';
import { environment, postern } from '../command-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-watch-'));
const start = (httpListen: string) =>
  startAppliance({
    dataDir: folder,
    capture: { apiKey: 'secret' },
    settings: { http_listen: httpListen, limits: 'off', wait_slots: '100' },
  });
let trap: RunningAppliance;
const env = () => ({ POSTERN_URL: trap.url, POSTERN_API_KEY: 'secret' });
beforeAll(async () => {
  trap = await start('127.0.0.1:0');
});
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function send(to: string, subject: string, body = 'hello') {
  const raw = `From: App <app@example.org>\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${body}\r\n`;
  await sendMail({ port: trap.smtpPort, from: 'app@example.org', to: [to], raw });
}

/** A running watch, and what it has printed. */
function startWatch(args: string[] = []) {
  const child = Bun.spawn([...program, 'watch', ...args], {
    env: environment(env()),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  const read = (async () => {
    for await (const chunk of child.stdout) text += Buffer.from(chunk).toString();
  })();
  let errors = '';
  const readErrors = (async () => {
    for await (const chunk of child.stderr) errors += Buffer.from(chunk).toString();
  })();
  return {
    errors: () => errors,
    lines: () => text.split('\n').slice(0, -1),
    async end(signal: NodeJS.Signals = 'SIGINT') {
      child.kill(signal);
      await Promise.all([read, readErrors]);
      return child.exited;
    },
  };
}

/** Waits until its stream is open: earlier messages are not shown. */
const listening = () => until(() => trap.services.waits.size === 1);

test('watch prints a line for each message in any inbox, as a trap does, until it is interrupted', async () => {
  await send('before@example.com', 'Not shown');
  const watch = startWatch();
  await listening();
  await send('ann@example.com', 'Sign in', 'Your code is 482913');
  await send('bob+tag@example.com', 'A\u001b[31mred\u0007', 'x');
  await until(() => watch.lines().some((line) => line.includes('bob+tag')));
  const lines = watch.lines().filter((line) => !line.includes('ready@'));
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}ann@example\.com +482913 +App <app@example\.org> +Sign in$/),
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}bob\+tag@example\.com +App <app@example\.org> +A \[31mred$/),
  ]);
  expect(await watch.end()).toBe(0);
  expect(watch.errors()).toBe('');
});

test('watch prints a line of JSON for each message with --json, and ends on SIGTERM', async () => {
  const watch = startWatch(['--json']);
  await listening();
  await send('json@example.com', 'One', 'Your code is 112233');
  await until(() => watch.lines().length === 1);
  expect(JSON.parse(watch.lines()[0]!)).toMatchObject({ subject: 'One', otp: '112233' });
  expect(await watch.end('SIGTERM')).toBe(0);
});

test('watch continues after a restart of the server, without missing a message or printing one twice', async () => {
  const watch = startWatch(['--json']);
  await listening();
  await send('one@example.com', 'One');
  await until(() => watch.lines().length === 1);
  const { httpPort } = trap;
  await trap[Symbol.asyncDispose]();
  trap = await start(`127.0.0.1:${httpPort}`);
  await send('two@example.com', 'Two');
  await until(() => watch.lines().length === 2, 20_000);
  await send('three@example.com', 'Three');
  await until(() => watch.lines().length === 3);
  const subjects = watch.lines().map((line) => (JSON.parse(line) as { subject: string }).subject);
  expect(subjects).toEqual(['One', 'Two', 'Three']);
  expect(await watch.end()).toBe(0);
}, 40_000);

test('watch reports a busy server once, and retries until it has a free slot', async () => {
  // The server notices a moment later that an earlier watch has ended.
  await until(() => trap.services.waits.slots.size === 0);
  const hungUp = new AbortController();
  const headers = { authorization: 'Bearer secret' };
  const others = Array.from({ length: 16 }, () =>
    fetch(`${trap.url}/api/v1/messages/stream`, { headers, signal: hungUp.signal }),
  );
  const answers = await Promise.all(others);
  expect(answers.map(({ status }) => status)).not.toContain(429);
  const watch = startWatch();
  await until(() => watch.errors().includes('429'));
  hungUp.abort();
  // Referenced until here, because fetch hangs up when an unread answer is garbage-collected.
  await Promise.allSettled(answers.map((answer) => answer.text()));
  // The others leave one by one and the watch enters between them, so their number does not show when it listens.
  const ends = performance.now() + 30_000;
  while (watch.lines().length === 0 && performance.now() < ends) {
    await send('free@example.com', 'Free');
    await Bun.sleep(20);
  }
  expect(watch.lines()).not.toEqual([]);
  expect(await watch.end()).toBe(0);
  expect(watch.errors().match(/Trying again/g)).toHaveLength(1);
});

test('watch exits with 1 when there is no server, or the key is wrong', async () => {
  const nobody = await postern(['watch'], { POSTERN_URL: 'http://127.0.0.1:9' });
  expect([nobody.status, nobody.stdout]).toEqual([1, '']);
  expect(nobody.stderr).toContain('POSTERN_URL');
  const wrong = await postern(['watch'], { ...env(), POSTERN_API_KEY: 'pst_live_wrong' });
  expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('POSTERN_API_KEY')]);
});
