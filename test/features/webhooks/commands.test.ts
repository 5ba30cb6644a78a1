/** `postern webhook …`: output, errors, and their immediate effect on a running server. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postern, posternJson, type Serving, startServing } from '../../doors/operator/command-process.ts';
import { makeCa, startReceiver, testCa } from '../../peers/https-receiver.ts';
import { listenAsManager } from '../../peers/notify-socket.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { until } from '../../until.ts';
import { makeSurroundings, type Surroundings } from './hooked.ts';

interface Shown {
  inbox_id: string;
  url: string;
  enabled: boolean;
  secret?: string;
  disabled_reason?: string | null;
}

let around: Surroundings;
let server: Serving;
let manager: ReturnType<typeof listenAsManager>;
let inbox: { id: string; address: string };
const dataDir = mkdtempSync(join(tmpdir(), 'postern-hook-commands-'));
let env: Record<string, string>;
const webhook = <Output>(...args: string[]) => posternJson<Output>(['webhook', ...args], env);

beforeAll(async () => {
  around = await makeSurroundings();
  const set = Object.entries(around.settings).map(([name, value]) => [
    `POSTERN_${name.toUpperCase()}`,
    value,
  ]);
  manager = listenAsManager(join(dataDir, 'notify.sock'));
  env = {
    ...Object.fromEntries(set),
    POSTERN_DATA_DIR: dataDir,
    POSTERN_DISK_FLOOR: '0',
    NOTIFY_SOCKET: join(dataDir, 'notify.sock'),
  };
  const created = await posternJson<{ api_key: string }>(
    ['account', 'create', '--email', 'ann@example.com'],
    env,
  );
  server = await startServing(['serve'], env);
  const headers = { authorization: `Bearer ${created.api_key}` };
  const answer = await fetch(`${server.ready.http}/api/v1/inboxes`, { method: 'POST', headers });
  inbox = ((await answer.json()) as { data: typeof inbox }).data;
}, 30_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await around[Symbol.asyncDispose]();
  manager[Symbol.dispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Has the server read its files again. It says when it has. */
async function reload(): Promise<void> {
  const before = manager.messages().length;
  server.kill('SIGHUP');
  await until(() => {
    const since = manager.messages().slice(before);
    const begun = since.findIndex((message) => message.startsWith('RELOADING=1'));
    return begun >= 0 && since.slice(begun).some((message) => message.startsWith('READY=1'));
  });
}

const mail = () => {
  const port = Number(server.ready.smtp.split(':').at(-1));
  const raw = 'Subject: hi\r\nFrom: a@example.org\r\n\r\nhello\r\n';
  return sendMail({ port, from: 'a@example.org', to: [inbox.address], raw });
};

test('the commands set, show, test, rotate and remove a webhook', async () => {
  const { receiver, url } = around;
  const created = await webhook<Shown>('set', inbox.address, '--url', url);
  expect(Object.keys(created)).toEqual(['inbox_id', 'url', 'enabled', 'secret']);
  expect(created).toMatchObject({ inbox_id: inbox.id, url, enabled: true });
  expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

  await mail();
  await receiver.received(1);
  const shape = ['event_id', 'message_id', 'status', 'attempts', 'next_attempt_at'];
  const [first] = await webhook<Record<string, unknown>[]>('deliveries', inbox.id);
  expect(Object.keys(first!)).toEqual(shape);
  expect(Object.keys((first!.attempts as object[])[0]!)).toEqual([
    'at',
    'response_status',
    'error',
    'duration_ms',
  ]);

  const shown = await webhook<Shown>('show', inbox.id);
  expect(shown).toMatchObject({ inbox_id: inbox.id, url, enabled: true, disabled_reason: null });
  expect(JSON.stringify(shown)).not.toContain('whsec_');

  const rotated = await webhook<Shown>('rotate', inbox.id);
  expect(Object.keys(rotated)).toEqual(['inbox_id', 'url', 'enabled', 'secret']);
  expect(rotated.secret).not.toBe(created.secret!);

  expect(await webhook<Shown>('disable', inbox.id)).toMatchObject({
    enabled: false,
    disabled_reason: 'operator',
  });
  await mail();
  expect(await webhook<Shown>('enable', inbox.id)).toMatchObject({ enabled: true, disabled_reason: null });
  await mail();
  await receiver.received(2);
  expect(await webhook<unknown[]>('deliveries', inbox.id)).toHaveLength(2);
  expect(await webhook<unknown[]>('deliveries', inbox.id, '--limit', '1')).toHaveLength(1);

  const again = await webhook<Record<string, unknown>>('retry', first!.event_id as string);
  expect(Object.keys(again)).toEqual(shape);
  expect(again).toMatchObject({ event_id: first!.event_id, status: 'pending' });
  await receiver.received(3);
  expect(receiver.requests[2]!.headers['x-service-event-id']).toBe(first!.event_id as string);

  expect(await webhook<Shown>('remove', inbox.id)).toMatchObject({ inbox_id: inbox.id, url });
  const gone = await postern(['webhook', 'show', inbox.id], env);
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining('postern webhook set')]);
}, 60_000);

test('impossible requests are refused with what to do', async () => {
  const refusals: [args: string[], status: number, message: string][] = [
    [['set', inbox.id, '--url', 'https://10.0.0.1/'], 1, '10.0.0.1'],
    [['set', inbox.id, '--url', 'https://user@example.com/'], 1, 'user'],
    [['set', inbox.id, '--url', 'ftp://example.com/'], 1, 'https'],
    [['set', inbox.id], 2, '--url'],
    [['set', 'nobody@postern.test', '--url', 'https://example.com/'], 1, 'nobody@postern.test'],
    [['show', 'inbox_x'], 1, 'inbox_x'],
    [['retry', 'evt_x'], 1, 'evt_x'],
    [['deliveries', inbox.id, '--limit', '0'], 2, '--limit'],
  ];
  for (const [args, status, message] of refusals) {
    const ended = await postern(['webhook', ...args], env);
    expect([args, ended.stdout, ended.status === 0, ended.stderr.includes(message)]).toEqual([
      args,
      '',
      false,
      true,
    ]);
    if (args[0] !== 'deliveries') expect([args, ended.status]).toEqual([args, status]);
  }
  await posternJson(['account', 'set', 'ann@example.com', '--plan', 'free'], env);
  const ended = await postern(['webhook', 'set', inbox.id, '--url', around.url], env);
  expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('does not include webhooks')]);
}, 60_000);

test('a certificate file without certificates stops the start with a message', async () => {
  const other = mkdtempSync(join(tmpdir(), 'postern-ca-'));
  const outcomes: string[] = [];
  for (const file of [join(other, 'none.pem'), join(import.meta.dir, 'commands.test.ts')]) {
    const wrong = { ...env, POSTERN_DATA_DIR: join(other, 'data'), POSTERN_EXTRA_CA_FILE: file };
    const ports = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
    const ended = await postern(['serve', ...ports], wrong);
    outcomes.push(`${ended.status} ${ended.stderr.includes('POSTERN_EXTRA_CA_FILE')}`);
  }
  expect(outcomes).toEqual(['1 true', '1 true']);
  rmSync(other, { recursive: true, force: true });
}, 30_000);

test('SIGHUP reads the certificate file again', async () => {
  await posternJson(['account', 'set', 'ann@example.com', '--plan', 'pro'], env);
  const ca = await makeCa();
  await using receiver = await startReceiver({ ca });
  const url = `https://hook.test:${receiver.port}/`;
  await webhook('set', inbox.id, '--url', url);
  writeFileSync(env.POSTERN_EXTRA_CA_FILE!, ca.pem);
  await reload();
  await mail();
  await until(() => receiver.requests.length === 1, 10_000);
}, 30_000);

test('a stop during a delivery takes less than ten seconds, and the next start sends it again', async () => {
  const { receiver, url } = around;
  writeFileSync(env.POSTERN_EXTRA_CA_FILE!, (await testCa()).pem);
  await webhook('set', inbox.id, '--url', url);
  await reload();
  receiver.answer({ how: 'no answer' });
  const before = receiver.requests.length;
  await mail();
  await receiver.received(before + 1);
  const began = performance.now();
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(performance.now() - began).toBeLessThan(10_000);
  receiver.answer({});
  server = await startServing(['serve'], env);
  await receiver.received(before + 2);
  const ids = receiver.requests.slice(before).map(({ headers }) => headers['x-service-event-id']);
  expect(new Set(ids).size).toBe(1);
}, 30_000);

test('an account can have a webhook of its own, which the commands find by its id', async () => {
  const url = `${around.url}/account`;
  const created = await webhook<{ id: string; inbox_id: null; events: string[]; secret: string }>(
    ...['add', 'ann@example.com', '--url', url, '--events', 'email.bounced, email.received'],
  );
  expect(created).toMatchObject({ inbox_id: null, events: ['email.received', 'email.bounced'] });
  expect(created.secret).toStartWith('whsec_');
  const listed = await webhook<{ id: string; url: string }[]>('list', 'ann@example.com');
  expect(listed).toMatchObject([{ id: created.id, url }]);
  expect(JSON.stringify(listed)).not.toContain('whsec_');
  expect((await webhook<Shown>('disable', created.id)).enabled).toBe(false);
  expect((await webhook<Shown>('enable', created.id)).enabled).toBe(true);
  expect((await webhook<Shown>('rotate', created.id)).secret).toStartWith('whsec_');
  await mail();
  await until(() => around.receiver.requests.some(({ path }) => path === '/mail/account'));
  expect(await webhook<object[]>('deliveries', created.id)).toHaveLength(1);
  await webhook('remove', created.id);
  const gone = await postern(['webhook', 'show', created.id], env);
  expect([gone.status, gone.stderr]).toEqual([
    1,
    expect.stringContaining(`There is no webhook ${created.id}.`),
  ]);
  const wrong = ['webhook', 'add', 'ann@example.com', '--url', url, '--events', 'email.read'];
  const refused = await postern(wrong, env);
  expect([refused.status, refused.stderr]).toEqual([
    2,
    expect.stringContaining('email.read is not a kind of event'),
  ]);
});
