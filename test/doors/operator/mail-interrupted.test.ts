/** An import that ends early says how many mails it has stored, and can continue without duplicates. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../program.ts';
import { environment, postern, posternJson, type Serving, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);
const env = { POSTERN_DATA_DIR: at('data'), POSTERN_DISK_FLOOR: '0', POSTERN_LIMITS: 'off' };
/** Four batches, and some more in the last. */
const MAILS = 64 * 4 + 10;

let server: Serving;
let apiKey: string;
let inboxes = 0;

beforeAll(async () => {
  const args = ['account', 'create', '--email', 'ann@example.com'];
  ({ api_key: apiKey } = await posternJson<{ api_key: string }>(args, env));
  server = await startServing(['serve'], env);
  const mails = Array.from({ length: MAILS }, (_, index) => `From x 08:00\nSubject: ${index}\n\nhello\n\n`);
  writeFileSync(at('all.mbox'), mails.join(''));
});
afterAll(() => server[Symbol.asyncDispose]());

interface Inbox {
  id: string;
  address: string;
}

async function ask<Data>(method: string, path: string, body?: object): Promise<{ data: Data; next: string }> {
  const answer = await fetch(`${server.ready.http}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as { data: Data; page?: { next_cursor?: string } };
  return { data: json.data, next: json.page?.next_cursor ?? '' };
}

const newInbox = async () =>
  (await ask<Inbox>('POST', '/inboxes', { routing_key: `interrupted-${++inboxes}` })).data;

/** Returns the subjects of an export, oldest first. */
async function readSubjects({ address }: Inbox): Promise<string[]> {
  const out = at(`${address}.mbox`);
  rmSync(out, { force: true });
  await posternJson(['mail', 'export', address, '--out', out], env);
  return [...(await Bun.file(out).text()).matchAll(/^Subject: (.*)$/gm)].map(([, subject]) => subject!);
}

const everySubject = Array.from({ length: MAILS }, (_, index) => String(index));

type Step = (index: number, forward: () => Promise<Response>) => Promise<Response>;

/** Makes a folder whose control socket passes requests on to the server's. `step` decides about each batch. */
function between(name: string, step: Step) {
  mkdirSync(at(name));
  let batches = 0;
  const door = Bun.serve({
    unix: join(at(name), 'control.sock'),
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.bytes();
      const forward = () =>
        fetch(`http://postern${pathname}${search}`, {
          unix: join(at('data'), 'control.sock'),
          ...(body.length > 0 && { method: 'POST', body }),
        });
      return pathname === '/import' ? step(batches++, forward) : forward();
    },
  });
  return {
    env: { ...env, POSTERN_DATA_DIR: at(name) },
    end: () => door.stop(true),
    [Symbol.asyncDispose]: () => door.stop(true),
  };
}

const importInto = ({ address }: Inbox, ...more: string[]) => [
  ...['mail', 'import', at('all.mbox'), '--inbox', address],
  ...more,
];

/** Returns the flag and the count that the command advised. */
const adviceIn = (stderr: string) => /repeat the command with (--skip) (\d+)\.$/m.exec(stderr)!.slice(1, 3);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'an import that gets %s ends after a batch, and continues without duplicates',
  async (signal) => {
    const inbox = await newInbox();
    await using door = between(signal, async (index, forward) => {
      if (index === 1) child.kill(signal);
      return forward();
    });
    const child = Bun.spawn([...program, ...importInto(inbox)], {
      env: environment(door.env),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr, status] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toEndWith('Interrupted.\n');
    const [flag, count] = adviceIn(stderr);
    expect(await readSubjects(inbox)).toEqual(everySubject.slice(0, Number(count)));
    expect(await posternJson(importInto(inbox, flag!, count!), env)).toMatchObject({
      imported: MAILS - Number(count),
    });
    expect(await readSubjects(inbox)).toEqual(everySubject);
  },
  30_000,
);

test('an import ends when its inbox is turned off, and continues without duplicates', async () => {
  const inbox = await newInbox();
  await using door = between('turned-off', async (index, forward) => {
    if (index === 2) await ask('PATCH', `/inboxes/${inbox.id}`, { is_enabled: false });
    return forward();
  });
  const { status, stdout, stderr } = await postern(importInto(inbox), door.env);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('Imported before this error: 128 messages.');
  expect(stderr).toContain('accepts no mail');
  await ask('PATCH', `/inboxes/${inbox.id}`, { is_enabled: true });
  await posternJson(importInto(inbox, ...adviceIn(stderr)), env);
  expect(await readSubjects(inbox)).toEqual(everySubject);
}, 30_000);

test('an import ends when its server dies before it answers, and continues without duplicates', async () => {
  const inbox = await newInbox();
  let last: Promise<Response> | undefined;
  await using door = between('dies', async (index, forward) => {
    const answer = forward();
    if (index < 2) return answer;
    last = answer;
    await door.end();
    return answer;
  });
  const { status, stderr } = await postern(importInto(inbox), door.env);
  expect(status).toBe(1);
  expect(stderr).toContain(
    'Imported before this error: at least 128 messages. Up to 64 more may be in the inbox.',
  );
  expect(stderr).toContain('The server ended during the import');
  await last;
  const there = (await readSubjects(inbox)).length;
  await posternJson(importInto(inbox, '--skip', String(there)), env);
  expect(await readSubjects(inbox)).toEqual(everySubject);
}, 30_000);

test('--skip must be a number', async () => {
  const { status, stderr } = await postern(
    ['mail', 'import', at('all.mbox'), '--inbox', 'x', '--skip', 'few'],
    env,
  );
  expect({ status, stderr }).toEqual({ status: 2, stderr: '--skip must be a whole number\n' });
});
