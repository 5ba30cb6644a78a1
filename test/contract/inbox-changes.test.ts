/** PATCH of an inbox (docs/api-v1.md, Changing an inbox). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readyDomain } from '../features/domains/ready.ts';
import { sendMail } from '../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const patch = (id: string, body: unknown, { key } = owner) =>
  appliance.request('PATCH', `/api/v1/inboxes/${id}`, { key, body });
const read = async (id: string) =>
  (await appliance.request('GET', `/api/v1/inboxes/${id}`, { key: owner.key })).json.data;
const publicly = (address: string) => appliance.request('GET', `/api/v1/public/emails/${address}/messages`);
const sendTo = (address: string) =>
  sendMail({
    port: appliance.smtpPort,
    from: 'a@example.org',
    to: [address],
    raw: 'Subject: s\r\n\r\nb\r\n',
  });

describe('PATCH /inboxes/{id}', () => {
  test('changes only the given fields, and returns the inbox', async () => {
    const inbox = await appliance.inbox(owner, { label: 'before', metadata: { a: 1, b: 2 } });
    const before = await read(inbox.id);
    const changes: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ label: 'Größe 🙂' }, { label: 'Größe 🙂' }],
      [{ metadata: { c: [null] } }, { metadata: { c: [null] } }],
      [{ public: true }, { is_public: true }],
      [{ is_enabled: false }, { is_enabled: false }],
      [
        { label: '', metadata: {}, public: false, is_enabled: true },
        { label: '', metadata: {}, is_public: false, is_enabled: true },
      ],
    ];
    let wanted = before;
    for (const [body, change] of changes) {
      const reply = await patch(inbox.id, body);
      wanted = { ...wanted, ...change, updated_at: reply.json.data.updated_at };
      expect([reply.status, reply.json]).toEqual([200, { data: wanted }]);
      expect(wanted.updated_at > before.updated_at).toBe(true);
      expect(await read(inbox.id)).toEqual(wanted);
    }
  });

  test('is idempotent, so repeating it changes nothing', async () => {
    const inbox = await appliance.inbox(owner);
    const body = { label: 'x', metadata: { a: 1 }, public: true, is_enabled: false };
    const first = await patch(inbox.id, body);
    expect((await patch(inbox.id, body)).json).toEqual(first.json);
    expect((await patch(inbox.id, { label: 'x' })).json).toEqual(first.json);
  });

  test('accepts the address in the path, in any case', async () => {
    const inbox = await appliance.inbox(owner);
    for (const [at, address] of [inbox.address, encodeURIComponent(inbox.address.toUpperCase())].entries()) {
      const reply = await patch(address, { label: `by address ${at}` });
      expect(reply.json.data).toMatchObject({ id: inbox.id, label: `by address ${at}` });
    }
  });

  test('returns 404 for a foreign, unknown or deleted inbox, by id and by address', async () => {
    const inbox = await appliance.inbox(owner);
    const other = await appliance.holder();
    for (const id of [inbox.id, inbox.address])
      expect((await patch(id, { label: 'x' }, other)).status).toBe(404);
    for (const id of ['inbox_x', 'nobody@postern.test', `x+${inbox.address}`])
      expect((await patch(id, { label: 'x' })).status).toBe(404);
    await appliance.request('DELETE', `/api/v1/inboxes/${inbox.id}`, { key: owner.key });
    expect((await patch(inbox.id, { label: 'x' })).status).toBe(404);
  });

  test.each([
    [{}, 'body'],
    [{ label: 'x'.repeat(121) }, 'label'],
    [{ label: 7 }, 'label'],
    [{ label: null }, 'label'],
    [{ public: 'true' }, 'public'],
    [{ public: null }, 'public'],
    [{ is_enabled: 1 }, 'is_enabled'],
    [{ is_enabled: null }, 'is_enabled'],
    [{ is_public: true }, 'is_public'],
    [{ routing_key: 'other-key' }, 'routing_key'],
    [{ domain: null, label: 'x' }, 'domain'],
    ['{"label": "x", "metadata": {"id": 9007199254740993}}', 'metadata'],
  ])('refuses %j and changes nothing', async (body, field) => {
    const inbox = await appliance.inbox(owner);
    const before = await read(inbox.id);
    const reply = await patch(inbox.id, body);
    expect([reply.status, reply.json.error.code]).toEqual([422, 'validation_error']);
    expect(Object.keys(reply.json.error.fields)).toEqual([field]);
    expect(await read(inbox.id)).toEqual(before);
  });

  test.each([
    [{ metadata: [] }, 'metadata_must_be_object'],
    [{ metadata: null }, 'metadata_must_be_object'],
    [{ metadata: { k: 'x'.repeat(4096) } }, 'metadata_too_large'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at])) },
      'metadata_too_large',
    ],
  ])('refuses %j with an error code of its own', async (body, code) => {
    const inbox = await appliance.inbox(owner);
    const reply = await patch(inbox.id, { label: 'not this either', ...body });
    expect([reply.status, reply.json.error.code]).toEqual([422, code]);
    expect((await read(inbox.id)).label).toBe('');
  });

  test('opens an inbox to the public and closes it again', async () => {
    const inbox = await appliance.inbox(owner);
    await appliance.deliver(inbox.address);
    expect((await publicly(inbox.address)).status).toBe(404);
    await patch(inbox.id, { public: true });
    expect((await publicly(inbox.address)).json.data).toHaveLength(1);
    await patch(inbox.id, { is_enabled: false });
    expect((await publicly(inbox.address)).status).toBe(404);
    await patch(inbox.id, { public: false, is_enabled: true });
    expect((await publicly(inbox.address)).status).toBe(404);
  });

  test('turns an inbox off and on for mail, and keeps what it holds', async () => {
    const inbox = await appliance.inbox(owner);
    const list = async () =>
      (await appliance.request('GET', `/api/v1/inboxes/${inbox.id}/messages`, { key: owner.key })).json.data;
    await sendTo(inbox.address);
    await patch(inbox.id, { is_enabled: false });
    const refused = await sendTo(inbox.address);
    expect(refused.to[0]?.code).toBe(550);
    expect(await list()).toHaveLength(1);
    await patch(inbox.id, { is_enabled: true });
    await sendTo(inbox.address);
    expect(await list()).toHaveLength(2);
  });

  test('leaves messages with the metadata that the inbox had when they arrived', async () => {
    const inbox = await appliance.inbox(owner, { metadata: { run: 1 } });
    const first = await appliance.deliver(inbox.address);
    await patch(inbox.id, { metadata: { run: 2 } });
    const second = await appliance.deliver(inbox.address);
    for (const [id, run] of [
      [first, 1],
      [second, 2],
    ] as const) {
      const reply = await appliance.request('GET', `/api/v1/messages/${id}`, { key: owner.key });
      expect(reply.json.data.metadata).toEqual({ run });
    }
  });

  test('works on every plan, even at its cap of inboxes', async () => {
    const free = await appliance.holder('free');
    const inboxes = [];
    for (let created = 0; created < 5; created++) inboxes.push(await appliance.inbox(free));
    const reply = await patch(inboxes[0]!.id, { label: 'x', public: true, is_enabled: false }, free);
    expect([reply.status, reply.json.data.label]).toEqual([200, 'x']);
  });
});

describe('for an inbox on a custom domain', () => {
  test('PATCH can’t make it public, nor disable the target of the catch-all', async () => {
    const holder = await appliance.holder();
    const { id } = await readyDomain(appliance.services, holder.account.no, 'changes.example');
    const inbox = await appliance.inbox(holder, { domain: id });
    const open = await patch(inbox.id, { public: true, label: 'x' }, holder);
    expect([open.status, open.json.error.code]).toEqual([422, 'public_not_allowed_on_custom_domain']);
    expect((await patch(inbox.id, { public: false, label: 'y' }, holder)).json.data.label).toBe('y');
    const catchAll = (on: boolean) =>
      appliance.request('PATCH', `/api/v1/domains/${id}/catch_all`, {
        key: holder.key,
        body: { catch_all: on, ...(on && { inbox_id: inbox.id }) },
      });
    expect((await catchAll(true)).status).toBe(200);
    const off = await patch(inbox.id, { is_enabled: false }, holder);
    expect([off.status, off.json.error.code]).toEqual([409, 'catch_all_target']);
    expect((await patch(inbox.id, { is_enabled: true, label: 'z' }, holder)).json.data.label).toBe('z');
    await catchAll(false);
    expect((await patch(inbox.id, { is_enabled: false }, holder)).json.data.is_enabled).toBe(false);
  });
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
