/** `postern sendmail`, as programs call /usr/sbin/sendmail. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../../program.ts';
import { environment, postern, posternJson, startServing } from '../command-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-sendmail-'));
const trap = await startServing(['capture']);
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const env = { POSTERN_URL: trap.ready.http, POSTERN_API_KEY: trap.ready.api_key ?? '' };
const mail =
  'From: App <app@x.example>\nTo: sm@example.com\nBcc: hidden@example.com\nSubject: via sendmail\n\nhello\n.\nafter the dot\n';

async function readMessage(address: string) {
  return posternJson<{ text: string; from: string; envelope_from: string; to: string[] }>(
    ['wait', address, '--message', '--since', '0', '--mark-read'],
    env,
  );
}

test('with -t reads the recipients from the mail, and sends no Bcc header', async () => {
  expect(await postern(['sendmail', '-t', '-i'], env, mail)).toEqual({ status: 0, stdout: '', stderr: '' });
  const { text, envelope_from } = await readMessage('hidden@example.com');
  expect(envelope_from).toBe('app@x.example');
  expect(text).toContain('after the dot');
  expect((await readMessage('sm@example.com')).to).toEqual(['sm@example.com']);
});

test('ends the mail at a line with a single dot without -i, and takes the sender from -f', async () => {
  await postern(['sendmail', '-fbounce@x.example', 'named@example.com'], env, mail);
  const { text, envelope_from } = await readMessage('named@example.com');
  expect(text.trim()).toBe('hello');
  expect(envelope_from).toBe('bounce@x.example');
});

test('accepts the flags of other sendmail programs, combined or with values', async () => {
  const flags =
    '-oi -F Name -odi -B8BITMIME -N never -O DeliveryMode=b -B 8BITMIME -bm -q -r <r@x.example> --'.split(
      ' ',
    );
  expect((await postern(['sendmail', ...flags, 'odd@example.com'], env, mail)).stderr).toBe('');
  expect(await readMessage('odd@example.com')).toMatchObject({ envelope_from: 'r@x.example' });
});

test('completes the names of this machine, as cron and sudo give them', async () => {
  const local = `root@${hostname()}`;
  const cron = '-FCronDaemon -i -B8BITMIME -oem -f daemon root'.split(' ');
  const written = 'From: root (Cron Daemon)\nTo: root\nSubject: Cron <root@box>\n\nhello\n';
  expect(await postern(['sendmail', ...cron], env, written)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await readMessage(local)).toMatchObject({ envelope_from: `daemon@${hostname()}` });
  expect(await postern(['sendmail', '-t'], env, written)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await readMessage(local)).toMatchObject({ envelope_from: local });
});

test('gives a mail without From the caller’s address, or that of -f', async () => {
  const written = 'To: nobody@example.com\nSubject: Backup\n\ndone\n';
  const own = `${(await Bun.$`id -un`.text()).trim()}@${hostname()}`;
  const sent = async (...flags: string[]) => {
    // A service has no $USER.
    const bare = { ...env, USER: '', LOGNAME: '' };
    expect((await postern(['sendmail', ...flags, 'bare@example.com'], bare, written)).stderr).toBe('');
    const { from, envelope_from } = await readMessage('bare@example.com');
    return [from, envelope_from];
  };
  expect(await sent()).toEqual([own, own]);
  expect(await sent('-fapp@x.example')).toEqual(['app@x.example', 'app@x.example']);
  expect(await sent('-fbücher@x.example')).toEqual(['bücher@x.example', 'bücher@x.example']);
  expect(await sent('-f', '<>')).toEqual([own, '']);
  expect(await sent('-f', 'App <app@x.example>')).toEqual(['app@x.example', 'app@x.example']);
  expect(await sent('-f', 'not an address')).toEqual([own, '']);
});

test('adds nothing but an address to a mail, whatever the sender of the envelope', async () => {
  const from = 'app@x.example\nBcc: eve@x.example\n\nanother text';
  await postern(['sendmail', '-f', from, 'split@example.com'], env, 'Subject: Backup\n\ndone\n');
  const { text, from: shown } = await readMessage('split@example.com');
  expect(text.trim()).toBe('done');
  expect(shown).toMatch(/^[\w.-]+@[\w.-]+$/);
});

test('refuses SMTP on standard input without reading it, because its caller waits for a greeting', async () => {
  const child = Bun.spawn([...program, 'sendmail', '-bs', '-i'], {
    env: environment(env),
    stdin: 'pipe',
    stderr: 'pipe',
  });
  expect(await child.exited).toBe(64);
  expect(await new Response(child.stderr).text()).toContain('-bs is not supported; use -t -i');
});

test('also works under the name sendmail', async () => {
  const link = join(folder, 'sendmail');
  symlinkSync(program[0]!, link);
  const child = Bun.spawn([link, ...program.slice(1), '-t'], {
    env: environment(env),
    stdin: Buffer.from(mail.replace('sm@', 'linked@')),
    stderr: 'pipe',
  });
  expect(await new Response(child.stderr).text()).toBe('');
  expect(await child.exited).toBe(0);
  expect((await readMessage('linked@example.com')).to).toEqual(['linked@example.com']);
});

test('exits with the statuses that callers of sendmail know', async () => {
  expect((await postern(['sendmail'], env, mail)).status).toBe(64);
  expect(
    (await postern(['sendmail', 'a@example.com'], { ...env, POSTERN_SMTP: '127.0.0.1:9' }, mail)).status,
  ).toBe(75);
  expect((await postern(['sendmail', 'not an address'], env, mail)).status).toBe(69);
});
