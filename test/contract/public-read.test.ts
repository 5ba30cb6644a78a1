import { afterAll, beforeAll, expect, test } from 'bun:test';
import { changeAccountOp } from '../../src/features/accounts/writes.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const read = (email: string, query = '') =>
  appliance.request('GET', `/api/v1/public/emails/${email}/messages${query}`);

test('a public read shows exactly seven fields of each message, newest first, and nothing else', async () => {
  const { address } = await appliance.inbox(owner, { public: true, metadata: { secret: 1 } });
  for (let count = 0; count < 22; count++) {
    await appliance.deliver(address, {
      subject: `No ${count}`,
      otp: '123456',
      links: ['https://example.org/'],
    });
  }
  const reply = await read(address);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.headers.has('x-ratelimit-limit')).toBe(false);
  expect(Object.keys(reply.json)).toEqual(['data']);
  expect(reply.json.data).toHaveLength(20);
  expect(reply.json.data[0].subject).toBe('No 21');
  for (const message of reply.json.data) {
    expect(Object.keys(message).sort()).toEqual([
      'cc',
      'from',
      'magic_link',
      'otp',
      'received_at',
      'subject',
      'to',
    ]);
  }
  expect((await read(encodeURIComponent(address.toUpperCase()), '?limit=1')).json.data).toHaveLength(1);
});

test('every public read that finds nothing gets the same answer', async () => {
  const hidden = await appliance.inbox(owner);
  const deleted = await appliance.inbox(owner, { public: true });
  await appliance.request('DELETE', `/api/v1/inboxes/${deleted.id}`, { key: owner.key });
  const suspended = await appliance.holder();
  const halted = await appliance.inbox(suspended, { public: true });
  expect((await read(halted.address)).status).toBe(200);
  await appliance.services.store.write(changeAccountOp, {
    account_no: suspended.account.no,
    changes: { status: 'suspended' },
  });
  const misses = [
    halted.address,
    'nobody@postern.test',
    hidden.address,
    deleted.address,
    'no-address',
    '%zz',
    '%00',
    '%ff@postern.test',
    'a@b@c',
    '@postern.test',
    'x'.repeat(3000),
    encodeURIComponent("'; DROP TABLE inbox; --"),
  ];
  const bodies = new Set<string>();
  for (const email of misses) {
    const reply = await read(email);
    expect(reply.status).toBe(404);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    bodies.add(JSON.stringify({ ...reply.json.error, request_id: '' }));
  }
  expect(bodies.size).toBe(1);
});

test.each(['0', '21', 'x', ''])('a public read refuses limit=%s', async (limit) => {
  const { address } = await appliance.inbox(owner, { public: true });
  const reply = await read(address, `?limit=${limit}`);
  expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['limit']]);
});
