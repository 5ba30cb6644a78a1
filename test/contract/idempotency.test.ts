import { afterAll, beforeAll, expect, test } from 'bun:test';
import { routes } from '../../src/app/routes.ts';
import { sending } from '../features/outbound/sender.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { findExample, unknownIds } from './route-examples.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: sending });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const create = (key: string, body?: unknown, holder = owner) =>
  appliance.request('POST', '/api/v1/inboxes', {
    key: holder.key,
    body,
    headers: { 'idempotency-key': key },
  });

test('a repeated request gets the first answer again, even when what it created has been deleted', async () => {
  const first = await create('one', { label: 'a' });
  const again = await create('one', { label: 'a' });
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  await appliance.request('DELETE', `/api/v1/inboxes/${first.json.data.id}`, { key: owner.key });
  expect((await create('one', { label: 'a' })).text).toBe(first.text);
});

test('simultaneous repeats create one thing', async () => {
  const replies = await Promise.all(Array.from({ length: 10 }, () => create('many')));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
});

test('a different body under the same key is a conflict', async () => {
  await create('two', { label: 'a' });
  for (const body of [{ label: 'b' }, {}, undefined]) {
    const reply = await create('two', body);
    expect([reply.status, reply.json.error.code]).toEqual([409, 'conflict']);
  }
});

test('the same key in another account is another key', async () => {
  const other = await appliance.holder();
  const [left, right] = [await create('three'), await create('three', undefined, other)];
  expect(right.status).toBe(201);
  expect(left.json.data.id).not.toBe(right.json.data.id);
});

test('a failed request is not remembered', async () => {
  const other = await appliance.holder();
  await appliance.inbox(other, { routing_key: 'taken-here' });
  expect((await create('four', { routing_key: 'taken-here' })).status).toBe(409);
  expect((await create('four', { routing_key: 'free-here' })).status).toBe(201);
});

test.each([
  ['of 256 characters', 'x'.repeat(256)],
  ['with a letter beyond ASCII', 'ä'],
  ['of only a tab', '\t'],
])('an Idempotency-Key %s is refused', async (_, key) => {
  const reply = await create(key);
  // A header of only spaces is an empty one, so its key is malformed too.
  expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['Idempotency-Key']]);
});

test('an Idempotency-Key of 255 characters is accepted', async () => {
  expect((await create('y'.repeat(255))).status).toBe(201);
});

test('an Idempotency-Key may be short, except where it alone protects the answer', async () => {
  const send = (path: string, key: string | undefined, body: unknown) =>
    appliance.request('POST', path, { key, body, headers: { 'idempotency-key': 'k' } });
  const inbox = await create('k');
  const hook = { url: 'https://hooks.example.com/all', events: ['email.received'] };
  const webhook = await send('/api/v1/webhooks', owner.key, hook);
  const agent = await send('/api/v1/agents/register', undefined, {});
  expect([inbox.status, webhook.status, agent.status]).toEqual([201, 201, 422]);
  expect(Object.keys(agent.json.error.fields)).toEqual(['Idempotency-Key']);
});

// Every answer is also compared with the OpenAPI document. What only a trap may create is tested with it (features/faults).
test.each(
  routes
    .filter(({ creates, honoursKeyFor }) => creates || honoursKeyFor)
    .filter(({ fails }) => !fails.includes('not_a_trap'))
    .map((route) => [route.name, route] as const),
)('%s refuses a malformed Idempotency-Key', async (_, route) => {
  const { path, body } = findExample(route);
  const reply = await appliance.request(route.method, path({ ...unknownIds, address: '' }), {
    key: owner.key,
    body,
    headers: { 'idempotency-key': 'x'.repeat(256) },
  });
  expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['Idempotency-Key']]);
});
