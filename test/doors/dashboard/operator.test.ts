/** What the operator sees and does at the dashboard. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { silentLog } from '../../../src/platform/core/log.ts';
import { LogTail } from '../../../src/platform/core/log-tail.ts';
import { silentMeters } from '../../../src/platform/core/meters.ts';
import { Observed } from '../../../src/platform/core/observed.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { newEmail, owner, type Person, password, Visitor } from './visitor.ts';

let appliance: RunningAppliance;
let ann: Person;
let eve: Person;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { outbound: 'smtp://user:hunter2@127.0.0.1:2525' } });
  [ann, eve] = [await owner(appliance), await owner(appliance, 'free')];
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = async (path: string) => (await ann.visitor.get(`/operator/${path}`)).json.data;

describe('accounts', () => {
  test('are listed, searched and paged', async () => {
    const all = await get('accounts');
    expect(all.map(({ email }: { email: string }) => email)).toEqual([eve.email, ann.email]);
    expect(await get(`accounts?q=${eve.email.slice(3, 20).toUpperCase()}`)).toMatchObject([
      { account_id: eve.account.id, plan: 'free', inboxes: 0 },
    ]);
    expect(await get('accounts?q=%25')).toEqual([]);
    const first = (await ann.visitor.get('/operator/accounts?limit=1')).json;
    const cursor = encodeURIComponent(first.pagination.next_cursor);
    expect(await get(`accounts?limit=1&cursor=${cursor}`)).toMatchObject([{ email: ann.email }]);
    expect((await ann.visitor.get(`/operator/accounts?cursor=${cursor}&q=x`)).status).toBe(422);
  });

  test('are changed at once, and operators can’t lock themselves out', async () => {
    const at = `/operator/accounts/${eve.account.id}`;
    const changed = await ann.visitor.ask('PATCH', at, { plan: 'pro', outbound: false });
    expect(changed.json.data).toMatchObject({
      plan: 'pro',
      flags: { outbound: false, custom_domains: true },
    });
    expect((await eve.visitor.get('/me')).json.data.account.plan).toBe('pro');
    await ann.visitor.ask('PATCH', at, { status: 'suspended' });
    expect((await eve.visitor.get('/usage')).status).toBe(403);
    await ann.visitor.ask('PATCH', at, { status: 'active' });
    expect((await eve.visitor.get('/usage')).status).toBe(200);
    const wrong = await ann.visitor.ask('PATCH', at, { plan: 'gold', extra: 1 });
    expect(Object.keys(wrong.json.error.fields).sort()).toEqual(['extra', 'plan']);
    const own = `/operator/accounts/${ann.account.id}`;
    for (const changes of [{ operator: false }, { status: 'suspended' }]) {
      expect((await ann.visitor.ask('PATCH', own, changes)).json.error.code).toBe('conflict');
    }
    expect((await ann.visitor.ask('DELETE', own)).status).toBe(409);
    expect((await ann.visitor.ask('PATCH', '/operator/accounts/acct_x', { plan: 'pro' })).status).toBe(404);
  });

  test('are created with a link for their owner, and deleted with everything they own', async () => {
    const created = (await ann.visitor.post('/operator/accounts', { email: newEmail(), plan: 'scale' })).json
      .data;
    const token = created.invite_path.split('/').at(-1);
    const visitor = new Visitor(appliance);
    expect((await visitor.post('/invite', { token, password })).status).toBe(200);
    expect((await visitor.get('/me')).json.data).toMatchObject({ role: 'owner', account: { plan: 'scale' } });
    expect((await ann.visitor.ask('DELETE', `/operator/accounts/${created.account_id}`)).status).toBe(200);
    expect((await visitor.get('/usage')).status).toBe(401);
    expect((await appliance.request('GET', '/api/v1/account', { key: created.api_key })).status).toBe(401);
  });
});

describe('the server', () => {
  test('reports its health, and how much mail was received and refused', async () => {
    const { key } = await appliance.holder();
    await appliance.request('GET', '/api/v1/account', { key });
    await sendMail({
      port: appliance.smtpPort,
      from: 'a@b.test',
      to: ['nobody@postern.test'],
      raw: 'x\r\n',
    });
    const health = await get('health');
    expect(health).toMatchObject({ trouble: null, queues: { waits: 0, waits_max: 16, outbound: 0 } });
    expect(health.store.bytes).toBeGreaterThan(0);
    expect(health.plots.series.mails_refused_total).toHaveLength(60);
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    expect(sum(health.plots.series.mails_refused_total)).toBe(1);
    // Two requests with a key. The many requests of these pages don't count.
    expect(sum(health.plots.series.http_requests_total)).toBe(2);
    const day = await get('health?span=day');
    expect([day.plots.step_minutes, day.plots.series.mails_accepted_total.length]).toEqual([10, 144]);
    expect((await ann.visitor.get('/operator/health?span=year')).status).toBe(422);
  });

  test('shows its settings without secrets, and the tail of its log', async () => {
    const settings = await ann.visitor.get('/operator/settings');
    expect(settings.text).not.toContain('hunter2');
    const outbound = settings.json.data.find(({ name }: { name: string }) => name === 'outbound');
    expect(outbound).toMatchObject({ variable: 'POSTERN_OUTBOUND', value: '********', source: 'file' });
    const [line] = await get('log');
    expect(line).toMatchObject({ level: 'info', message: 'recipient refused' });
  });

  test('is checked by the doctor', async () => {
    const { checks } = (await ann.visitor.post('/operator/doctor')).json.data;
    expect(checks.find(({ name }: { name: string }) => name === 'disk')).toMatchObject({ ok: true });
  }, 60_000);
});

describe('the history behind the charts and the log', () => {
  test('keeps counts per minute for a day, whatever the clock does', () => {
    let nowUs = Date.UTC(2026, 10, 21) * 1000;
    const observed = new Observed(silentMeters, () => nowUs);
    observed.count('mails_accepted_total', {}, 3);
    nowUs += 60_000_000;
    observed.count('mails_accepted_total');
    observed.count('http_requests_total', { route: 'dashboardMembers' });
    expect(observed.series(3)).toMatchObject({
      mails_accepted_total: [0, 3, 1],
      http_requests_total: [0, 0, 0],
    });
    nowUs -= 3_600_000_000;
    observed.count('mails_accepted_total');
    expect(observed.series(2).mails_accepted_total).toEqual([3, 2]);
    nowUs += 25 * 3_600_000_000;
    expect(observed.series(1_440).mails_accepted_total.some((value) => value > 0)).toBe(false);
  });

  test('keeps warnings through a flood of other lines, and cuts long values', () => {
    const tail = new LogTail();
    const log = tail.over(silentLog, () => 1);
    log.warn('look at this', { value: 'x'.repeat(5_000) });
    for (let line = 0; line < 5_000; line++) log.info(`line ${line}`);
    log.debug('not this');
    const lines = tail.lines();
    expect(lines.length).toBeLessThanOrEqual(500);
    expect(lines[0]?.message).toBe('line 4999');
    expect(String(lines.find(({ level }) => level === 'warn')?.fields.value).length).toBe(500);
  });
});

test('none of these requests caused a server error', () => {
  expect(appliance.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
