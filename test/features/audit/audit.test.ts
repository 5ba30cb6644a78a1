import { expect, test } from 'bun:test';
import { addMember } from '../../../src/features/accounts/members.ts';
import { auditJobs } from '../../../src/features/audit/jobs.ts';
import {
  AUDIT_OF_ACCOUNT,
  AUDIT_OF_ACCOUNT_SINCE,
  AUDIT_OF_ALL,
  AUDIT_SINCE,
} from '../../../src/features/audit/sql.ts';
import { recordAuditOp } from '../../../src/features/audit/writes.ts';
import { DAY_US } from '../../../src/platform/core/clock.ts';
import { member, owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startAppliance } from '../../start.ts';
import { countRows, explainPlan, runOnFile } from '../../store-state.ts';

const behindProxy = { trusted_proxies: '127.0.0.0/8' };

/** Entries of an account's log, newest first. */
async function readLog(visitor: Visitor) {
  return (await visitor.get('/audit?limit=100')).json.data as Entry[];
}
interface Entry {
  action: string;
  actor: { kind: string; name: string | null };
  target: string | null;
  ip: string | null;
  user_agent: string | null;
  details: Record<string, string>;
}
const listActions = (entries: Entry[]) => entries.map(({ action }) => action);

async function newKey(visitor: Visitor) {
  return (await visitor.post('/keys', { name: 'CI' })).json.data as { api_key: string; key_id: string };
}

test('the log says who created and revoked a key, from where and when, without its secret', async () => {
  await using appliance = await startAppliance({ settings: behindProxy });
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const { api_key, key_id } = await newKey(ann.visitor);
  await ann.visitor.ask('DELETE', `/keys/${key_id}`);
  await ann.visitor.ask('DELETE', `/keys/${key_id}`);
  const entries = await readLog(ann.visitor);
  expect(listActions(entries).slice(0, 3)).toEqual(['key.revoked', 'key.created', 'sign_in']);
  expect(entries[1]).toMatchObject({
    actor: { kind: 'user', name: 'ann@example.com' },
    target: api_key.slice(0, 16),
    ip: '192.0.2.1',
    user_agent: 'Test/1.0',
    details: { name: 'CI', role: 'owner' },
  });
  expect(JSON.stringify(entries)).not.toContain(api_key);
});

test('sign-ins, sign-outs and wrong passwords are in the log of each account of that email', async () => {
  await using appliance = await startAppliance();
  const ann = await owner(appliance, 'business', 'ann@example.com');
  await ann.visitor.post('/sign-out');
  expect((await ann.visitor.signIn('ann@example.com', 'wrong horse battery')).status).toBe(401);
  await ann.visitor.signIn('ann@example.com');
  const entries = await readLog(ann.visitor);
  expect(listActions(entries).slice(0, 3)).toEqual(['sign_in', 'sign_in.failed', 'sign_out']);
  expect(entries[1]).toMatchObject({
    actor: { kind: 'visitor', name: null },
    details: { reason: 'wrong_password' },
  });
  expect(JSON.stringify(entries)).not.toContain('wrong horse');
});

test('someone who guesses passwords can’t fill the log', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const stranger = new Visitor(appliance);
  const guesses = Array.from({ length: 60 }, () => stranger.signIn('ann@example.com', 'wrong horse battery'));
  await Promise.all(guesses);
  // Guesses are answered before they are recorded; this write comes after theirs.
  await ann.visitor.signIn('ann@example.com');
  const failed = (await readLog(ann.visitor)).filter(({ action }) => action === 'sign_in.failed');
  expect(failed).toHaveLength(50);
  expect(failed.filter(({ details }) => details.further)).toHaveLength(1);
}, 20_000);

test('a wrong password is answered without waiting for the log, so the time does not reveal whether the email is known', async () => {
  await using appliance = await startAppliance();
  await owner(appliance, 'business', 'ann@example.com');
  const { store } = appliance.services;
  const write = store.write.bind(store);
  const held: string[] = [];
  // No disk is as slow as this one.
  store.write = (operation, input, ...rest) => {
    if (operation.name !== recordAuditOp.name) return write(operation, input, ...rest);
    held.push(JSON.stringify(input));
    return new Promise(() => {});
  };
  const guess = await new Visitor(appliance).signIn('ann@example.com', 'wrong horse battery');
  expect(guess.status).toBe(401);
  expect(held.join()).toContain('wrong_password');
});

test('a sign-in with an email that nobody has is in the operator’s log only', async () => {
  await using appliance = await startAppliance();
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const eve = await owner(appliance, 'free', 'eve@example.com');
  await new Visitor(appliance).signIn('nobody@example.com', 'wrong horse battery');
  await eve.visitor.signIn('eve@example.com');
  expect(listActions(await readLog(eve.visitor))).not.toContain('sign_in.failed');
  const all = (await ann.visitor.get('/operator/audit')).json.data as Entry[];
  expect(all[1]).toMatchObject({ action: 'sign_in.failed', target: 'nobody@example.com', account_id: null });
  expect((await eve.visitor.get('/operator/audit')).status).toBe(403);
});

test('changes of members and roles are in the log, which neither a member nor their key may read', async () => {
  await using appliance = await startAppliance();
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const mia = await member(appliance, ann.account, 'mia@example.com');
  const members = (await ann.visitor.get('/members')).json.data as { user_id: string; email: string }[];
  const { user_id } = members.find(({ email }) => email === 'mia@example.com')!;
  await ann.visitor.ask('PATCH', `/members/${user_id}`, { role: 'owner' });
  await ann.visitor.ask('PATCH', `/members/${user_id}`, { role: 'member' });
  expect((await mia.visitor.get('/audit')).status).toBe(403);
  const { api_key } = await newKey(mia.visitor);
  const refused = await appliance.request('GET', '/api/v1/audit_log', { key: api_key });
  expect([refused.status, refused.json.error.code]).toEqual([403, 'account_forbidden']);
  await ann.visitor.ask('DELETE', `/members/${user_id}`);
  const entries = await readLog(ann.visitor);
  expect(listActions(entries)[0]).toBe('member.removed');
  expect(
    entries.filter(({ action }) => action === 'member.role_changed').map(({ details }) => details),
  ).toEqual([{ role: 'owner → member' }, { role: 'member → owner' }]);
});

test('the API pages through an owner’s log with every entry once, and none of another account', async () => {
  await using appliance = await startAppliance();
  const ann = await owner(appliance, 'business', 'ann@example.com');
  await owner(appliance, 'business', 'eve@example.com');
  const { api_key: key } = await newKey(ann.visitor);
  for (let count = 0; count < 7; count++) await newKey(ann.visitor);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await appliance.request('GET', `/api/v1/audit_log?limit=3${cursor}`, { key });
    seen.push(...json.data.map(({ id }: { id: string }) => id));
    expect(json.data.every((entry: { account_id: string }) => entry.account_id === ann.account.id)).toBe(
      true,
    );
    if (!json.pagination.has_more) break;
    cursor = `&cursor=${json.pagination.next_cursor}`;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBe((await readLog(ann.visitor)).length);
});

test('a change that fails leaves no entry', async () => {
  await using appliance = await startAppliance();
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const before = await readLog(ann.visitor);
  const refused = addMember(appliance.services, ann.account, 'ann@example.com');
  await expect(refused).rejects.toMatchObject({ code: 'conflict' });
  expect(await readLog(ann.visitor)).toEqual(before);
});

test('the log outlives its account', async () => {
  await using appliance = await startAppliance();
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const eve = await owner(appliance, 'business', 'eve@example.com');
  await ann.visitor.ask('DELETE', `/operator/accounts/${eve.account.id}`);
  const [newest] = (await ann.visitor.get('/operator/audit')).json.data;
  expect(newest).toMatchObject({
    action: 'account.deleted',
    account_id: eve.account.id,
    target: 'eve@example.com',
  });
});

test('the store refuses to change an entry, or to delete one before it expires', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock, settings: { audit_days: '10' } });
  await owner(appliance, 'business', 'ann@example.com');
  expect(() => runOnFile(appliance, 'DELETE FROM audit')).toThrow('append-only');
  expect(() => runOnFile(appliance, "UPDATE audit SET actor_name = 'eve'")).toThrow('append-only');
  const [job] = auditJobs;
  const count = () => countRows(appliance, 'audit');
  const before = count();
  expect(before).toBeGreaterThan(0);
  clock.set(clock.nowUs() + 9 * DAY_US);
  await appliance.run(job!);
  expect(count()).toBe(before);
  clock.set(clock.nowUs() + 2 * DAY_US);
  await appliance.run(job!);
  expect(count()).toBe(0);
});

test('every list of the log is read with an index, one page at a time', async () => {
  await using appliance = await startAppliance();
  const plans = [
    explainPlan(appliance, AUDIT_OF_ACCOUNT),
    explainPlan(appliance, AUDIT_OF_ACCOUNT_SINCE),
    explainPlan(appliance, AUDIT_OF_ALL),
    explainPlan(appliance, AUDIT_SINCE),
  ];
  for (const plan of plans) expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});

test('a password is never in the log', async () => {
  await using appliance = await startAppliance();
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const next = 'another horse battery';
  await ann.visitor.post('/password', { current_password: password, password: next });
  const entries = await readLog(ann.visitor);
  expect(entries[0]).toMatchObject({ action: 'password.changed', actor: { name: 'ann@example.com' } });
  expect(JSON.stringify(entries)).not.toContain(next);
});
