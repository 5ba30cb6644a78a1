/** The list of approved recipients: its changes, its caps, and what it blocks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ALLOWLIST, APPROVED_COUNT } from '../../../src/features/outbound/allowlist/sql.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { explainPlan } from '../../store-state.ts';
import { Sender, verdict } from './sender.ts';

let sender: Sender;
beforeAll(async () => {
  sender = await Sender.start();
});
afterAll(() => sender[Symbol.asyncDispose]());

const approve = (own: Sender, email: unknown, headers = {}) =>
  own.post('/outbound_allowlist', { email }, headers);
const remove = (own: Sender, id: string) =>
  own.appliance.request('DELETE', `/api/v1/outbound_allowlist/${id}`, { key: own.owner.key });
const setMode = (own: Sender, enabled: unknown) => own.post('/outbound_allowlist/mode', { enabled });

test('who approved and removed a recipient, and turned the list on, is in the audit log', async () => {
  await using own = await Sender.start();
  const { data } = (await approve(own, 'Ann@example.org')).json;
  expect((await approve(own, 'ann@example.org')).status).toBe(409);
  await setMode(own, true);
  // Changes nothing.
  await setMode(own, true);
  await remove(own, data.id);
  expect((await remove(own, data.id)).status).toBe(404);
  const { json } = await own.get('/audit_log?limit=3');
  expect(json.data).toMatchObject([
    { action: 'recipient.removed', target: 'ann@example.org', actor: { kind: 'key' } },
    { action: 'allowlist.changed', target: null, details: { allowlist: 'on' } },
    { action: 'recipient.approved', target: 'ann@example.org' },
  ]);
});

describe('the list', () => {
  test('holds an address once, however it is written, and can remove it', async () => {
    await using own = await Sender.start();
    const reply = await approve(own, ' Ann <Ann@BÜCHER.example> ');
    expect(reply.status).toBe(201);
    const { data } = reply.json;
    expect(reply.headers.get('location')).toBe(`/api/v1/outbound_allowlist/${data.id}`);
    expect(Object.keys(data)).toEqual(['id', 'email', 'created_at']);
    expect(data.id).toMatch(/^apr_[0-9a-f]{32}$/);
    expect(data.email).toBe('ann@xn--bcher-kva.example');
    expect(verdict(await approve(own, 'ann@bücher.example'))).toBe('409 approved_recipient_exists');
    expect((await own.get('/outbound_allowlist')).json).toEqual({
      data: [data],
      pagination: { next_cursor: null, has_more: false },
    });
    expect((await remove(own, data.id)).status).toBe(204);
    expect(verdict(await remove(own, data.id))).toBe('404 not_found');
    expect((await own.get('/outbound_allowlist')).json.data).toEqual([]);
    expect(verdict(await approve(own, 'ann@bücher.example'))).toBe('201');
  });

  test('is paged, newest first, with cursors bound to their account', async () => {
    await using own = await Sender.start();
    for (const name of 'abcde') await approve(own, `${name}@example.org`);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { json: { data: { email: string }[]; pagination: { next_cursor: string | null } } } =
        await own.get(`/outbound_allowlist?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.json.data.map(({ email }) => email[0]!));
      cursor = page.json.pagination.next_cursor;
    }
    expect(seen.join('')).toBe('edcba');
    const { next_cursor } = (await own.get('/outbound_allowlist?limit=2')).json.pagination;
    const other = await Sender.join(own.appliance, 'other.example');
    expect(verdict(await other.get(`/outbound_allowlist?cursor=${next_cursor}`))).toBe(
      '422 validation_error cursor',
    );
    expect(verdict(await own.get('/outbound_allowlist?limit=0'))).toBe('422 validation_error limit');
  });

  test('can’t be changed by another account', async () => {
    const { id } = (await approve(sender, 'theirs@example.org')).json.data;
    const other = await Sender.join(sender.appliance, 'other.example');
    expect(verdict(await remove(other, id))).toBe('404 not_found');
    expect((await other.get('/outbound_allowlist')).json.data).toEqual([]);
    expect((await remove(sender, id)).status).toBe(204);
  });

  test('is read by its indexes', () => {
    expect(explainPlan(sender.appliance, ALLOWLIST)).toBe(
      'SEARCH approved_recipient USING INDEX approved_recipient_account (account_no=? AND rowid<?)',
    );
    expect(explainPlan(sender.appliance, APPROVED_COUNT)).toBe(
      'SEARCH approved_recipient USING COVERING INDEX approved_recipient_account (account_no=?)',
    );
  });

  for (const email of [
    undefined,
    null,
    7,
    '',
    'ann',
    'ann@',
    '@x',
    'a b@x.example',
    'a@x',
    'a@x.example, b@x.example',
  ]) {
    test(`does not accept ${JSON.stringify(email)}`, async () => {
      expect(verdict(await approve(sender, email))).toBe('422 validation_error email');
    });
  }

  test('has a cap, even when rate limits are off', async () => {
    await using own = await Sender.start({ settings: { plan_business_outbound_allowlist: '2' } });
    for (const name of 'ab') expect(verdict(await approve(own, `${name}@example.org`))).toBe('201');
    expect(verdict(await approve(own, 'c@example.org'))).toBe('422 outbound_allowlist_limit_reached');
    expect(verdict(await approve(own, 'a@example.org'))).toBe('409 approved_recipient_exists');
    const { json } = await own.get('/outbound_allowlist');
    await remove(own, json.data[0].id);
    expect(verdict(await approve(own, 'c@example.org'))).toBe('201');
  });

  test('can be changed at most sixty times an hour in total', async () => {
    const clock = new FakeClock();
    const settings = { limits: 'on', limit_outbound_allowlist_changes_per_hour: '3' };
    await using own = await Sender.start({ clock, settings });
    const { id } = (await approve(own, 'a@example.org')).json.data;
    expect((await remove(own, id)).status).toBe(204);
    expect((await setMode(own, false)).status).toBe(200);
    for (const reply of [
      await approve(own, 'b@example.org'),
      await remove(own, id),
      await setMode(own, true),
    ]) {
      expect(verdict(reply)).toBe('429 outbound_allowlist_rate_limited');
      expect(reply.headers.get('retry-after')).toBe('3600');
    }
    expect((await own.get('/outbound_allowlist')).status).toBe(200);
    clock.set(clock.nowUs() + 3_600_000_000);
    expect(verdict(await approve(own, 'b@example.org'))).toBe('201');
  });

  test('gains one entry per Idempotency-Key', async () => {
    const once = { 'idempotency-key': 'k' };
    const first = await approve(sender, 'once@example.org', once);
    expect((await approve(sender, 'once@example.org', once)).json).toEqual(first.json);
    expect(verdict(await approve(sender, 'twice@example.org', once))).toBe('409 conflict');
  });
});

describe('its mode', () => {
  test('is off at first, and when on allows approved recipients only', async () => {
    await using own = await Sender.start();
    await approve(own, 'ann@example.org');
    const request = { to: ['Ann <ANN@example.org>'], cc: ['bob@example.org'], bcc: ['cy@example.org'] };
    expect(verdict(await own.send(request))).toBe('201');
    expect((await setMode(own, true)).json).toEqual({ data: { enabled: true } });
    const refused = await own.send(request);
    expect(verdict(refused)).toBe('422 recipient_not_approved cc bcc');
    expect(refused.json.error.fields.cc).toEqual(['bob@example.org is not an approved recipient']);
    expect(verdict(await own.send({ to: ['ann@example.org'] }))).toBe('201');
    const compose = { to: ['bob@example.org'], subject: 'x', body_text: 'x' };
    expect(verdict(await own.post(`/inboxes/${own.inbox.id}/compose`, compose))).toBe(
      '422 recipient_not_approved to',
    );
    // It does not apply to other accounts.
    const other = await Sender.join(own.appliance, 'other.example');
    expect(verdict(await other.send({ from_address: 'a@other.example' }))).toBe('201');
    expect((await setMode(own, false)).json).toEqual({ data: { enabled: false } });
    expect(verdict(await own.send(request))).toBe('201');
  });

  test('leaves the quota unchanged', async () => {
    await using own = await Sender.start({ settings: { plan_business_outbound_recipients_per_hour: '1' } });
    expect(verdict(await own.send())).toBe('201');
    await setMode(own, true);
    await setMode(own, false);
    expect(verdict(await own.send())).toBe('403 outbound_quota_exceeded');
  });

  for (const enabled of [undefined, null, 'true', 1]) {
    test(`can’t be ${JSON.stringify(enabled)}`, async () => {
      expect(verdict(await setMode(sender, enabled))).toBe('422 validation_error enabled');
    });
  }
});
