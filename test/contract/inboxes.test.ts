import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { reservedLocalParts } from '../../src/rules/reserved.ts';
import { cpuMs } from '../peers/cpu-time.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const create = (body?: unknown, holder = owner) =>
  appliance.request('POST', '/api/v1/inboxes', { key: holder.key, body });

describe('POST /inboxes', () => {
  test('without a body creates an inbox with a random address', async () => {
    const types: Record<string, string>[] = [
      {},
      { 'content-type': 'application/json' },
      { 'content-type': 'text/plain' },
    ];
    for (const headers of types) {
      const reply = await appliance.request('POST', '/api/v1/inboxes', { key: owner.key, headers });
      expect(reply.status).toBe(201);
      const inbox = reply.json.data;
      expect(Object.keys(reply.json)).toEqual(['data']);
      expect(inbox).toEqual({
        id: expect.stringMatching(/^inbox_[0-9a-f]{32}$/),
        address: `${inbox.routing_key}@postern.test`,
        routing_key: expect.stringMatching(/^[a-z2-7]{10}$/),
        label: '',
        domain: null,
        is_public: false,
        is_enabled: true,
        is_catch_all: false,
        metadata: {},
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        updated_at: inbox.created_at,
      });
      expect(reply.headers.get('location')).toBe(`/api/v1/inboxes/${inbox.id}`);
    }
  });

  test('stores every field of the request', async () => {
    const metadata = { team: 'a', deep: { list: [1, null, 'ü'] } };
    const reply = await create({
      label: 'Größe 🙂',
      routing_key: 'My-Key_1',
      public: true,
      metadata,
      domain: null,
    });
    expect(reply.status).toBe(201);
    expect(reply.json.data).toMatchObject({
      label: 'Größe 🙂',
      routing_key: 'my-key_1',
      address: 'my-key_1@postern.test',
      is_public: true,
      metadata,
    });
    const got = await appliance.request('GET', `/api/v1/inboxes/${reply.json.data.id}`, { key: owner.key });
    expect(got.json.data).toEqual({ ...reply.json.data, message_count_month: 0, webhook_configured: false });
  });

  test.each([
    ['a label of 120 characters', { label: '🙂'.repeat(120) }],
    ['a routing_key of 3 characters', { routing_key: 'a_1' }],
    ['a routing_key of 64 characters', { routing_key: 'b'.repeat(64) }],
    ['metadata of 4096 bytes', { metadata: { k: 'é'.repeat((4096 - 8) / 2) } }],
    [
      'metadata of 50 keys',
      { metadata: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, at])) },
    ],
  ])('accepts %s', async (_, body) => {
    expect((await create(body)).status).toBe(201);
  });

  test.each([
    [{ label: 'x'.repeat(121) }, 'label'],
    [{ label: 7 }, 'label'],
    [{ label: null }, 'label'],
    [{ routing_key: 'ab' }, 'routing_key'],
    [{ routing_key: 'a'.repeat(65) }, 'routing_key'],
    [{ routing_key: 'a.b' }, 'routing_key'],
    [{ routing_key: 'a+b' }, 'routing_key'],
    [{ routing_key: 'äbc' }, 'routing_key'],
    [{ routing_key: 'abc\n' }, 'routing_key'],
    [{ routing_key: '' }, 'routing_key'],
    [{ routing_key: 5 }, 'routing_key'],
    [{ public: 'true' }, 'public'],
    [{ public: null }, 'public'],
    [{ domain: 5 }, 'domain'],
  ])('refuses %j', async (body, field) => {
    const reply = await create(body);
    expect([reply.status, reply.json.error.code]).toEqual([422, 'validation_error']);
    expect(Object.keys(reply.json.error.fields)).toEqual([field]);
  });

  test('refuses each reserved name, in any case', async () => {
    for (const name of reservedLocalParts) {
      const reply = await create({ routing_key: name.toUpperCase() });
      expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['routing_key']]);
    }
  });

  test.each([
    [{ metadata: [] }, 'metadata_must_be_object'],
    [{ metadata: null }, 'metadata_must_be_object'],
    [{ metadata: 'x' }, 'metadata_must_be_object'],
    [{ metadata: { k: 'x'.repeat(4096) } }, 'metadata_too_large'],
    [{ metadata: { k: 'é'.repeat(2045) } }, 'metadata_too_large'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at])) },
      'metadata_too_large',
    ],
    [{ public: true, domain: 'dom_x' }, 'public_not_allowed_on_custom_domain'],
    [{ domain: 'dom_x' }, 'domain_not_found_or_unverified'],
    [{ domain: '' }, 'domain_not_found_or_unverified'],
  ])('refuses %j with an error code of its own', async (body, code) => {
    const reply = await create(body);
    expect([reply.status, reply.json.error.code]).toEqual([422, code]);
  });

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '{"deep": [1, {"id": 12345678901234567890}]}',
    '[18446744073709551615]',
    '9007199254740993.0',
    '9007199254740993e0',
    '9.007199254740993e15',
    '900719925474099300E-2',
    `1${'0'.repeat(400)}`,
  ])('refuses metadata with %s, which a reader would get back as a different number', async (value) => {
    const reply = await create(`{"label": "x", "metadata": {"id": ${value}}}`);
    expect([reply.status, reply.json.error.code]).toEqual([422, 'validation_error']);
    expect(reply.json.error.fields.metadata?.[0]).toContain('send it as a string');
  });

  test.each([
    ['before', `1${'0'.repeat(60_000)}1.5`],
    ['after', `9007199254740993.${'0'.repeat(60_000)}1`],
  ])('reads a number with many zeros %s its dot in linear time', async (_, number) => {
    const began = cpuMs();
    expect((await create(`{"metadata": {"id": ${number}}}`)).status).toBe(422);
    expect(cpuMs() - began).toBeLessThan(1_000);
  });

  test('keeps numbers in metadata that a reader gets back the same', async () => {
    const text =
      '{"id":9007199254740991,"low":-9007199254740991,"float":0.1,"big":1e+25,"text":"12345678901234567890 1.0"}';
    const reply = await create(`{"metadata": ${text}}`);
    expect(reply.status).toBe(201);
    expect(reply.text).toContain(`"metadata":${text}`);
  });

  test.each([
    ['1e23', '1e+23'],
    ['10000000000000000.0', '10000000000000000'],
    ['0.10000000000000000000', '0.1'],
  ])('stores the number %s in metadata as %s, which is equal', async (written, kept) => {
    const reply = await create(`{"metadata": {"number": ${written}}}`);
    expect(reply.status).toBe(201);
    expect(reply.text).toContain(`"metadata":{"number":${kept}}`);
  });

  test('names the first field with such a number', async () => {
    const reply = await create('{"label": 9007199254740993, "metadata": {"id": 9007199254740993}}');
    expect(Object.keys(reply.json.error.fields)).toEqual(['label']);
  });

  test('reserves a routing_key for the account that claimed it', async () => {
    const other = await appliance.holder();
    const first = await create({ routing_key: 'mine-alone' });
    expect((await create({ routing_key: 'MINE-alone' }, other)).json.error.code).toBe('slug_taken');
    const again = await create({ routing_key: 'mine-alone' });
    expect([again.status, again.json.error.code]).toEqual([409, 'conflict']);
    await appliance.request('DELETE', `/api/v1/inboxes/${first.json.data.id}`, { key: owner.key });
    expect((await create({ routing_key: 'mine-alone' }, other)).json.error.code).toBe('slug_taken');
    const renewed = await create({ routing_key: 'mine-alone' });
    expect(renewed.status).toBe(201);
    expect(renewed.json.data.id).not.toBe(first.json.data.id);
  });

  test('never reuses a random local part of another account', async () => {
    const inbox = await appliance.inbox(await appliance.holder());
    const reply = await create({ routing_key: inbox.address.split('@')[0] });
    expect(reply.json.error.code).toBe('slug_taken');
  });

  test('stops at the plan’s cap, and continues after one is deleted', async () => {
    const free = await appliance.holder('free');
    const inboxes = [];
    for (let created = 0; created < 5; created++) inboxes.push(await appliance.inbox(free));
    const refused = await create({}, free);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'plan_limit_reached']);
    await appliance.request('DELETE', `/api/v1/inboxes/${inboxes[0]?.id}`, { key: free.key });
    expect((await create({}, free)).status).toBe(201);
  });

  test('creates one inbox when many requests compete for the last one', async () => {
    const free = await appliance.holder('free');
    for (let created = 0; created < 4; created++) await appliance.inbox(free);
    const replies = await Promise.all(Array.from({ length: 8 }, () => create({}, free)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });
});

describe('GET /inboxes', () => {
  test('pages through them newest first, each once', async () => {
    const holder = await appliance.holder();
    const created: string[] = [];
    for (let count = 0; count < 7; count++) created.unshift((await appliance.inbox(holder)).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '?limit=3' : `?limit=3&cursor=${encodeURIComponent(cursor)}`;
      const { json } = await appliance.request('GET', `/api/v1/inboxes${query}`, { key: holder.key });
      expect(json.pagination.has_more).toBe(json.pagination.next_cursor !== null);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      cursor = json.pagination.next_cursor;
    } while (cursor);
    expect(seen).toEqual(created);
  });

  test('has no next page when the last page is full', async () => {
    const holder = await appliance.holder();
    await appliance.inbox(holder);
    const { json } = await appliance.request('GET', '/api/v1/inboxes?limit=1', { key: holder.key });
    expect(json.pagination).toEqual({ next_cursor: null, has_more: false });
  });

  test('is empty without inboxes', async () => {
    const holder = await appliance.holder();
    const { json } = await appliance.request('GET', '/api/v1/inboxes', { key: holder.key });
    expect(json).toEqual({ data: [], pagination: { next_cursor: null, has_more: false } });
  });

  test.each(['0', '101', '-1', '1.5', 'x', '', ' 5', '1e1', '9999999999999999999'])(
    'refuses limit=%s',
    async (limit) => {
      const reply = await appliance.request('GET', `/api/v1/inboxes?limit=${limit}`, { key: owner.key });
      expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['limit']]);
    },
  );

  test('finds an inbox by its exact address in any case, and only the caller’s own', async () => {
    const inbox = await appliance.inbox(owner, { routing_key: 'find-me' });
    const other = await appliance.holder();
    const find = async (address: string, holder: Holder) => {
      const query = `?address=${encodeURIComponent(address)}`;
      const { json } = await appliance.request('GET', `/api/v1/inboxes${query}`, { key: holder.key });
      return json.data.map(({ id }: { id: string }) => id);
    };
    expect(await find('Find-Me@postern.test', owner)).toEqual([inbox.id]);
    expect(await find('find-me@postern.test', other)).toEqual([]);
    expect(await find('find-m', owner)).toEqual([]);
    expect(await find('', owner)).toEqual([]);
  });

  test('refuses a cursor that is forged, or belongs to another account or another list', async () => {
    const [left, right] = await Promise.all([appliance.holder(), appliance.holder()]);
    for (const holder of [left, right]) {
      for (let count = 0; count < 2; count++) await appliance.inbox(holder);
    }
    const page = await appliance.request('GET', '/api/v1/inboxes?limit=1', { key: left.key });
    const cursor: string = page.json.pagination.next_cursor;
    const inbox = await appliance.inbox(left);
    const tries = [
      ['/api/v1/inboxes', cursor, right],
      ['/api/v1/inboxes', `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`, left],
      ['/api/v1/inboxes', 'x', left],
      ['/api/v1/inboxes', '', left],
      [`/api/v1/inboxes/${inbox.id}/messages`, cursor, left],
    ] as const;
    for (const [path, text, holder] of tries) {
      const reply = await appliance.request('GET', `${path}?cursor=${encodeURIComponent(text)}`, {
        key: holder.key,
      });
      expect([reply.status, reply.json.error?.fields]).toEqual([422, { cursor: expect.any(Array) }]);
    }
  });
});

describe('DELETE /inboxes/{id}', () => {
  test('hides it and its messages at once; a second delete is 404', async () => {
    const inbox = await appliance.inbox(owner);
    const message = await appliance.deliver(inbox.address);
    const reply = await appliance.request('DELETE', `/api/v1/inboxes/${inbox.id}`, { key: owner.key });
    expect([reply.status, reply.text]).toEqual([204, '']);
    const paths = [
      `/api/v1/inboxes/${inbox.id}`,
      `/api/v1/inboxes/${inbox.id}/messages`,
      `/api/v1/inboxes/${inbox.id}/messages/latest`,
      `/api/v1/messages/${message}`,
      `/api/v1/messages/${message}/raw`,
    ];
    for (const path of paths) {
      expect((await appliance.request('GET', path, { key: owner.key })).status).toBe(404);
    }
    expect(
      (await appliance.request('DELETE', `/api/v1/inboxes/${inbox.id}`, { key: owner.key })).status,
    ).toBe(404);
    const list = await appliance.request('GET', '/api/v1/inboxes?limit=100', { key: owner.key });
    expect(list.json.data.map(({ id }: { id: string }) => id)).not.toContain(inbox.id);
    const batch = await appliance.request('POST', '/api/v1/messages/batch', {
      key: owner.key,
      body: { action: 'delete', ids: [message] },
    });
    expect(batch.json.data.results).toEqual([{ id: message, status: 'not_found' }]);
  });
});

test('message_count_month counts the calendar month', async () => {
  const inbox = await appliance.inbox(owner);
  for (let count = 0; count < 3; count++) await appliance.deliver(inbox.address);
  const { json } = await appliance.request('GET', `/api/v1/inboxes/${inbox.id}`, { key: owner.key });
  expect(json.data.message_count_month).toBe(3);
});
