/**
 * A member's email waits for an owner's approval: what is held, how it is decided, and that it is decided only once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeMember } from '../../../src/features/accounts/members.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { holdJobs } from '../../../src/features/outbound/hold/jobs.ts';
import { EXPIRED_HELD, HELD_OF_ACCOUNT } from '../../../src/features/outbound/hold/sql.ts';
import { outboundJobs } from '../../../src/features/outbound/jobs.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startAppliance } from '../../start.ts';
import { countRows, explainPlan } from '../../store-state.ts';
import { until } from '../../until.ts';
import { email, type Held, MEMBER, startHeld } from './held.ts';
import { verdict } from './sender.ts';
import { FROM_DOMAIN } from './sending-server.ts';

const clock = new FakeClock();
let held: Held;
beforeAll(async () => {
  held = await startHeld({ clock });
  await held.owner('PUT', '/outbound_hold', { enabled: true });
});
afterAll(() => held[Symbol.asyncDispose]());

const readStatus = async (id: string) => (await held.owner('GET', `/outbound_emails/${id}`)).json.data.status;
const arrived = (subject: string) =>
  held.sender.far.mails.filter(({ data }) => data.includes(`Subject: ${subject}\r\n`));
const [expire] = holdJobs;

describe('an email of a member', () => {
  test('is held, and sent with exactly its bytes when an owner approves it', async () => {
    const asked = await held.member('POST', '/outbound_emails', {
      ...email,
      subject: 'With a file',
      attachments: [
        { filename: 'a.txt', content_type: 'text/plain', content: Buffer.from('x').toString('base64') },
      ],
    });
    const { id } = asked.json.data;
    expect(asked.json.data).toMatchObject({
      status: 'held',
      recipients: [{ email: 'ann@far.test', status: 'held', response: null }],
      sent_at: null,
    });
    const { until: end, by } = asked.json.data.held;
    expect(Date.parse(end) - Date.parse(asked.json.data.created_at)).toBe(72 * 3_600_000);
    expect(held.memberKey).toStartWith(by);
    const bytes = held.mime(id);
    await clock.leap(3_600_000);
    expect(await readStatus(id)).toBe('held');
    const raw = await held.owner('GET', `/outbound_emails/${id}/raw`);
    expect(raw.text).toBe(bytes.toString());
    const listed = await held.owner('GET', '/outbound_emails?status=held');
    expect(listed.json.data.map((each: { id: string }) => each.id)).toContain(id);
    const approved = await held.owner('POST', `/outbound_emails/${id}/approve`);
    expect([approved.status, approved.json.data.status, approved.json.data.held]).toEqual([
      200,
      'queued',
      null,
    ]);
    await until(() => held.sender.status(id) === 'sent');
    // The time for sending begins with the approval.
    expect(held.sender.email(id).expires_at - clock.nowUs()).toBe(48 * 3_600_000_000);
    const [mail] = arrived('With a file');
    // Below our DKIM-Signature.
    expect(mail!.data.slice(mail!.data.indexOf('From: '))).toBe(
      bytes.toString().slice(bytes.indexOf('From: ')),
    );
    expect((await held.owner('GET', `/outbound_emails/${id}/raw`)).status).toBe(404);
  });

  test('ends when an owner rejects it, and says why', async () => {
    const id = await held.ask({ subject: 'Rejected' });
    const rejected = await held.owner('POST', `/outbound_emails/${id}/reject`, { reason: 'too pushy' });
    expect(rejected.json.data).toMatchObject({
      status: 'rejected',
      held: null,
      last_error: 'rejected by an owner: too pushy',
      recipients: [{ status: 'rejected', response: 'rejected by an owner: too pushy' }],
    });
    expect(verdict(await held.owner('POST', `/outbound_emails/${id}/approve`))).toBe('409 conflict');
    expect((await held.owner('GET', `/outbound_emails/${id}/raw`)).status).toBe(404);
    expect(arrived('Rejected')).toEqual([]);
    for (const reason of ['x'.repeat(201), 'a\nb', 5]) {
      const wrong = await held.owner('POST', `/outbound_emails/${id}/reject`, { reason });
      expect(verdict(wrong)).toBe('422 validation_error reason');
    }
  });

  test('is rejected when no owner decides in time, even before the job has run', async () => {
    const id = await held.ask({ subject: 'Late' });
    await clock.leap(72 * 3_600_000 - 1);
    await held.sender.appliance.run(expire!);
    expect(await readStatus(id)).toBe('held');
    await clock.leap(1);
    expect(verdict(await held.owner('POST', `/outbound_emails/${id}/approve`))).toBe('409 conflict');
    await held.sender.appliance.run(expire!);
    const { json } = await held.owner('GET', `/outbound_emails/${id}`);
    expect(json.data).toMatchObject({ status: 'rejected', last_error: 'no owner approved it in time' });
    expect(arrived('Late')).toEqual([]);
  });

  test('is decided only once, even by simultaneous requests', async () => {
    for (let round = 0; round < 10; round++) {
      const subject = `Race ${round}`;
      const id = await held.ask({ subject });
      const path = `/outbound_emails/${id}`;
      const answers = await Promise.all([
        held.owner('POST', `${path}/approve`),
        held.owner('POST', `${path}/reject`),
        held.owner('POST', `${path}/approve`),
        held.owner('POST', `${path}/reject`),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      await until(() => ['sent', 'rejected'].includes(held.sender.status(id)));
      expect(arrived(subject)).toHaveLength(held.sender.status(id) === 'sent' ? 1 : 0);
    }
  });

  test('of a suspended account can’t be approved, and expires', async () => {
    const later = new FakeClock();
    await using own = await startHeld({ clock: later });
    await own.owner('PUT', '/outbound_hold', { enabled: true });
    const id = await own.ask();
    const { store } = own.sender.appliance.services;
    const accountNo = own.sender.owner.account.no;
    await store.write(changeAccountOp, { account_no: accountNo, changes: { status: 'suspended' } });
    expect(verdict(await own.owner('POST', `/outbound_emails/${id}/approve`))).toBe('403 account_forbidden');
    expect(own.sender.status(id)).toBe('held');
    await later.leap(72 * 3_600_000);
    await own.sender.appliance.run(expire!);
    expect(own.sender.status(id)).toBe('rejected');
  });

  test('is held and shown in its thread whether it is a reply, a forward or composed', async () => {
    const message = await held.sender.appliance.deliver(held.inbox.address, {
      from: 'Ann <ann@far.test>',
      raw: 'From: Ann <ann@far.test>\r\nSubject: hi\r\nMessage-ID: <a@far.test>\r\n\r\nhi\r\n',
      content: { message_id: '<a@far.test>' },
    });
    const box = `/inboxes/${held.inbox.id}`;
    for (const [path, body] of [
      [`${box}/messages/${message}/reply`, { body_text: 'yes' }],
      [`${box}/messages/${message}/forward`, { to: ['bob@far.test'] }],
      [`${box}/compose`, { to: ['bob@far.test'], subject: 'new', body_text: 'hi' }],
    ] as const) {
      const { json } = await held.member('POST', path, body);
      expect(json.data.status).toBe('held');
      const thread = await held.owner('GET', `/threads/${json.data.thread_id}`);
      expect(JSON.stringify(thread.json.data.messages)).toContain(json.data.id);
    }
  });

  test('is found again by its Idempotency-Key, and held only once', async () => {
    const { appliance } = held.sender;
    const before = countRows(appliance, 'outbound_email');
    const asked = () =>
      appliance.request('POST', '/api/v1/outbound_emails', {
        key: held.memberKey,
        body: email,
        headers: { 'idempotency-key': 'k1' },
      });
    const [one, two] = await Promise.all([asked(), asked()]);
    expect(one!.json.data.id).toBe(two!.json.data.id);
    expect(countRows(appliance, 'outbound_email')).toBe(before + 1);
  });

  test('is still refused at once for a reason that no owner could override', async () => {
    const foreign = { ...email, from_address: 'a@elsewhere.example' };
    const refused = await held.member('POST', '/outbound_emails', foreign);
    expect(verdict(refused)).toBe('403 sending_domain_not_eligible');
  });
});

test('only an owner decides, neither a member nor another account', async () => {
  const id = await held.ask();
  const stranger = await held.sender.appliance.holder();
  for (const path of [`/outbound_emails/${id}/approve`, `/outbound_emails/${id}/reject`]) {
    expect(verdict(await held.member('POST', path))).toBe('403 account_forbidden');
    const foreign = await held.sender.appliance.request('POST', `/api/v1${path}`, { key: stranger.key });
    expect(verdict(foreign)).toBe('404 not_found');
  }
  for (const path of ['/outbound_hold', `/inboxes/${held.inbox.id}/outbound_hold`]) {
    expect(verdict(await held.member('PUT', path, { enabled: false }))).toBe('403 account_forbidden');
    expect(verdict(await held.member('GET', path))).toBe('403 account_forbidden');
  }
  const foreign = { key: stranger.key, body: { enabled: true } };
  const path = `/api/v1/inboxes/${held.inbox.id}/outbound_hold`;
  expect(verdict(await held.sender.appliance.request('PUT', path, foreign))).toBe('404 not_found');
  expect(await readStatus(id)).toBe('held');
});

test('an owner’s own email is not held, and turning the hold off sends nothing by itself', async () => {
  const id = await held.ask();
  const own = await held.owner('POST', '/outbound_emails', { ...email, subject: 'Own' });
  expect(own.json.data).toMatchObject({ status: 'queued', held: null });
  await held.owner('PUT', '/outbound_hold', { enabled: false });
  expect((await held.owner('GET', '/outbound_hold')).json.data).toEqual({ enabled: false });
  const free = await held.member('POST', '/outbound_emails', email);
  expect(free.json.data.status).toBe('queued');
  expect(await readStatus(id)).toBe('held');
  await held.owner('PUT', '/outbound_hold', { enabled: true });
});

test('the hold of one inbox applies to its address, whichever request sends from it', async () => {
  await using own = await startHeld();
  const path = `/inboxes/${own.inbox.id}/outbound_hold`;
  await own.owner('PUT', path, { enabled: true });
  expect((await own.owner('GET', path)).json.data).toEqual({ enabled: true });
  const statuses: string[] = [];
  for (const address of ['desk', 'DESK', 'desk+x', 'other']) {
    const request = { ...email, from_address: `${address}@${FROM_DOMAIN}` };
    statuses.push((await own.member('POST', '/outbound_emails', request)).json.data.status);
  }
  const composed = { to: ['a@far.test'], subject: 'x', body_text: 'x' };
  statuses.push((await own.member('POST', `/inboxes/${own.inbox.id}/compose`, composed)).json.data.status);
  expect(statuses).toEqual(['held', 'held', 'held', 'queued', 'held']);
});

test('a member can’t end the hold of an inbox by deleting and recreating it', async () => {
  await using own = await startHeld();
  await own.owner('PUT', `/inboxes/${own.inbox.id}/outbound_hold`, { enabled: true });
  for (const name of [own.inbox.id, own.inbox.address])
    expect(verdict(await own.member('DELETE', `/inboxes/${name}`))).toBe('403 account_forbidden');
  const request = { ...email, from_address: own.inbox.address };
  expect((await own.member('POST', '/outbound_emails', request)).json.data.status).toBe('held');
  const free = await own.sender.appliance.inbox(own.sender.owner);
  expect((await own.member('DELETE', `/inboxes/${free.id}`)).status).toBe(204);
  expect((await own.owner('DELETE', `/inboxes/${own.inbox.id}`)).status).toBe(204);
});

test('a held email can be decided even when its inbox and its sender are gone', async () => {
  await using own = await startHeld();
  await own.owner('PUT', '/outbound_hold', { enabled: true });
  const composed = { to: ['ann@far.test'], subject: 'Orphan', body_text: 'x' };
  const ask = async () =>
    (await own.member('POST', `/inboxes/${own.inbox.id}/compose`, composed)).json.data.id as string;
  const [goes, ends] = [await ask(), await ask()];
  await own.owner('DELETE', `/inboxes/${own.inbox.id}`);
  const { services } = own.sender.appliance;
  await removeMember(services, own.sender.owner.account, MEMBER);
  expect((await own.member('GET', '/account')).status).toBe(401);
  const { data } = (await own.owner('GET', '/outbound_emails?status=held')).json;
  expect(data.map(({ held }: { held: { by: string } }) => typeof held)).toEqual(['object', 'object']);
  expect((await own.owner('POST', `/outbound_emails/${goes}/approve`)).status).toBe(200);
  expect((await own.owner('POST', `/outbound_emails/${ends}/reject`)).status).toBe(200);
  await until(() => own.sender.status(goes) === 'sent');
  expect([own.sender.status(ends), own.sender.far.mails.length]).toEqual(['rejected', 1]);
  const thread = (await own.owner('GET', '/threads')).json.data.find(
    ({ subject }: { subject: string }) => subject === 'Orphan',
  );
  const { messages } = (await own.owner('GET', `/threads/${thread.id}`)).json.data;
  expect(messages).toMatchObject([{ direction: 'out', subject: 'Orphan' }]);
});

test('recipients count against the quota when an email is approved, and over it the email stays held', async () => {
  await using own = await startHeld({
    settings: { plan_business_outbound_recipients_per_hour: '2', plan_business_outbound_queued: '50' },
  });
  await own.owner('PUT', '/outbound_hold', { enabled: true });
  const usage = async () => (await own.owner('GET', '/account')).json.data.usage.outbound_recipients;
  const ids = [await own.ask(), await own.ask({ to: ['a@far.test', 'b@far.test'] })];
  expect(await usage()).toBe(0);
  expect((await own.owner('POST', `/outbound_emails/${ids[0]}/approve`)).status).toBe(200);
  expect(await usage()).toBe(1);
  const over = await own.owner('POST', `/outbound_emails/${ids[1]}/approve`);
  expect(verdict(over)).toBe('403 outbound_quota_exceeded');
  expect([own.sender.email(ids[1]!).status, await usage()]).toEqual(['held', 1]);
  // The counts of the hour did not turn the hold off.
  expect((await own.owner('GET', '/outbound_hold')).json.data).toEqual({ enabled: true });
});

test('a member can have at most 200 emails on hold, and an owner can still send', async () => {
  await using own = await startHeld();
  await own.owner('PUT', '/outbound_hold', { enabled: true });
  for (let count = 0; count < 200; count++) await own.ask();
  const over = await own.member('POST', '/outbound_emails', email);
  expect(verdict(over)).toBe('429 outbound_rate_limited');
  expect((await own.owner('POST', '/outbound_emails', email)).status).toBe(201);
});

test('held emails survive a restart, and retention does not remove them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'postern-held-'));
  const later = new FakeClock();
  const settings = { plan_business_retention_days: '1', outbound_hold_hours: '720' };
  const content = Buffer.alloc(3_000_000, 'mail').toString('base64');
  const large = { filename: 'x.bin', content_type: 'application/octet-stream', content };
  let id = '';
  let bytes: Buffer = Buffer.alloc(0);
  let key = '';
  {
    await using first = await startHeld({ clock: later, dataDir: dir, settings });
    key = first.sender.owner.key;
    await first.owner('PUT', '/outbound_hold', { enabled: true });
    id = await first.ask({ attachments: [large] });
    bytes = first.mime(id);
  }
  await later.leap(5 * 86_400_000);
  await using second = await startAppliance({
    clock: later,
    dataDir: dir,
    settings: { ...settings, outbound: 'direct', dns_servers: '127.0.0.1:9', limits: 'off' },
  });
  await second.run(outboundJobs[0]!);
  const { json } = await second.request('GET', `/api/v1/outbound_emails/${id}`, { key });
  expect(json.data.status).toBe('held');
  const raw = await second.request('GET', `/api/v1/outbound_emails/${id}/raw`, { key });
  expect(Buffer.from(raw.text).equals(bytes)).toBe(true);
  rmSync(dir, { recursive: true });
});

test('the audit log says what is held, and who decided', async () => {
  const id = await held.ask();
  await held.owner('POST', `/outbound_emails/${id}/approve`);
  const { json } = await held.owner('GET', '/audit_log?limit=1');
  expect(json.data[0]).toMatchObject({ action: 'email.approved', target: id, actor: { kind: 'key' } });
  expect(MEMBER).not.toBe(json.data[0].actor.name);
});

test('the audit log has only changes of a hold, not requests that change nothing', async () => {
  const count = async () => {
    const { json } = await held.owner('GET', '/audit_log?limit=100');
    return json.data.filter(({ action }: { action: string }) => action === 'hold.changed').length;
  };
  for (const path of ['/outbound_hold', `/inboxes/${held.inbox.id}/outbound_hold`]) {
    const set = async (enabled: boolean) =>
      expect((await held.owner('PUT', path, { enabled })).json.data).toEqual({ enabled });
    await set(false);
    const before = await count();
    for (const enabled of [true, true, false, false, true]) await set(enabled);
    expect([path, (await count()) - before]).toEqual([path, 3]);
  }
});

test('held emails are found by an index', () => {
  const { appliance } = held.sender;
  expect(explainPlan(appliance, HELD_OF_ACCOUNT)).toContain(
    'outbound_email_status (account_no=? AND status=?)',
  );
  const late = explainPlan(appliance, EXPIRED_HELD);
  expect(late).toContain('outbound_email_held (expires_at<?)');
  expect(late).not.toContain('TEMP B-TREE');
});
