/** What the audit log says about rules: who changed which, through each door, and none of their secrets. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { AuditEntryView } from '../../../src/features/audit/wire.ts';
import { member as joinMember, type Person } from '../../doors/dashboard/visitor.ts';
import { Forwarding } from './forwarding.ts';

const notify = { url: 'http://127.0.0.1:8443/T0KEN?key=hidden', template: '{"text": "hidden"}' };

let own: Forwarding;
let mia: Person;
let before: number;
beforeAll(async () => {
  own = await Forwarding.start({ settings: { webhook_allow_networks: '127.0.0.0/8', limits: 'off' } });
  const { appliance, owner } = own.sender;
  mia = await joinMember(appliance, owner.account);
});
afterAll(() => own[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { id } of (await own.call('GET', '/rules')).json.data) await own.call('DELETE', `/rules/${id}`);
  before = (await readLog()).length;
});

const readLog = async (): Promise<AuditEntryView[]> =>
  (await own.call('GET', '/audit_log?limit=100')).json.data;

/** What this test added, oldest first. */
async function readNew(): Promise<AuditEntryView[]> {
  const entries = await readLog();
  return entries.slice(0, entries.length - before).reverse();
}

test('creating, changing, turning off and on, and deleting a rule each leaves an entry with what the rule does', async () => {
  const id = await own.rule({ name: 'Invoices', subject: 'invoice', forward_to: ['ann@far.test'] });
  await own.call('PATCH', `/rules/${id}`, { subject: '*invoice*', tags: ['money', 'in'], stop: true });
  await own.call('PATCH', `/rules/${id}`, { is_enabled: false });
  await own.call('PATCH', `/rules/${id}`, { is_enabled: true, name: 'Bills' });
  await own.call('DELETE', `/rules/${id}`);
  const all = { subject: '*invoice*', tags: 'money, in', forward_to: 'ann@far.test', stop: 'true' };
  expect((await readNew()).map(({ action, target, details }) => [action, target, details])).toEqual([
    ['rule.created', 'Invoices', { id, position: '1', subject: 'invoice', forward_to: 'ann@far.test' }],
    [
      'rule.changed',
      'Invoices',
      { id, subject: 'invoice → *invoice*', tags: 'none → money, in', stop: 'false → true' },
    ],
    ['rule.disabled', 'Invoices', { id }],
    ['rule.enabled', 'Bills', { id, name: 'Invoices → Bills' }],
    ['rule.deleted', 'Bills', { id, position: '1', ...all }],
  ]);
});

test('an entry names the key or, from the dashboard, the person, even if a member', async () => {
  await own.rule({ mark_read: true });
  const created = await mia.visitor.post('/rules', { name: 'Mine', mark_read: true });
  await mia.visitor.ask('DELETE', `/rules/${created.json.data.id}`);
  const [first, ...hers] = await readNew();
  expect(first!.actor).toMatchObject({ kind: 'key', name: own.sender.owner.key.slice(0, 16) });
  expect(hers.map(({ action, actor }) => [action, actor.kind, actor.name])).toEqual([
    ['rule.created', 'user', mia.email],
    ['rule.deleted', 'user', mia.email],
  ]);
});

test('a rule without a name is identified by its id, and a move says from where to where', async () => {
  await own.rule({ name: 'First', mark_read: true });
  const id = await own.rule({ mark_read: true });
  await own.call('PATCH', `/rules/${id}`, { position: 1 });
  expect((await readNew()).at(-1)).toMatchObject({
    action: 'rule.changed',
    target: id,
    details: { id, position: '2 → 1' },
  });
});

test('the log has only the host that a notice goes to, and nothing of its template', async () => {
  const id = await own.rule({ notify });
  await own.call('PATCH', `/rules/${id}`, { notify: { ...notify, template: '{"text": "also hidden"}' } });
  await own.call('PATCH', `/rules/${id}`, { notify: { ...notify, url: 'http://127.0.0.2/hidden' } });
  await own.call('DELETE', `/rules/${id}`);
  const entries = await readNew();
  expect(JSON.stringify(entries)).not.toMatch(/hidden|T0KEN/);
  expect(entries.map(({ details: { notify: host, template } }) => [host, template])).toEqual([
    ['127.0.0.1:8443', undefined],
    [undefined, 'changed'],
    ['127.0.0.1:8443 → 127.0.0.2', 'changed'],
    ['127.0.0.2', undefined],
  ]);
});

test('a request that changes nothing, is refused, or is repeated leaves no entry', async () => {
  const { appliance, owner } = own.sender;
  const headers = { 'idempotency-key': 'the-same-rule-once' };
  const body = { name: 'Once', mark_read: true };
  const create = () => appliance.request('POST', '/api/v1/rules', { key: owner.key, body, headers });
  const { json } = await create();
  await create();
  const path = `/rules/${json.data.id}`;
  expect((await own.call('PATCH', path, { name: 'Once', is_enabled: true, position: 1 })).status).toBe(200);
  expect((await own.call('PATCH', path, { mark_read: false })).status).toBe(422);
  expect((await mia.visitor.ask('PATCH', path, { forward_to: ['ann@far.test'] })).status).toBe(403);
  expect((await own.call('DELETE', '/rules/rule_nobodys')).status).toBe(404);
  expect((await readNew()).map(({ action }) => action)).toEqual(['rule.created']);
});

test('a long old text does not hide the new text after it', async () => {
  const id = await own.rule({ subject: 'a'.repeat(200), mark_read: true });
  await own.call('PATCH', `/rules/${id}`, { subject: `b${'c'.repeat(199)}` });
  const { details } = (await readNew()).at(-1)!;
  expect(details.subject).toMatch(/^a{149}… → bc{148}…$/);
});
