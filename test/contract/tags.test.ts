/** Tags: set over the API or by the mail's X-Tags (docs/api-v1.md, Tags). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sendMail } from '../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { countRows } from '../store-state.ts';

let appliance: RunningAppliance;
let owner: Holder;
let inbox: { id: string; address: string };

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
  inbox = await appliance.inbox(owner, { public: true });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (path: string) => appliance.request('GET', `/api/v1${path}`, { key: owner.key });
const put = (id: string, body: unknown, { key } = owner) =>
  appliance.request('PUT', `/api/v1/messages/${id}/tags`, { key, body });
const many = (count: number) => Array.from({ length: count }, (_, at) => `tag-${at}`);

describe('PUT /messages/{id}/tags', () => {
  test('replaces the previous tags, and keeps order and each tag once', async () => {
    const id = await appliance.deliver(inbox.address);
    expect((await get(`/messages/${id}`)).json.data.tags).toEqual([]);
    const reply = await put(id, { tags: ['b', 'a', 'b'] });
    expect([reply.status, reply.json.data.id, reply.json.data.tags]).toEqual([200, id, ['b', 'a']]);
    expect(reply.json).toEqual((await get(`/messages/${id}`)).json);
    expect((await put(id, { tags: ['c'] })).json.data.tags).toEqual(['c']);
    expect((await put(id, { tags: ['c'] })).json.data.tags).toEqual(['c']);
    const kept = countRows(appliance, 'message_tag');
    expect((await put(id, { tags: [] })).json.data.tags).toEqual([]);
    // Nothing of any earlier tag is left in the index of tags.
    expect(countRows(appliance, 'message_tag')).toBe(kept - 1);
    await put(id, { tags: ['d'] });
    await put(id, { tags: ['e'] });
    expect(countRows(appliance, 'message_tag')).toBe(kept);
  });

  test('sets tags that appear in lists, in the latest message and in a batch', async () => {
    const id = await appliance.deliver(inbox.address);
    await put(id, { tags: ['seen'] });
    const lists = [`/inboxes/${inbox.id}/messages`, '/messages', `/inboxes/${inbox.id}/messages?q=hello`];
    for (const path of lists) expect((await get(path)).json.data[0]).toMatchObject({ id, tags: ['seen'] });
    expect((await get(`/inboxes/${inbox.id}/messages/latest`)).json.data.tags).toEqual(['seen']);
    const batch = await appliance.request('POST', '/api/v1/messages/batch', {
      key: owner.key,
      body: { action: 'fetch', ids: [id] },
    });
    expect(batch.json.data.results[0].message.tags).toEqual(['seen']);
  });

  test('sets tags that are hidden from anyone who reads without a key', async () => {
    const id = await appliance.deliver(inbox.address);
    await put(id, { tags: ['secret-tag'] });
    const reply = await appliance.request('GET', `/api/v1/public/emails/${inbox.address}/messages`);
    expect([reply.status, reply.text.includes('tag')]).toEqual([200, false]);
  });

  test.each([
    [{ tags: [''] }],
    [{ tags: ['x'.repeat(41)] }],
    [{ tags: ['Upper'] }],
    [{ tags: ['a b'] }],
    [{ tags: ['a\n'] }],
    [{ tags: ['ä'] }],
    [{ tags: ['a,b'] }],
    [{ tags: ['ok', 7] }],
    [{ tags: [null] }],
    [{ tags: 'a' }],
    [{ tags: null }],
    [{ tags: { 0: 'a' } }],
    [{ tags: many(21) }],
    [{}],
  ])('refuses %j', async (body) => {
    const id = await appliance.deliver(inbox.address);
    const reply = await put(id, body);
    expect([reply.status, reply.json.error.code]).toEqual([422, 'validation_error']);
    expect(Object.keys(reply.json.error.fields)).toEqual(['tags']);
    expect((await get(`/messages/${id}`)).json.data.tags).toEqual([]);
  });

  test('accepts 20 tags of 40 characters, and 21 of which two are the same', async () => {
    const id = await appliance.deliver(inbox.address);
    const tags = many(20).map((tag) => tag.padEnd(40, '_'));
    expect((await put(id, { tags })).json.data.tags).toEqual(tags);
    expect((await put(id, { tags: [...many(20), 'tag-3'] })).json.data.tags).toEqual(many(20));
  });

  test('returns 404 for a foreign, unknown or deleted message', async () => {
    const id = await appliance.deliver(inbox.address);
    expect((await put(id, { tags: ['a'] }, await appliance.holder())).status).toBe(404);
    expect((await put('msg_x', { tags: ['a'] })).status).toBe(404);
    await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: owner.key });
    expect((await put(id, { tags: ['a'] })).status).toBe(404);
  });
});

describe('X-Tags', () => {
  test('sets the tags of each recipient’s message on arrival', async () => {
    const other = await appliance.inbox(owner);
    const raw = `Subject: tagged\r\nX-Tags: nightly, Not A Tag,\r\n sign-up, nightly\r\n\r\nbody\r\n`;
    const to = [inbox.address, other.address];
    await sendMail({ port: appliance.smtpPort, from: 'a@example.org', to, raw });
    const newest = (await get('/messages?limit=2&subject_contains=tagged')).json.data;
    for (const { tags } of newest) expect(tags).toEqual(['nightly', 'sign-up']);
    expect(newest).toHaveLength(2);
    await put(newest[0].id, { tags: ['own'] });
    const after = (await get('/messages?limit=2&subject_contains=tagged')).json.data;
    expect(after.map(({ tags }: { tags: string[] }) => tags)).toEqual([['own'], ['nightly', 'sign-up']]);
  });

  test('sets the tags even of a mail whose headers are all that can be read', async () => {
    const box = await appliance.inbox(owner);
    const raw = `Subject: s\r\nX-Tags: kept\r\nTo: ${'a@example.org, '.repeat(12_000)}b@c.d\r\n\r\nbody\r\n`;
    await sendMail({ port: appliance.smtpPort, from: 'a@example.org', to: [box.address], raw });
    const [message] = (await get(`/inboxes/${box.id}/messages`)).json.data;
    expect([message.status, message.tags]).toEqual(['failed', ['kept']]);
  });
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
