/**
 * Which rules a member may change: those that only sort mail. Only owners may change, through any door, a rule that
 * decides about mail that leaves the machine: one that forwards or posts notices, or one with `stop` before it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { member as joinMember } from '../../doors/dashboard/visitor.ts';
import type { Reply } from '../../start.ts';
import { createMemberKey } from '../outbound/held.ts';
import { verdict } from '../outbound/sender.ts';
import { Forwarding } from './forwarding.ts';

type Ask = (method: string, path: string, body?: unknown) => Promise<Reply>;

let own: Forwarding;
const doors = new Map<string, Ask>();
beforeAll(async () => {
  own = await Forwarding.start({ settings: { webhook_allow_networks: '127.0.0.0/8' } });
  const { appliance, owner } = own.sender;
  const key = await createMemberKey(appliance, owner);
  doors.set('the API', (method, path, body) => appliance.request(method, `/api/v1${path}`, { key, body }));
  const { visitor } = await joinMember(appliance, owner.account);
  doors.set('the dashboard', (method, path, body) => visitor.ask(method, path, body));
});
afterAll(() => own[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { id } of (await own.call('GET', '/rules')).json.data) await own.call('DELETE', `/rules/${id}`);
});

const notify = { url: 'http://127.0.0.1:8443/', template: '{"text": "{{subject}}"}' };
const forward = { forward_to: ['ann@far.test'] };
const forbidden = '403 account_forbidden';

async function order(): Promise<string[]> {
  return (await own.call('GET', '/rules')).json.data.map(({ name }: { name: string }) => name);
}

describe.each(['the API', 'the dashboard'])('a member, through %s', (door) => {
  const ask: Ask = (...given) => doors.get(door)!(...given);
  const create = (body: Record<string, unknown>) => ask('POST', '/rules', body);

  test.each([
    ['forwards', forward],
    ['posts notices', { notify }],
  ])('can’t create, change, move, turn off or delete a rule that %s', async (_, sends) => {
    expect(verdict(await create(sends))).toBe(forbidden);
    const id = await own.rule({ name: 'Send', ...sends });
    await own.rule({ name: 'Sort', mark_read: true });
    for (const changes of [
      { name: 'x' },
      { is_enabled: false },
      { position: 2 },
      { subject: 'x' },
      { forward_to: [], notify: null, mark_read: true },
    ])
      expect([changes, verdict(await ask('PATCH', `/rules/${id}`, changes))]).toEqual([changes, forbidden]);
    expect(verdict(await ask('DELETE', `/rules/${id}`))).toBe(forbidden);
    expect((await own.call('GET', `/rules/${id}`)).json.data).toMatchObject({
      name: 'Send',
      is_enabled: true,
      position: 1,
      subject: null,
      ...sends,
    });
    expect(verdict(await ask('GET', `/rules/${id}`))).toBe('200');
  });

  test('can create, change, move and delete rules that sort mail, even around those of owners', async () => {
    const sending = await own.rule({ name: 'Send', ...forward });
    const created = await create({ name: 'Sort', tags: ['x'], position: 1 });
    expect([verdict(created), await order()]).toEqual(['201', ['Sort', 'Send']]);
    const path = `/rules/${created.json.data.id}`;
    for (const changes of [{ position: 2 }, { is_enabled: false }, { mark_read: true, position: 1 }])
      expect(verdict(await ask('PATCH', path, changes))).toBe('200');
    expect(await order()).toEqual(['Sort', 'Send']);
    expect(verdict(await ask('PATCH', path, forward))).toBe(forbidden);
    expect(verdict(await ask('DELETE', path))).toBe('204');
    expect((await own.call('GET', `/rules/${sending}`)).json.data.position).toBe(1);
  });

  test('can’t keep mail from such a rule with a stop before it', async () => {
    const sending = await own.rule({ name: 'Send', ...forward });
    expect(verdict(await create({ name: 'Stop', stop: true, position: 1 }))).toBe(forbidden);
    expect(await order()).toEqual(['Send']);
    const sort = await create({ name: 'Sort', tags: ['x'], position: 1 });
    expect(verdict(await ask('PATCH', `/rules/${sort.json.data.id}`, { stop: true }))).toBe(forbidden);
    const after = await create({ name: 'Stop', stop: true });
    expect(verdict(after)).toBe('201');
    const path = `/rules/${after.json.data.id}`;
    expect(verdict(await ask('PATCH', path, { position: 1 }))).toBe(forbidden);
    expect([verdict(await ask('PATCH', path, { subject: 'x' })), await order()]).toEqual([
      '200',
      ['Sort', 'Send', 'Stop'],
    ]);
    // Owners also decide with a stop what is forwarded.
    await own.call('PATCH', `/rules/${sending}`, { position: 3 });
    expect(await order()).toEqual(['Sort', 'Stop', 'Send']);
    for (const changes of [
      { subject: 'y' },
      { is_enabled: false },
      { stop: false, mark_read: true },
      { position: 3 },
    ])
      expect([changes, verdict(await ask('PATCH', path, changes))]).toEqual([changes, forbidden]);
    expect(verdict(await ask('DELETE', path))).toBe(forbidden);
    expect((await own.call('PATCH', path, { position: 3 })).status).toBe(200);
    expect(verdict(await ask('DELETE', path))).toBe('204');
  });

  test('learns nothing of another account’s rules', async () => {
    const { appliance } = own.sender;
    const other = await appliance.holder();
    const created = await appliance.request('POST', '/api/v1/rules', {
      key: other.key,
      body: { mark_read: true },
    });
    for (const method of ['GET', 'DELETE'])
      expect(verdict(await ask(method, `/rules/${created.json.data.id}`))).toBe('404 not_found');
    expect(verdict(await ask('PATCH', `/rules/${created.json.data.id}`, forward))).toBe(forbidden);
    expect(verdict(await ask('PATCH', `/rules/${created.json.data.id}`, { name: 'x' }))).toBe(
      '404 not_found',
    );
  });
});
