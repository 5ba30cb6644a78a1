import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { countRows } from '../store-state.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (path: string, holder = owner) => appliance.request('GET', `/api/v1${path}`, { key: holder.key });
const mark = (id: string, body: unknown, holder = owner) =>
  appliance.request('PATCH', `/api/v1/messages/${id}`, { key: holder.key, body });
const batch = (body: unknown, holder = owner) =>
  appliance.request('POST', '/api/v1/messages/batch', { key: holder.key, body });

const wholeMail = {
  from: 'Ann <ann@example.org>',
  to: ['You <you@postern.test>', 'b@postern.test'],
  cc: ['c@example.org'],
  subject: 'Your code',
  otp: '123456',
  otp_confidence: 0.9,
  magic_link: 'https://example.org/l?t=1',
  links: ['https://example.org/l?t=1', 'mailto:a@example.org'],
  has_html: true,
  attachment_count: 1,
  content: {
    message_id: '<m@example.org>',
    reply_to: 'r@example.org',
    sent_at: '2026-11-20T00:00:00.000000Z',
    text: 'code 123456',
    html: '<b>123456</b>',
    otp_context: 'code 123456',
    otp_candidates: [{ code: '123456', confidence: 0.9, context: 'code 123456' }],
    otp_reason: 'keyword_near, form',
    magic_link_reason: 'secret',
    attachments: [
      { index: 0, filename: 'a.txt', content_type: 'text/plain', size: 3, content_id: null, inline: false },
    ],
    truncated: false,
  },
};

describe('a message', () => {
  test('is shown with every field', async () => {
    const inbox = await appliance.inbox(owner, { metadata: { k: 1 } });
    const id = await appliance.deliver(inbox.address, wholeMail);
    const { json } = await get(`/messages/${id}`);
    expect(json).toEqual({
      data: {
        id,
        inbox_id: inbox.id,
        thread_id: id.replace('msg_', 'thr_'),
        message_id: '<m@example.org>',
        in_reply_to: null,
        references: [],
        from: 'Ann <ann@example.org>',
        to: ['You <you@postern.test>', 'b@postern.test'],
        cc: ['c@example.org'],
        reply_to: 'r@example.org',
        subject: 'Your code',
        received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        sent_at: '2026-11-20T00:00:00.000000Z',
        otp: '123456',
        otp_confidence: 0.9,
        otp_context: 'code 123456',
        otp_candidates: wholeMail.content.otp_candidates,
        otp_reason: 'keyword_near, form',
        magic_link_reason: 'secret',
        magic_link: 'https://example.org/l?t=1',
        links: wholeMail.links,
        text: 'code 123456',
        reply_text: 'code 123456',
        html: '<b>123456</b>',
        authentication: null,
        metadata: { k: 1 },
        read: false,
        read_at: null,
        status: 'parsed',
        has_html: true,
        envelope_from: 'sender@example.org',
        smtp_user: null,
        envelope_recipient: inbox.address,
        size: 23,
        tags: [],
        attachments: wholeMail.content.attachments,
        truncated: false,
        withheld: null,
      },
    });
    expect((await get(`/inboxes/${inbox.id}/messages/latest`)).json).toEqual(json);
  });

  test('is summarised in a list', async () => {
    const inbox = await appliance.inbox(owner);
    const id = await appliance.deliver(inbox.address, wholeMail);
    const { json } = await get(`/inboxes/${inbox.id}/messages`);
    expect(json.pagination).toEqual({ next_cursor: null, has_more: false });
    const { received_at } = json.data[0];
    expect(json.data).toEqual([
      {
        id,
        inbox_id: inbox.id,
        from: 'Ann <ann@example.org>',
        to: ['You <you@postern.test>', 'b@postern.test'],
        cc: ['c@example.org'],
        subject: 'Your code',
        received_at,
        status: 'parsed',
        otp: '123456',
        otp_confidence: 0.9,
        magic_link: 'https://example.org/l?t=1',
        links: wholeMail.links,
        has_html: true,
        read: false,
        read_at: null,
        size: 23,
        tags: [],
        attachment_count: 1,
        envelope_recipient: inbox.address,
        thread_id: id.replace('msg_', 'thr_'),
      },
    ]);
  });

  test('is not found when the inbox is empty', async () => {
    const inbox = await appliance.inbox(owner);
    expect((await get(`/inboxes/${inbox.id}/messages/latest`)).status).toBe(404);
  });
});

describe('PATCH /messages/{id}', () => {
  test('keeps the time of the first reading, and can clear it', async () => {
    const inbox = await appliance.inbox(owner);
    const id = await appliance.deliver(inbox.address);
    const first = await mark(id, { read: true });
    expect(first.json.data.read).toBe(true);
    expect(first.json.data.read_at).toMatch(/Z$/);
    const second = await mark(id, { read: true });
    expect(second.json.data.read_at).toBe(first.json.data.read_at);
    expect((await mark(id, { read: false })).json.data).toMatchObject({ read: false, read_at: null });
    expect((await mark(id, { read: false })).json.data).toMatchObject({ read: false, read_at: null });
  });

  test.each([
    [{}, ['read']],
    [{ read: 'true' }, ['read']],
    [{ read: null }, ['read']],
    [{ read: 1 }, ['read']],
    [{ read: true, label: 'x' }, ['label']],
    [{ unread: true }, ['read', 'unread']],
  ])('refuses %j', async (body, fields) => {
    const inbox = await appliance.inbox(owner);
    const reply = await mark(await appliance.deliver(inbox.address), body);
    expect([reply.status, reply.json.error.code]).toEqual([422, 'validation_error']);
    expect(Object.keys(reply.json.error.fields).sort()).toEqual(fields);
  });
});

describe('POST /messages/batch', () => {
  test('marks, fetches and deletes in input order, duplicates and other accounts’ ids included', async () => {
    const [inbox, other] = [await appliance.inbox(owner), await appliance.holder()];
    const foreign = await appliance.deliver((await appliance.inbox(other)).address);
    const [a, b] = [
      await appliance.deliver(inbox.address),
      await appliance.deliver(inbox.address, wholeMail),
    ];
    const ids = [b, foreign, a, 'nonsense', b];

    const marked = await batch({ action: 'mark_read', ids });
    const statuses = ['ok', 'not_found', 'ok', 'not_found', 'ok'];
    expect(marked.json).toEqual({ data: { results: ids.map((id, at) => ({ id, status: statuses[at] })) } });
    expect((await get(`/messages/${a}`)).json.data.read).toBe(true);
    expect((await get(`/messages/${foreign}`, other)).json.data.read).toBe(false);

    const fetched = await batch({ action: 'fetch', ids });
    const whole = (await get(`/messages/${b}`)).json.data;
    expect(fetched.json.data.results[0]).toEqual({ id: b, status: 'ok', message: whole });
    expect(fetched.json.data.results[1]).toEqual({ id: foreign, status: 'not_found' });

    for (let times = 0; times < 2; times++) {
      const deleted = await batch({ action: 'delete', ids });
      const results = ['deleted', 'not_found', 'deleted', 'not_found', 'deleted'];
      expect(deleted.json.data.results).toEqual(ids.map((id, at) => ({ id, status: results[at] })));
    }
    expect((await get(`/messages/${a}`)).status).toBe(404);
    expect((await get(`/messages/${foreign}`, other)).status).toBe(200);
    // Another account learns nothing of deleted messages.
    expect((await batch({ action: 'delete', ids: [a] }, other)).json.data.results[0].status).toBe(
      'not_found',
    );
    expect((await batch({ action: 'mark_read', ids: [a] })).json.data.results[0].status).toBe('not_found');
    // With the inbox, everything that was in it is hidden.
    await appliance.request('DELETE', `/api/v1/inboxes/${inbox.id}`, { key: owner.key });
    expect((await batch({ action: 'delete', ids: [a] })).json.data.results[0].status).toBe('not_found');
  });

  test.each([
    [{ action: 'archive', ids: ['x'] }, 'action'],
    [{ ids: ['x'] }, 'action'],
    [{ action: 'fetch' }, 'ids'],
    [{ action: 'fetch', ids: [] }, 'ids'],
    [{ action: 'fetch', ids: 'x' }, 'ids'],
    [{ action: 'fetch', ids: [1] }, 'ids'],
    [{ action: 'fetch', ids: Array.from({ length: 101 }, () => 'x') }, 'ids'],
  ])('refuses %j', async (body, field) => {
    const reply = await batch(body);
    expect([reply.status, reply.json.error.code, Object.keys(reply.json.error.fields)]).toEqual([
      422,
      'validation_error',
      [field],
    ]);
  });

  test('accepts 100 ids', async () => {
    const reply = await batch({ action: 'fetch', ids: Array.from({ length: 100 }, (_, at) => `msg_${at}`) });
    expect(reply.json.data.results).toHaveLength(100);
  });

  test('is refused on the Free plan, whatever the body', async () => {
    const free = await appliance.holder('free');
    for (const body of [{ action: 'fetch', ids: ['x'] }, {}, '{bad']) {
      const reply = await batch(body, free);
      expect([reply.status, reply.json.error.code]).toEqual([402, 'plan_upgrade_required']);
    }
    const pro = await appliance.holder('pro');
    expect((await batch({ action: 'fetch', ids: ['x'] }, pro)).status).toBe(200);
  });
});

test('DELETE /messages/{id} removes the message, and with its last copy the mail', async () => {
  const [inbox, second] = [await appliance.inbox(owner), await appliance.inbox(owner)];
  const mails = () => countRows(appliance, 'raw');
  const before = mails();
  const id = await appliance.deliver(inbox.address, { alsoTo: [second.address] });
  const copy = (await get(`/inboxes/${second.id}/messages`)).json.data[0].id;
  expect(mails()).toBe(before + 1);
  const remove = (which: string) =>
    appliance.request('DELETE', `/api/v1/messages/${which}`, { key: owner.key });
  expect((await remove(id)).status).toBe(204);
  expect((await remove(id)).status).toBe(404);
  expect((await get(`/messages/${copy}/raw`)).status).toBe(200);
  expect(mails()).toBe(before + 1);
  expect((await remove(copy)).status).toBe(204);
  expect(mails()).toBe(before);
});

test('received_at only increases, within an inbox and across all of them', async () => {
  const inbox = await appliance.inbox(owner);
  await Promise.all(Array.from({ length: 30 }, () => appliance.deliver(inbox.address)));
  const { json } = await get(`/inboxes/${inbox.id}/messages?limit=100`);
  const times = json.data.map(({ received_at }: { received_at: string }) => received_at);
  expect(new Set(times).size).toBe(30);
  expect(times).toEqual([...times].sort().reverse());
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
