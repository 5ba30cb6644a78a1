/** `postern senders …`: its output, its errors, and its immediate effect on a running server. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postern, posternJson, type Serving, startServing } from '../../doors/operator/command-process.ts';
import { sendMail } from '../../peers/smtp-client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'postern-sender-commands-'));
const env = { POSTERN_DATA_DIR: dataDir, POSTERN_DISK_FLOOR: '0', POSTERN_HTTP_LISTEN: '127.0.0.1:0' };
let server: Serving;
let inbox: { id: string; address: string };
let headers: Record<string, string>;
const senders = <Output>(...args: string[]) => posternJson<Output>(['senders', ...args], env);

beforeAll(async () => {
  const owner = ['account', 'create', '--email', 'ann@example.com'];
  const created = await posternJson<{ api_key: string }>(owner, env);
  server = await startServing(['serve'], env);
  headers = { authorization: `Bearer ${created.api_key}` };
  const answer = await fetch(`${server.ready.http}/api/v1/inboxes`, { method: 'POST', headers });
  inbox = ((await answer.json()) as { data: typeof inbox }).data;
}, 30_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the commands set the lists, show what they withhold, and accept it', async () => {
  const nobody = { inbox_id: inbox.id, mode: 'everyone', allow: [], block: [] };
  expect(await senders<object>('show', inbox.address)).toEqual(nobody);
  await senders('block', inbox.address, 'Spam.example', '@junk.example');
  await senders('allow', inbox.id, 'spam.EXAMPLE');
  const moved = { ...nobody, allow: ['spam.example'], block: ['junk.example'] };
  expect(await senders<object>('show', inbox.id)).toEqual(moved);
  const closed = await senders<object>('mode', inbox.id, 'allowed_only');
  expect(closed).toEqual({ ...moved, mode: 'allowed_only' });
  const port = Number(server.ready.smtp.split(':').at(-1));
  const raw = 'From: \x1b[31meve@junk.example\r\nSubject: hi\r\n\r\nhello\r\n';
  const { data } = await sendMail({ port, from: 'a@junk.example', to: [inbox.address], raw });
  expect(data?.code).toBe(250);
  const [message] = await senders<{ id: string; withheld: string }[]>('withheld', inbox.id);
  expect(message?.withheld).toBe('blocked');
  const { stdout } = await postern(['senders', 'withheld', inbox.id], env);
  expect(stdout).toContain(message!.id);
  expect(stdout).not.toContain('\x1b');
  expect(await senders<object>('accept', message!.id)).toEqual({ id: message!.id });
  const listed = await fetch(`${server.ready.http}/api/v1/inboxes/${inbox.id}/messages`, { headers });
  expect(((await listed.json()) as { data: { id: string }[] }).data[0]?.id).toBe(message!.id);
  await senders('remove', inbox.id, 'spam.example', 'JUNK.example');
  expect(await senders<object>('mode', inbox.id, 'everyone')).toEqual(nobody);
}, 30_000);

test('an error names the wrong entry, inbox or message', async () => {
  for (const [args, ends, said] of [
    [['block', inbox.id, 'ok.example', 'no domain'], 2, 'entry 2'],
    [['show', 'inbox_0'], 1, 'There is no inbox inbox_0'],
    [['accept', 'msg_0'], 1, 'There is no withheld message msg_0'],
  ] as const) {
    const { status, stderr } = await postern(['senders', ...args], env);
    expect([status, stderr]).toEqual([ends, expect.stringContaining(said)]);
  }
}, 30_000);
