/** Webhooks by API, of an inbox and of a whole account, and the events that they get. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { listDueMails } from '../../../src/features/authenticity/sql.ts';
import { recordAuthenticationOp } from '../../../src/features/ingest/accept/writes.ts';
import type { EventKind } from '../../../src/rules/events.ts';
import { eventKindNames } from '../../../src/rules/events.ts';
import type { Holder } from '../../start.ts';
import { until } from '../../until.ts';
import { readyDomain } from '../domains/ready.ts';
import { createMemberKey } from '../outbound/held.ts';
import { type One, readEvent, startHooked } from '../webhooks/hooked.ts';

let one: One;
let owner: Holder;
/** The first request that counts. */
let first = 0;
beforeAll(async () => {
  one = await startHooked({ settings: { outbound: 'direct' } });
});
afterAll(() => one[Symbol.asyncDispose]());
beforeEach(async () => {
  owner = await one.appliance.holder();
  one.receiver.answer({});
  first = 0;
});

const ask = (
  method: string,
  path: string,
  body?: unknown,
  { key = owner.key, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
) => one.appliance.request(method, `/api/v1${path}`, { key, body, headers });

const makeUrl = (path: string) => one.url.replace('/mail', `/${owner.account.no}${path}`);

async function createHook(events: readonly EventKind[] = eventKindNames, path = '/all') {
  const created = await ask('POST', '/webhooks', { url: makeUrl(path), events });
  expect(created.status).toBe(201);
  return created.json.data;
}

/** Requests to this test's webhooks; other tests' may still arrive. */
const requests = () =>
  one.receiver.requests.filter(({ path }) => path.startsWith(`/${owner.account.no}/`)).slice(first);
const paths = () => requests().map(({ path }) => path.slice(path.indexOf('/', 1)));
const received = () => requests().map(readEvent);
const arrived = (count: number) => until(() => requests().length >= count);

test('a webhook of the account gets the mail of every inbox, signed with its secret', async () => {
  const hook = await createHook(['email.received']);
  const ids: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { address } = await one.appliance.inbox(owner);
    ids.push(await one.appliance.deliver(address));
  }
  await arrived(2);
  expect(received().map(({ data }) => data.message.id)).toEqual(ids);
  const [request] = requests();
  const [t, v1] = request!.headers['x-service-signature']!.split(',');
  const sum = createHmac('sha256', hook.secret)
    .update(`${t!.slice(2)}.`)
    .update(request!.body);
  expect(v1).toBe(`v1=${sum.digest('hex')}`);
});

test('the inbox’s webhook and the account’s each get the same event once', async () => {
  const { id, address } = await one.appliance.inbox(owner);
  expect((await ask('PUT', `/inboxes/${id}/webhook`, { url: makeUrl('/mail') })).status).toBe(200);
  await createHook();
  await one.appliance.deliver(address);
  await arrived(2);
  expect(new Set(received().map((event) => event.id)).size).toBe(1);
  expect(paths().sort()).toEqual(['/all', '/mail']);
});

test('a webhook gets the kinds of event that it asks for, with the objects that they are about', async () => {
  await createHook();
  const passed = { result: 'pass' as const, domain: 'example.org', reason: '' };
  const verdicts = { spf: passed, dkim: [], dmarc: { ...passed, policy: null } };
  const { store } = one.appliance.services;
  const inbox = await one.appliance.inbox(owner);
  const id = await one.appliance.deliver(inbox.address, { isChecked: true });
  const [rawNo] = listDueMails(store, 1);
  await store.write(recordAuthenticationOp, {
    raw_no: rawNo!,
    from: { aligned: false } as never,
    verdicts: JSON.stringify(verdicts),
  });
  await arrived(2);
  await ask('DELETE', `/messages/${id}`);
  await arrived(3);
  expect(received().map(({ event }) => event)).toEqual([
    'email.received',
    'email.authenticated',
    'message.deleted',
  ]);
  const [stored, checked, deleted] = received();
  expect(checked.data.message).toMatchObject({ id, authentication: { spf: { result: 'pass' } } });
  expect(deleted.data).toEqual({
    message: { id, inbox_id: inbox.id, received_at: stored.data.message.received_at },
  });
  const times = received().map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted());
  expect(new Set(times).size).toBe(3);
});

test('the account’s webhook gets an event with the domain when it is verified', async () => {
  await createHook(['domain.failed', 'domain.verified']);
  const { id } = await readyDomain(
    one.appliance.services,
    owner.account.no,
    `d${owner.account.no}.example`,
    'none',
  );
  await arrived(1);
  expect(received()[0]).toMatchObject({
    event: 'domain.verified',
    data: { domain: { id, status: 'verified' } },
  });
});

test('the account’s webhook gets an event when an email is held, and another when it is rejected', async () => {
  await createHook(['email.held', 'email.failed']);
  const { id: domainId, name } = await readyDomain(
    one.appliance.services,
    owner.account.no,
    `h${owner.account.no}.example`,
  );
  const key = await createMemberKey(one.appliance, owner);
  const inbox = await one.appliance.inbox(owner, { domain: domainId, routing_key: 'desk' });
  expect((await ask('PUT', `/inboxes/${inbox.id}/outbound_hold`, { enabled: true })).status).toBe(200);
  const email = { from_address: `desk@${name}`, to: ['ann@far.test'], subject: 'May I?', body_text: 'x' };
  const { id } = (await ask('POST', '/outbound_emails', email, { key })).json.data;
  await arrived(1);
  const [delivery] = received();
  expect(delivery).toMatchObject({
    event: 'email.held',
    data: { outbound_email: { id, status: 'held', subject: 'May I?', held: { by: expect.any(String) } } },
  });
  expect((await ask('POST', `/outbound_emails/${id}/reject`, { reason: 'no' })).status).toBe(200);
  await arrived(2);
  expect(received()[1]).toMatchObject({
    event: 'email.failed',
    data: { outbound_email: { id, status: 'rejected', last_error: 'rejected by an owner: no', held: null } },
  });
});

test('when a webhook is turned off, only the others get an event', async () => {
  const watcher = await createHook(['webhook.disabled'], '/watch');
  const hook = await createHook(['webhook.disabled'], '/off');
  await ask('POST', `/webhooks/${hook.id}/disable`);
  await arrived(1);
  expect(paths()).toEqual(['/watch']);
  expect(received()[0].data).toEqual({ inbox_id: null, url: hook.url });
  // Disabling it again causes no event.
  await ask('PATCH', `/webhooks/${hook.id}`, { enabled: false });
  expect((await ask('GET', `/webhooks/${watcher.id}/deliveries`)).json.data).toHaveLength(1);
});

test.each([
  [{ url: 'https://127.0.0.2/', events: [] }, 422, 'validation_error', 'events'],
  [{ url: 'https://192.168.1.5/', events: ['email.sent'] }, 400, 'webhook_ssrf_rejected', 'url'],
  [{ url: 'ftp://x.example/', events: ['email.sent'] }, 400, 'webhook_ssrf_rejected', 'url'],
  [{ url: 'https://x.example/', events: ['email.opened'] }, 422, 'validation_error', 'events'],
])('%j is refused with the reason', async (body, status, code, field) => {
  const reply = await ask('POST', '/webhooks', body);
  expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  expect(Object.keys(reply.json.error.fields)).toEqual([field]);
  if (body.events.includes('email.opened'))
    expect(reply.json.error.fields.events).toEqual(['email.opened is not a kind of event']);
});

test('a plan without webhooks can’t create any by API, but may remove those that it has', async () => {
  const hook = await createHook();
  const { store } = one.appliance.services;
  await store.write(changeAccountOp, { account_no: owner.account.no, changes: { plan: 'free' } });
  for (const [method, path, body] of [
    ['POST', '/webhooks', { url: one.url, events: ['email.sent'] }],
    ['GET', '/webhooks', undefined],
    ['GET', '/events', undefined],
    ['PATCH', `/webhooks/${hook.id}`, { enabled: true }],
  ] as const) {
    const reply = await ask(method, path, body);
    expect([path, reply.status, reply.json.error?.code]).toEqual([path, 403, 'webhook_entitlement_required']);
  }
  const { address } = await one.appliance.inbox(owner);
  await one.appliance.deliver(address);
  expect((await ask('DELETE', `/webhooks/${hook.id}`)).status).toBe(204);
  expect(requests()).toEqual([]);
});

test('the eleventh webhook of an account is refused', async () => {
  for (let count = 0; count < 10; count++) await createHook(['email.sent']);
  const reply = await ask('POST', '/webhooks', { url: one.url, events: ['email.sent'] });
  expect([reply.status, reply.json.error.code]).toEqual([409, 'plan_limit_reached']);
  const [newest] = (await ask('GET', '/webhooks')).json.data;
  expect((await ask('DELETE', `/webhooks/${newest.id}`)).status).toBe(204);
  await createHook(['email.sent']);
});

test.each([
  ['PATCH', '', { enabled: false }],
  ['POST', '/rotate', undefined],
  ['POST', '/enable', undefined],
  ['POST', '/disable', undefined],
  ['POST', '/replay', { since: '2026-01-01T00:00:00Z' }],
  ['DELETE', '', undefined],
])('a webhook of the account that is removed just before %s %s is not found', async (method, end, body) => {
  const { id } = await createHook();
  const [removed, late] = await Promise.all([
    ask('DELETE', `/webhooks/${id}`),
    ask(method, `/webhooks/${id}${end}`, body),
  ]);
  expect(removed.status).toBe(204);
  expect([late.status, late.json.error.code]).toEqual([404, 'not_found']);
});

test('a repeat with the same Idempotency-Key gets the same secret, and creates or rotates once', async () => {
  const headers = { 'idempotency-key': '0123456789abcdef' };
  const body = { url: one.url, events: ['email.sent'] };
  const [created, again] = [
    await ask('POST', '/webhooks', body, { headers }),
    await ask('POST', '/webhooks', body, { headers }),
  ];
  expect([created.status, again.text]).toEqual([201, created.text]);
  expect((await ask('GET', '/webhooks')).json.data).toHaveLength(1);
  const { id, secret } = created.json.data;
  const rotate = () => ask('POST', `/webhooks/${id}/rotate`, undefined, { headers });
  const [rotated, repeated] = [await rotate(), await rotate()];
  expect(rotated.json.data.secret).not.toBe(secret);
  expect(repeated.json.data).toEqual(rotated.json.data);
  // No other response contains it.
  for (const path of ['/webhooks', `/webhooks/${id}`])
    expect((await ask('GET', path)).text).not.toContain('whsec_');
});

test('missed events are replayed: a single one, or all since a time, in order', async () => {
  const keeper = await createHook(['email.received'], '/keep');
  const { address } = await one.appliance.inbox(owner);
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await one.appliance.deliver(address));
  await arrived(5);
  const [oldest] = received();
  first = requests().length;
  const late = await createHook(['email.received'], '/late');
  const all = await ask('POST', `/webhooks/${late.id}/replay`, { since: '2000-01-01T00:00:00Z' });
  expect(all.json.data).toEqual({ replayed: 5, next_since: null });
  await arrived(5);
  expect(new Set(received().map(({ data }) => data.message.id))).toEqual(new Set(ids));
  const later = await ask('POST', `/webhooks/${late.id}/replay`, { since: oldest.created_at });
  expect(later.json.data.replayed).toBe(4);
  await arrived(9);
  await ask('POST', `/webhooks/${keeper.id}/replay`, { event_id: oldest.id });
  await arrived(10);
  expect([paths().at(-1), received().at(-1).id]).toEqual(['/keep', oldest.id]);
  // For another account, it does not exist.
  const other = await one.appliance.holder();
  const created = await ask(
    'POST',
    '/webhooks',
    { url: one.url, events: ['email.sent'] },
    { key: other.key },
  );
  const theft = await ask(
    'POST',
    `/webhooks/${created.json.data.id}/replay`,
    { event_id: oldest.id },
    { key: other.key },
  );
  expect(theft.status).toBe(404);
  for (const body of [{}, { event_id: 'x', since: '2026-01-01' }, { since: 'yesterday' }])
    expect((await ask('POST', `/webhooks/${late.id}/replay`, body)).status).toBe(422);
});

test('GET /events lists what happened since its first request, oldest first, page by page', async () => {
  const inbox = await one.appliance.inbox(owner);
  await one.appliance.deliver(inbox.address);
  expect((await ask('GET', '/events')).json.data).toEqual([]);
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await one.appliance.deliver(inbox.address));
  await ask('DELETE', `/messages/${ids[0]}`);
  const seen: { event: string; data: { message: { id: string } | null }; created_at: string }[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json } = await ask('GET', `/events?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...json.data);
    cursor = json.pagination.next_cursor;
  }
  expect(seen.map(({ event }) => event)).toEqual([...Array(5).fill('email.received'), 'message.deleted']);
  expect(seen.map(({ data }) => data.message?.id ?? null)).toEqual([null, ...ids.slice(1), ids[0]!]);
  const rest = await ask('GET', `/events?since=${seen[3]!.created_at}&event=email.received`);
  expect(rest.json.data).toHaveLength(1);
  const other = await one.appliance.inbox(owner);
  expect((await ask('GET', `/events?inbox_id=${other.id}`)).json.data).toEqual([]);
  // This account has no webhooks, so none was called.
  expect(requests()).toEqual([]);
});

test('another account’s mail reaches no webhook of this one', async () => {
  await createHook();
  const other = await one.appliance.holder();
  const { address } = await one.appliance.inbox(other);
  await one.appliance.deliver(address);
  const mine = await one.appliance.inbox(owner);
  const id = await one.appliance.deliver(mine.address);
  await arrived(1);
  expect(received().map(({ data }) => data.message.id)).toEqual([id]);
});

test('removing a webhook drops its pending deliveries, and none of them is sent', async () => {
  one.receiver.answer({ status: 500 });
  const hook = await createHook(['email.received']);
  const { address } = await one.appliance.inbox(owner);
  await one.appliance.deliver(address);
  await arrived(1);
  expect((await ask('DELETE', `/webhooks/${hook.id}`)).status).toBe(204);
  expect((await ask('GET', `/webhooks/${hook.id}`)).status).toBe(404);
  await until(() => one.appliance.services.webhooks.isIdle);
  await one.appliance.deliver(address);
  expect(requests()).toHaveLength(1);
});
