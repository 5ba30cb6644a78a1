/**
 * Tries the executable alone: `bun scripts/smoke.ts EXECUTABLE FOLDER`. Started in an empty folder with an empty
 * environment, it must receive a mail, serve it, keep it across a restart, and stop in order.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sendMail } from '../test/peers/smtp-client.ts';

const [executable = 'dist/postern', folder = '.'] = process.argv.slice(2);
const program = resolve(executable);
const empty = join(resolve(folder), 'empty');
const data = join(resolve(folder), 'data');
mkdirSync(empty, { recursive: true });

const raw = 'From: a@a.test\r\nTo: b@b.test\r\nSubject: smoke\r\n\r\nYour code is 482913.\r\n';

interface Ready {
  http: string;
  smtp: string;
  api_key?: string;
}

interface Inbox {
  id: string;
  address: string;
}

interface Message {
  subject: string;
  text: string;
}

async function start(...args: string[]) {
  const child = Bun.spawn([program, ...args, '--json'], {
    cwd: empty,
    env: { POSTERN_HTTP_LISTEN: '127.0.0.1:0', POSTERN_SMTP_LISTEN: '127.0.0.1:0' },
    stdout: 'pipe',
    stderr: 'inherit',
    // A hanging server must not block CI.
    timeout: 60_000,
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('\n')) break;
  }
  if (!text.includes('\n')) throw new Error(`${args[0]} ended before it was ready`);
  return { child, ready: JSON.parse(text.split('\n')[0]!) as Ready };
}

async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM');
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`the server exited with ${exitCode} on SIGTERM`);
}

function run(...args: string[]): Record<string, string> {
  const done = Bun.spawnSync([program, ...args, '--json'], { cwd: empty, env: {}, timeout: 60_000 });
  if (done.exitCode !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
  return JSON.parse(done.stdout.toString());
}

async function get<Data>(http: string, apiKey: string, path: string, method = 'GET') {
  const answer = await fetch(`${http}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { data: Data };
}

async function receive(ready: Ready, to: string): Promise<void> {
  const port = Number(ready.smtp.split(':').at(-1));
  const { data: reply } = await sendMail({ port, from: 'a@a.test', to: [to], raw });
  if (reply?.code !== 250) throw new Error(`the mail was answered ${reply?.code} ${reply?.lines}`);
}

async function expectMail(ready: Ready, apiKey: string): Promise<void> {
  const { data: inboxes } = await get<Inbox[]>(ready.http, apiKey, '/inboxes');
  const { data } = await get<Message>(ready.http, apiKey, `/inboxes/${inboxes[0]!.id}/messages/latest`);
  const { subject, text } = data;
  if (subject !== 'smoke' || !text.includes('482913'))
    throw new Error(`the message has the subject ${subject} and the text ${text}`);
}

/** Requests the dashboard's page and each file that it names. */
async function expectPages(http: string): Promise<void> {
  const html = await (await fetch(http)).text();
  const files = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, file = '']) => file);
  const missing = [];
  for (const file of files) if (!(await fetch(http + file)).ok) missing.push(file);
  if (files.length < 3 || missing.length > 0)
    throw new Error(`the dashboard lacks ${missing.join() || 'its files'}`);
}

/**
 * The parser of a server must be confined (src/platform/system/confine.ts), with whatever C library it runs. In a container, both have
 * the container's filters.
 */
function expectConfinedParser({ pid }: Bun.Subprocess): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const parser = children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('parser'));
  if (!parser || !(countFilters(parser) > countFilters(pid))) throw new Error('the parser is not confined');
}

function countFilters(pid: number | string): number {
  return Number(/^Seccomp_filters:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function capture(): Promise<void> {
  const { child, ready } = await start('capture');
  await receive(ready, 'b@b.test');
  await expectMail(ready, ready.api_key!);
  expectConfinedParser(child);
  await expectPages(ready.http);
  await stop(child);
  const left = readdirSync(empty);
  if (left.length > 0) throw new Error(`capture left ${left} in the current folder`);
  console.log('capture: received a mail and served it, served the dashboard, left nothing behind');
}

async function serve(): Promise<void> {
  const { api_key } = run('account', 'create', '--email', 'ann@postern.test', '--data-dir', data);
  const first = await start('serve', '--data-dir', data);
  const { data: inbox } = await get<Inbox>(first.ready.http, api_key!, '/inboxes', 'POST');
  await receive(first.ready, inbox.address);
  await stop(first.child);
  const second = await start('serve', '--data-dir', data);
  await expectMail(second.ready, api_key!);
  await stop(second.child);
  console.log('serve: created an account, received a mail, restarted, and served the mail');
}

await capture();
await serve();
