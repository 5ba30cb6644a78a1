/** A notice, to a receiver of our own: its body, its retries, and what it never does. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Account } from '../../../src/features/accounts/account.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Receiver, startReceiver } from '../../peers/https-receiver.ts';
import { until } from '../../until.ts';
import { createMemberKey } from '../outbound/held.ts';
import { verdict } from '../outbound/sender.ts';
import { type DiaryLine, Forwarding, makeRaw } from './forwarding.ts';

let own: Forwarding;
const clock = new FakeClock();
beforeAll(async () => {
  own = await Forwarding.start({ clock, settings: { webhook_allow_networks: '127.0.0.0/8' } });
});
afterAll(() => own[Symbol.asyncDispose]());

let receiver: Receiver;
let rule: string;
beforeEach(async () => {
  receiver = await startReceiver({ kind: 'http' });
  rule = await own.rule({ name: 'Chat', subject: 'notice', notify: notice() });
});
afterEach(async () => {
  await own.call('DELETE', `/rules/${rule}`);
  await receiver[Symbol.asyncDispose]();
});

const template = JSON.stringify({ text: '{{rule}}: {{subject}} for {{to}} ({{code}})', fixed: [1, true] });
const notice = () => ({ url: `http://127.0.0.1:${receiver.port}/hook?token=secret`, template });

/** Returns the diary line of a message, once it matches. */
async function findLine(id: string, fits: (line: DiaryLine) => boolean): Promise<DiaryLine> {
  for (;;) {
    const [line] = await own.diary(id);
    if (line && fits(line)) return line;
    await Bun.sleep(2);
  }
}

test('a notice is posted as filled and escaped JSON, and the diary has the answer', async () => {
  const subject = `notice "}, =?utf-8?B?${Buffer.from('"\r\nX: y').toString('base64')}?=`;
  const id = await own.receive(makeRaw(subject, [], 'Your code is 482913.\r\n'));
  const line = await own.outcome(id);
  expect(line).toMatchObject({
    action: 'notify',
    status: 'done',
    detail: `127.0.0.1:${receiver.port}`,
    attempts: 1,
    reason: 'the receiver answered 200',
  });
  const [request] = receiver.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/hook?token=secret' });
  expect(request!.headers['content-type']).toBe('application/json');
  expect(request!.headers.x).toBeUndefined();
  const body = JSON.parse(request!.body.toString());
  expect(body.fixed).toEqual([1, true]);
  expect(body.text).toStartWith('Chat: notice "}, "');
  expect(body.text).toEndWith(` for ${own.inbox.address} (482913)`);
});

test('only owners can set up or change a notice', async () => {
  const { appliance, owner } = own.sender;
  const key = await createMemberKey(appliance, owner);
  const member = (method: string, path: string, body?: unknown) =>
    appliance.request(method, `/api/v1/rules${path}`, { key, body });
  const plain = await own.rule({ subject: 'nothing', stop: true });
  for (const reply of [
    await member('POST', '', { notify: notice() }),
    await member('PATCH', `/${plain}`, { notify: notice() }),
    await member('PATCH', `/${rule}`, { subject: null }),
  ])
    expect([reply.status, reply.json.error.code]).toEqual([403, 'account_forbidden']);
  expect((await own.call('GET', `/rules/${rule}`)).json.data.subject).toBe('notice');
  expect((await member('DELETE', `/${plain}`)).status).toBe(204);
});

test('a notice is retried at growing intervals while its receiver is in trouble', async () => {
  receiver.answer({ status: 503 }, { status: 500 }, { status: 204 });
  const id = await own.receive(makeRaw('notice'));
  const first = await findLine(id, ({ attempts }) => attempts === 1);
  expect(first).toMatchObject({ status: 'pending', reason: 'the receiver answered 503' });
  expect(first.next_attempt_at).not.toBeNull();
  await clock.advance(10_000);
  await findLine(id, ({ attempts }) => attempts === 2);
  await clock.advance(30_000);
  expect(await own.outcome(id)).toMatchObject({ status: 'done', attempts: 3 });
});

test('a notice that waits for its next attempt is not forgotten when the clock is set back', async () => {
  receiver.answer({ status: 503 }, {});
  const id = await own.receive(makeRaw('notice'));
  const line = await findLine(id, ({ attempts }) => attempts === 1);
  expect(line.status).toBe('pending');
  clock.set(clock.nowUs() - 5 * 3_600_000_000);
  await clock.leap(11_000);
  await clock.leap(11_000);
  expect((await findLine(id, ({ status }) => status !== 'pending')).attempts).toBe(2);
});

test('a notice that is permanently refused is not retried', async () => {
  receiver.answer({ status: 404 });
  const id = await own.receive(makeRaw('notice'));
  expect(await own.outcome(id)).toMatchObject({
    status: 'failed',
    reason: 'the receiver answered 404',
    attempts: 1,
  });
});

test('a notice follows its rule, so a changed URL is used, and deleting the rule ends it', async () => {
  receiver.answer({ status: 503 });
  const id = await own.receive(makeRaw('notice'));
  await findLine(id, ({ attempts }) => attempts === 1);
  await own.call('PATCH', `/rules/${rule}`, { notify: null, mark_read: true });
  await clock.advance(10_000);
  expect(await own.outcome(id)).toMatchObject({ status: 'refused' });
  expect(receiver.requests).toHaveLength(1);
});

test.each<[string, Partial<Account>, reason: string]>([
  ['is suspended', { status: 'suspended' }, 'the account is not active'],
  [
    'has a plan without webhooks',
    { plan: 'free' },
    'the plan does not include webhooks (webhook_entitlement_required)',
  ],
])('a notice that waits is refused once its account %s', async (_, changes, reason) => {
  const { services } = own.sender.appliance;
  const { no, status, plan } = own.sender.owner.account;
  const change = (changes: Partial<Account>) =>
    services.store.write(changeAccountOp, { account_no: no, changes });
  receiver.answer({ status: 503 }, {});
  const id = await own.receive(makeRaw('notice'));
  await findLine(id, ({ attempts }) => attempts === 1);
  await change(changes);
  await clock.advance(10_000);
  await until(() => services.errands.isIdle);
  await change({ status, plan });
  expect(await own.outcome(id)).toMatchObject({ status: 'refused', reason });
  expect(receiver.requests).toHaveLength(1);
});

test('a notice whose receiver hangs does not delay the forward of another rule', async () => {
  receiver.answer({ how: 'no answer' });
  const ids = await Promise.all(Array.from({ length: 5 }, () => own.receive(makeRaw('notice'))));
  const forward = await own.rule({ subject: 'onward', forward_to: ['ann@far.test'] });
  expect(await own.outcome(await own.receive(makeRaw('onward')))).toMatchObject({ status: 'done' });
  expect((await own.diary(ids[4]!))[0]).toMatchObject({ status: 'pending' });
  await own.call('DELETE', `/rules/${forward}`);
});

test('a notice is refused if its host name now resolves to a forbidden address, and follows no redirect', async () => {
  const named = (name: string) => ({ ...notice(), url: `http://${name}:${receiver.port}/hook` });
  own.sender.dns.setAddresses('chat.test', '127.0.0.1');
  await own.call('PATCH', `/rules/${rule}`, { notify: named('chat.test') });
  expect(await own.outcome(await own.receive(makeRaw('notice')))).toMatchObject({ status: 'done' });
  receiver.answer({ status: 302, headers: { location: `http://127.0.0.1:${receiver.port}/inside` } });
  expect(await own.outcome(await own.receive(makeRaw('notice')))).toMatchObject({
    status: 'failed',
    reason: 'the receiver answered 302',
  });
  await own.call('PATCH', `/rules/${rule}`, { notify: named('inside.test') });
  own.sender.dns.setAddresses('inside.test', '10.0.0.1');
  const { status, reason } = await own.outcome(await own.receive(makeRaw('notice')));
  expect([status, reason]).toEqual(['refused', expect.stringContaining('may not be called')]);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook', '/hook']);
});

test('a notice leaves neither its URL nor a token in the log', async () => {
  receiver.answer({ status: 404 });
  await own.outcome(await own.receive(makeRaw('notice')));
  expect(own.sender.appliance.logged.join('\n')).not.toContain('token=');
});

test('a notice needs a plan with webhooks', async () => {
  const { appliance } = own.sender;
  const free = await appliance.holder('free');
  const body = { notify: notice() };
  const reply = await appliance.request('POST', '/api/v1/rules', { key: free.key, body });
  expect(verdict(reply)).toBe('403 webhook_entitlement_required');
});
