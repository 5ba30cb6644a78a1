/** What no good client sends, and clients that go away. All of it with plain requests, in the protocol of 2025. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { connect } from 'node:net';
import { revokeKeyOp } from '../../../src/features/accounts/keys/writes.ts';
import { listKeys } from '../../../src/features/accounts/sql.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { Mailbox } from '../smtp/mailbox.ts';

const BOTH = 'application/json, text/event-stream';

let appliance: RunningAppliance;
let box: Mailbox;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  box = await Mailbox.open(appliance);
});
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
});

const makeCall = (name: string, args: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

async function post(body: unknown, headers: Record<string, string> = {}) {
  const reply = await appliance.request('POST', '/mcp', {
    key: box.holder.key,
    body,
    headers: { accept: BOTH, ...headers },
  });
  const data = /^data: (.*)$/m.exec(reply.text)?.[1];
  return { ...reply, message: data === undefined ? reply.json : JSON.parse(data) };
}

/** The JSON of a tool’s result. */
async function use(name: string, args: unknown, headers: Record<string, string> = {}) {
  const { message } = await post(makeCall(name, args), headers);
  return JSON.parse(message.result.content[0].text);
}

const slots = () => appliance.services.waits.slots.size;

describe('a message', () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const wide = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, 1]));
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const refused: [string, unknown, number][] = [
    ['a batch', [ping, { ...ping, id: 2 }], -32600],
    [
      'JSON that is nested 100,000 deep',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep(100_000)}}`,
      -32600,
    ],
    ['an array of 900,000 levels', '['.repeat(900_000) + ']'.repeat(900_000), -32600],
    ['an id of 100,000 levels', `{"jsonrpc":"2.0","id":${deep(100_000)},"method":"ping"}`, -32600],
    ['100,000 arguments', makeCall('list_inboxes', wide(100_000)), -32600],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['half of a message', '{"jsonrpc":"2.0",', -32700],
    ['a number', '7', -32600],
    ['null', 'null', -32600],
    ['an id of null', { ...ping, id: null }, -32600],
  ];
  for (const [name, body, code] of refused) {
    test(`that is ${name} is refused`, async () => {
      const { status, json } = await post(body);
      expect({ status, code: json?.error.code, version: json?.jsonrpc }).toEqual({
        status: 400,
        code,
        version: '2.0',
      });
    });
  }

  test('with a long unknown argument is refused in short', async () => {
    const { text, message } = await post(makeCall('list_inboxes', { ['k'.repeat(1_000_000)]: 1 }));
    expect(text.length).toBeLessThan(2_000);
    expect(message.result.isError).toBe(true);
  });

  test('without an id calls nothing', async () => {
    const { id: _, ...notification } = makeCall('create_inbox', { label: 'by a notification' });
    const { status, text } = await post(notification);
    expect({ status, text }).toEqual({ status: 202, text: '' });
    expect(JSON.stringify(await use('list_inboxes', {}))).not.toContain('by a notification');
  });

  test('is accepted from clients that accept anything, and needs both types from others', async () => {
    for (const [accept, status] of [
      ['*/*', 200],
      ['', 200],
      [BOTH, 200],
      ['application/json', 406],
      ['text/html', 406],
    ] as const) {
      expect({ accept, status: (await post(ping, { accept })).status }).toEqual({ accept, status });
    }
  });

  test('of an unknown version of the protocol is refused', async () => {
    expect((await post(ping, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      expect((await post(ping, { 'mcp-protocol-version': version })).status).toBe(200);
    }
  });

  test('that subscribes to changes is refused, since the tools never change', async () => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const method = 'subscriptions/listen';
    const params = { notifications: { toolsListChanged: true }, _meta: envelope };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    const { message } = await post({ jsonrpc: '2.0', id: 1, method, params }, headers);
    expect(message.error.message).toContain('limit');
  });
});

describe('an argument', () => {
  // Each of these would name another route of the API if it were put into a path unescaped.
  const ids = [
    'wait',
    'stream',
    'batch',
    '.',
    '..',
    '',
    '%2e%2e',
    '../inboxes',
    'x/y',
    '?a=1',
    '#a',
    '\u0000',
  ];
  for (const id of [...ids, '\ud800', 'msg_\udc00', 'ä'.repeat(5_000)]) {
    test(`that is the id ${JSON.stringify(id).slice(0, 20)} is not found`, async () => {
      expect((await use('get_message', { message_id: id })).error.code).toBe('not_found');
      expect((await use('get_attachment', { message_id: id, index: 0 })).error.code).toBe('not_found');
      expect((await use('reply_to_message', { message_id: id, body_text: 'x' })).error.code).toBe(
        'not_found',
      );
      if (id === '') return;
      expect((await use('wait_for_code', { inbox: id })).error.code).toBe('not_found');
      expect((await use('list_messages', { inbox: id })).error.code).toBe('not_found');
    });
  }

  const { MAX_SAFE_INTEGER } = Number;
  const wrong: [string, Record<string, unknown>, string][] = [
    ['wait_for_code', { timeout: 0 }, 'timeout'],
    ['wait_for_code', { timeout: -1 }, 'timeout'],
    ['wait_for_code', { timeout: '5' }, 'timeout'],
    ['wait_for_code', { since: -5 }, 'since'],
    ['wait_for_code', { since: '' }, 'since'],
    ['wait_for_code', { since: null }, 'since'],
    ['wait_for_code', { since: '2026-13-45' }, 'since'],
    ['wait_for_code', { inbox: ['x'] }, 'inbox'],
    ['wait_for_code', { min_confidence: 2 }, 'min_confidence'],
    ['list_messages', { limit: 1.5 }, 'limit'],
    ['list_messages', { limit: MAX_SAFE_INTEGER }, 'limit'],
    ['list_messages', { cursor: 'x' }, 'cursor'],
    ['list_messages', { subject_contains: 'x'.repeat(201) }, 'subject_contains'],
    ['get_attachment', { message_id: 'msg_x', index: -1 }, 'index'],
    ['create_inbox', { metadata: [] }, 'metadata'],
    ['create_inbox', { label: '\ud800' }, 'body'],
  ];
  for (const [tool, args, field] of wrong) {
    test(`of ${tool} that is ${JSON.stringify(args).slice(0, 40)} is refused by its name`, async () => {
      expect((await use(tool, args)).error).toMatchObject({ code: 'validation_error', field });
    });
  }

  test('that names the prototype changes nothing', async () => {
    const body = JSON.stringify(makeCall('list_inboxes', {})).replace('{}', '{"__proto__":{"limit":1}}');
    expect((await post(body)).message.result.isError).toBeUndefined();
    expect((await post(makeCall('__proto__', {}))).message.error.code).toBe(-32602);
  });

  test('since may be a number, as models write it', async () => {
    expect((await use('wait_for_code', { inbox: box.id, since: 0, timeout: 1 })).found).toBe(false);
    expect((await use('wait_for_code', { inbox: box.id, since: Date.now(), timeout: 1 })).found).toBe(false);
  });
});

describe('a wait', () => {
  const code = 'Subject: Your code\r\n\r\nYour verification code is 493817.\r\n';

  test('whose client hangs up gives its slot back, and claims no mail', async () => {
    const inbox = await Mailbox.open(appliance, {}, box.holder);
    const body = JSON.stringify(makeCall('wait_for_code', { inbox: inbox.id, timeout: 60 }));
    const before = slots();
    const socket = connect(appliance.httpPort, '127.0.0.1');
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${box.holder.key}\r\nContent-Type: application/json\r\n` +
        `Accept: ${BOTH}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => slots() > before);
    socket.destroy();
    await until(() => slots() === before);
    await inbox.send(code);
    expect((await use('wait_for_code', { inbox: inbox.id, timeout: 1 })).code).toBe('493817');
  });

  test('that is cancelled in its session gives its slot back; another session cannot cancel it', async () => {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const open = async () => {
      const { headers } = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      return { 'mcp-session-id': headers.get('mcp-session-id')! };
    };
    const [session, other] = [await open(), await open()];
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const before = slots();
    const waiting = post(makeCall('wait_for_code', { inbox: box.id, timeout: 60 }, 7), session);
    await until(() => slots() > before);
    for (const stranger of [other, {}, { 'mcp-session-id': '' }]) {
      expect((await post(cancel, stranger as Record<string, string>)).status).toBe(202);
    }
    expect(slots()).toBe(before + 1);
    await post(cancel, session);
    await until(() => slots() === before);
    expect((await waiting).message.result.isError).toBe(true);
  });

  test('that is cancelled stops asking', async () => {
    const before = slots();
    const hangUp = new AbortController();
    const waiting = fetch(`${appliance.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${box.holder.key}`,
        'content-type': 'application/json',
        accept: BOTH,
      },
      body: JSON.stringify(makeCall('wait_for_code', { inbox: box.id, timeout: 60 })),
      signal: hangUp.signal,
    }).then((reply) => reply.text());
    waiting.catch(() => {});
    await until(() => slots() > before);
    hangUp.abort();
    await until(() => slots() === before);
    const enter = spyOn(appliance.services.waits, 'enter');
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(enter).not.toHaveBeenCalled();
    enter.mockRestore();
  });

  test('ends when its key is revoked, and says so', async () => {
    const holder = await appliance.holder();
    const inbox = await Mailbox.open(appliance, {}, holder);
    const before = slots();
    const waiting = appliance.request('POST', '/mcp', {
      key: holder.key,
      headers: { accept: BOTH },
      body: makeCall('wait_for_code', { inbox: inbox.id, timeout: 60 }),
    });
    await until(() => slots() > before);
    const [key] = listKeys(appliance.services.store, holder.account.no);
    await appliance.services.store.write(revokeKeyOp, { id: key!.id });
    await inbox.send(code);
    expect((await waiting).text).toContain('authentication_required');
  });

  test('beyond the slots of the plan is refused, and the others continue', async () => {
    const holder = await appliance.holder('free');
    const inbox = await Mailbox.open(appliance, {}, holder);
    const waits = [1, 2, 3, 4].map((id) =>
      appliance.request('POST', '/mcp', {
        key: holder.key,
        headers: { accept: BOTH },
        body: makeCall('wait_for_code', { inbox: inbox.id, timeout: 2 }, id),
      }),
    );
    const texts = (await Promise.all(waits)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('too_many_wait_requests'))).toHaveLength(2);
    expect(texts.filter((text) => text.includes('"found":false'))).toHaveLength(2);
  });
});
