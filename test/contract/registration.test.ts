import { describe, expect, test } from 'bun:test';
import { accountJobs } from '../../src/features/accounts/jobs.ts';
import { inboxJobs } from '../../src/features/inboxes/jobs.ts';
import { messageJobs } from '../../src/features/messages/jobs.ts';
import { registrationJobs } from '../../src/features/registration/jobs.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { startAppliance } from '../start.ts';
import { dumpTable } from '../store-state.ts';

const DAY_US = 86_400_000_000;
const register = '/api/v1/agents/register';

describe('POST /agents/register', () => {
  test('returns a working key and a first inbox', async () => {
    await using appliance = await startAppliance();
    const reply = await appliance.request('POST', register, { body: { name: 'bot' } });
    expect(reply.status).toBe(201);
    const { data } = reply.json;
    expect(Object.keys(data).sort()).toEqual(['api_key', 'inbox', 'key_prefix', 'message', 'plan']);
    expect(data.api_key).toMatch(/^pst_live_[0-9A-Za-z]{43}$/);
    expect(data.key_prefix).toBe(data.api_key.slice(0, 16));
    expect([data.plan, typeof data.message]).toEqual(['free', 'string']);
    expect(reply.headers.get('location')).toBe(`/api/v1/inboxes/${data.inbox.id}`);
    const inboxes = await appliance.request('GET', '/api/v1/inboxes', { key: data.api_key });
    expect(inboxes.json.data).toEqual([data.inbox]);
    const account = await appliance.request('GET', '/api/v1/account', { key: data.api_key });
    expect(account.json.data).toMatchObject({ plan: 'free', kind: 'agent', status: 'active' });
    // The store does not contain the key itself.
    const files = await Promise.all(
      ['postern.db', 'postern.db-wal'].map((name) => Bun.file(`${appliance.dataDir}/${name}`).text()),
    );
    expect(files.join('')).not.toContain(data.api_key);
  });

  test('creates an account whose plan has no domains, and says so', async () => {
    await using appliance = await startAppliance();
    const { api_key: key } = (await appliance.request('POST', register)).json.data;
    const list = await appliance.request('GET', '/api/v1/domains', { key });
    expect([list.status, list.json.data]).toEqual([200, []]);
    const created = await appliance.request('POST', '/api/v1/domains', { key, body: 'not json' });
    expect([created.status, created.json.error.code]).toEqual([403, 'domain_entitlement_required']);
  });

  test('needs no body, and limits a name to 60 characters', async () => {
    await using appliance = await startAppliance({ settings: { limits: 'off' } });
    expect((await appliance.request('POST', register)).status).toBe(201);
    expect((await appliance.request('POST', register, { body: '' })).status).toBe(201);
    expect((await appliance.request('POST', register, { body: { name: 'é'.repeat(60) } })).status).toBe(201);
    for (const name of ['x'.repeat(61), 5, null, ['x']]) {
      const reply = await appliance.request('POST', register, { body: { name } });
      expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['name']]);
    }
  });

  test('does not exist when the operator has turned it off', async () => {
    await using appliance = await startAppliance({ settings: { agent_registration: 'off' } });
    expect((await appliance.request('POST', register)).json.error.code).toBe('not_found');
  });

  test('is limited per address and in total, until the window ends', async () => {
    const clock = new FakeClock();
    await using appliance = await startAppliance({
      clock,
      settings: { trusted_proxies: '127.0.0.0/8,::1/128', limit_agent_registrations_service_per_hour: '12' },
    });
    const from = (ip: string) => appliance.request('POST', register, { headers: { 'x-forwarded-for': ip } });
    for (let count = 0; count < 10; count++) expect((await from('203.0.113.1')).status).toBe(201);
    const refused = await from('203.0.113.1');
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).toBe('3600');
    // The IPv6 network of one household counts as one address. Addresses that the client itself puts into
    // X-Forwarded-For do not count.
    expect((await from('2001:db8:0:1::1')).status).toBe(201);
    expect((await from('203.0.113.1, 2001:db8:0:1:ffff::2')).status).toBe(201);
    expect((await from('198.51.100.1')).status).toBe(429);
    await clock.advance(3_600_000);
    expect((await from('203.0.113.1')).status).toBe(201);
  });

  test('returns the same key again under the same Idempotency-Key', async () => {
    await using appliance = await startAppliance();
    const headers = { 'idempotency-key': 'a-long-and-secret-one' };
    const first = await appliance.request('POST', register, { headers });
    const second = await appliance.request('POST', register, { headers });
    expect(second.status).toBe(201);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    const other = await appliance.request('POST', register, { headers, body: { name: 'x' } });
    expect([other.status, other.json.error.code]).toEqual([409, 'conflict']);
    const short = await appliance.request('POST', register, {
      headers: { 'idempotency-key': 'x'.repeat(15) },
    });
    expect([short.status, Object.keys(short.json.error.fields)]).toEqual([422, ['Idempotency-Key']]);
    expect(dumpTable(appliance, 'idempotency')).not.toContain(first.json.data.api_key);
  });
});

test('an agent idle for 30 days is removed, and one that makes requests or receives mail stays', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock, settings: { limits: 'off' } });
  const [idle, asks, mailed] = await Promise.all(
    [1, 2, 3].map(async () => (await appliance.request('POST', register)).json.data),
  );
  const owner = await appliance.holder();
  const message = await appliance.deliver(idle.inbox.address);
  let later: { api_key: string } | undefined;
  for (const days of [1.5, 8, 8, 8, 6.5]) {
    clock.set(clock.nowUs() + days * DAY_US);
    // Idle for 30.5 days at the end: an account's activity is noted once a day.
    later ??= (await appliance.request('POST', register)).json.data;
    await appliance.request('GET', '/api/v1/inboxes', { key: asks.api_key });
    await appliance.deliver(mailed.inbox.address);
  }
  for (const job of [...registrationJobs, ...messageJobs, ...accountJobs, ...registrationJobs])
    await appliance.run(job);
  const status = async (key: string) => (await appliance.request('GET', '/api/v1/account', { key })).status;
  const agents = [idle, later!, asks, mailed];
  expect(await Promise.all(agents.map(({ api_key }) => status(api_key)))).toEqual([401, 200, 200, 200]);
  expect(dumpTable(appliance, 'message')).not.toContain(message);

  // Nobody can have its address for 90 days.
  const routingKey = idle.inbox.routing_key;
  const claim = () =>
    appliance.request('POST', '/api/v1/inboxes', { key: owner.key, body: { routing_key: routingKey } });
  expect((await claim()).json.error.code).toBe('slug_taken');
  clock.set(clock.nowUs() + 89 * DAY_US);
  for (const job of inboxJobs) await appliance.run(job);
  expect((await claim()).json.error.code).toBe('slug_taken');
  clock.set(clock.nowUs() + 2 * DAY_US);
  for (const job of inboxJobs) await appliance.run(job);
  expect((await claim()).status).toBe(201);
});
