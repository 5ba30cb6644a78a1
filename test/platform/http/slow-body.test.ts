/** A caller who loses access while the body of their request is on its way. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { changeRole } from '../../../src/features/accounts/members.ts';
import { countMembers, listKeys } from '../../../src/features/accounts/sql.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { member, owner, type Visitor } from '../../doors/dashboard/visitor.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance[Symbol.asyncDispose]());

interface Given {
  path: string;
  headers: Record<string, string>;
  body: object;
}

/** POSTs the headers, waits for `between` once the server has them, and sends the body. Returns the status. */
async function postSlowly({ path, headers, body }: Given, between: () => Promise<unknown>): Promise<number> {
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    host: `127.0.0.1:${appliance.httpPort}`,
    'content-type': 'application/json',
    'content-length': text.length,
    expect: '100-continue',
  };
  const socket = connect({ host: '127.0.0.1', port: appliance.httpPort });
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  expect(String(await once(socket, 'data'))).toStartWith('HTTP/1.1 100 ');
  await between();
  socket.write(text);
  const answer = String(await once(socket, 'data'));
  socket.destroy();
  return Number(answer.slice('HTTP/1.1 '.length).slice(0, 3));
}

const asPage = ({ cookie }: Visitor) => ({ cookie: cookie!, origin: appliance.url });

test('a body that arrives late is served while the caller has access', async () => {
  const { key } = await appliance.holder();
  const given = { path: '/api/v1/inboxes', headers: { authorization: `Bearer ${key}` }, body: {} };
  expect(await postSlowly(given, async () => {})).toBe(201);
});

test('a session that ends before the body arrives creates no key', async () => {
  const { account, visitor } = await owner(appliance);
  const count = () => listKeys(appliance.services.store, account.no).length;
  const before = count();
  const given = { path: '/dashboard/api/keys', headers: asPage(visitor), body: { name: 'Planted' } };
  expect(await postSlowly(given, () => visitor.post('/sign-out'))).toBe(401);
  expect(count()).toBe(before);
});

test('an owner who becomes a member before the body arrives adds nobody', async () => {
  const { account } = await owner(appliance);
  const { email, visitor } = await member(appliance, account);
  await changeRole(appliance.services, account, email, 'owner');
  const given = {
    path: '/dashboard/api/members',
    headers: asPage(visitor),
    body: { email: 'eve@example.com' },
  };
  const demote = () => changeRole(appliance.services, account, email, 'member');
  expect(await postSlowly(given, demote)).toBe(403);
  expect(countMembers(appliance.services.store, account.no)).toBe(2);
});

test('a key that is revoked, or whose account is suspended, creates nothing with a late body', async () => {
  const { account, visitor } = await owner(appliance);
  const { key_id, api_key } = (await visitor.post('/keys', { name: 'Old' })).json.data;
  const given = { path: '/api/v1/inboxes', headers: { authorization: `Bearer ${api_key}` }, body: {} };
  const setStatus = (status: 'active' | 'suspended') =>
    appliance.services.store.write(changeAccountOp, { account_no: account.no, changes: { status } });
  expect(await postSlowly(given, () => setStatus('suspended'))).toBe(403);
  await setStatus('active');
  expect(await postSlowly(given, () => visitor.ask('DELETE', `/keys/${key_id}`))).toBe(401);
  expect((await visitor.get('/inboxes')).json.data).toEqual([]);
});
