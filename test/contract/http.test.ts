/** What HTTP itself requires, and requests that no honest client sends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { api, routes } from '../../src/app/routes.ts';
import { startHttp } from '../../src/platform/http/server.ts';
import { sendRaw } from '../peers/raw-http.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const raw = (head: string, body = '') =>
  sendRaw(
    appliance.httpPort,
    `${head.replaceAll('\n', '\r\n')}\r\nAuthorization: Bearer ${owner.key}\r\n\r\n${body}`,
  );

describe('a 422', () => {
  test.each([
    ['limit: must be an integer from 1 to 100', 'GET', '/api/v1/inboxes?limit=0', undefined],
    [
      'timeout: must be a number',
      'GET',
      '/api/v1/inboxes/x@postern.test/messages/wait?timeout=soon',
      undefined,
    ],
    ['label: must be a string', 'POST', '/api/v1/inboxes', { label: 7, surprise: 1 }],
    ['body: must be a JSON object', 'POST', '/api/v1/inboxes', []],
    ['allow: must be an array', 'PUT', '/api/v1/inboxes/x/senders', { allow: 'ann@example.org' }],
    ['notify: must be a JSON object', 'POST', '/api/v1/rules', { notify: 'https://example.org' }],
    [
      'notify: has unknown fields: to',
      'POST',
      '/api/v1/rules',
      { notify: { url: 'https://example.org', template: '{}', to: 1 } },
    ],
    [
      'metadata must be a JSON object. metadata: must be a JSON object',
      'POST',
      '/api/v1/inboxes',
      { metadata: [] },
    ],
  ])('says in its message what is wrong, such as “%s”', async (message, method, path, body) => {
    const { status, json } = await appliance.request(method, path, { key: owner.key, body });
    expect([status, json.error.message]).toEqual([422, message]);
  });

  test('has a short message that says what is wrong, however long the field name is', async () => {
    const body = { ['x'.repeat(50_000)]: 1 };
    const { json } = await appliance.request('POST', '/api/v1/inboxes', { key: owner.key, body });
    expect(json.error.message).toBe(`${'x'.repeat(79)}…: is not a known field`);
  });
});

describe('a request', () => {
  test.each(['%zz', '%', '%ff', '%00', 'a%2fb', '..%5c', 'x'.repeat(8000), '%F0%9F%99%82', "'--", '*', '$&'])(
    'with the id %s finds nothing',
    async (id) => {
      for (const path of [
        `/api/v1/inboxes/${id}`,
        `/api/v1/messages/${id}`,
        `/api/v1/inboxes/${id}/messages`,
      ]) {
        const reply = await raw(`GET ${path} HTTP/1.1\nHost: localhost`);
        expect([reply?.status, JSON.parse(reply?.body ?? '').error.code]).toEqual([404, 'not_found']);
      }
    },
  );

  test('with the id %2e%2e goes to the path without it, as the URL standard says', async () => {
    for (const path of ['/api/v1/inboxes/%2e%2e', '/api/v1/messages/%2e%2e']) {
      const reply = await raw(`GET ${path} HTTP/1.1\nHost: localhost`);
      expect([reply?.status, JSON.parse(reply?.body ?? '').error.code]).toEqual([404, 'not_found']);
    }
    const reply = await raw('GET /api/v1/inboxes/%2e%2e/messages HTTP/1.1\nHost: localhost');
    const { text } = await appliance.request('GET', '/api/v1/messages', { key: owner.key });
    expect([reply?.status, reply?.body]).toEqual([200, text]);
  });

  test.each([
    '?',
    '?&&&',
    '?=',
    '?limit',
    '?limit=%zz',
    '?limit=5&limit=9',
    '?%00=%00',
    `?x=${'y'.repeat(5000)}`,
    '?a[]=1',
  ])('with the query %s never causes a server error', async (query) => {
    const reply = await raw(`GET /api/v1/inboxes${query} HTTP/1.1\nHost: localhost`);
    expect(reply?.status).toBe(/limit(=%zz)?$/.test(query) ? 422 : 200);
  });

  test('is routed whatever its Host header says', async () => {
    for (const host of ['a', 'ab', 'abc', 'localhost', '[::1]:80', 'x'.repeat(200), 'a.b.c:1']) {
      expect((await raw(`GET /api/v1/account HTTP/1.1\nHost: ${host}`))?.status).toBe(200);
    }
    for (const host of ['', 'a:99999', 'a:', 'a_b.c', '%61', "x!$&'()*+;=~"]) {
      expect([host, (await raw(`GET /?key=x HTTP/1.1\nHost: ${host}`))?.status]).toEqual([host, 302]);
    }
  });

  test.each([
    ['two hosts', 'a\nHost: b'],
    ['the same host twice', 'localhost\nHost: localhost'],
    ['an empty host and another one', '\nHost: localhost'],
    ['two hosts in one line', 'a, b'],
    ['a user', 'localhost@example.org'],
    ['a password', 'localhost:80@example.org'],
    ['a space', 'local host'],
    ['a port that is not a number', 'a:b'],
    ['a path', 'localhost/x'],
    ['a query', 'localhost?x'],
    ['a URL', 'http://'],
    ['half a bracket', '['],
    ['text after the bracket', '[::1]x'],
    ['letters beyond ASCII', 'é.example'],
  ])('whose Host header has %s is answered 400, and its connection closed', async (_, host) => {
    const next = 'GET /healthz HTTP/1.1\nHost: localhost';
    const reply = await raw(`GET /healthz HTTP/1.1\nHost: ${host}\n\n${next}`);
    expect([reply?.status, reply?.headers.connection, reply?.body]).toEqual([400, 'close', '']);
  });

  test('is routed without a Host header, as old health checks send it', async () => {
    for (const head of ['GET /healthz HTTP/1.0\r\n\r\n', 'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n']) {
      expect((await sendRaw(appliance.httpPort, head))?.status).toBe(200);
    }
    // A page's `/dashboard/:place/:what` does not match before a more exact path either.
    const me = 'GET /dashboard/api/me HTTP/1.0\r\n\r\n';
    expect((await sendRaw(appliance.httpPort, me))?.status).toBe(200);
    expect((await sendRaw(appliance.httpPort, 'POST /healthz HTTP/1.0\r\n\r\n'))?.status).toBe(405);
    expect((await sendRaw(appliance.httpPort, 'GET /nope HTTP/1.0\r\n\r\n'))?.status).toBe(404);
  });

  test('with malformed chunks is treated as having no body', async () => {
    const head = 'POST /api/v1/inboxes HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked';
    expect((await raw(head, '0\r\n\r\n'))?.status).toBe(201);
    expect((await raw(head, '2\r\n{}\r\n0\r\n\r\n'))?.status).toBe(415);
    expect((await raw(`${head}\nContent-Type: application/json`, '0\r\n\r\n'))?.status).toBe(201);
  });

  test('with an unknown method gets our error body, or a refusal from the HTTP library', async () => {
    const reply = await raw('BREW /api/v1/inboxes HTTP/1.1\nHost: localhost');
    expect([400, 405]).toContain(reply?.status ?? 400);
  });

  test('with HEAD gets the same headers as GET and no body', async () => {
    const { status, headers, text } = await appliance.request('HEAD', '/api/v1/account', { key: owner.key });
    expect([status, text]).toEqual([200, '']);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
    expect((await appliance.request('HEAD', '/api/v1/account')).status).toBe(401);
    expect((await appliance.request('HEAD', '/api/v1/messages/batch', { key: owner.key })).status).toBe(405);
  });

  test('that announces a huge body is answered 413 at once', async () => {
    for (const length of ['65537', '99999999999', '9007199254740991']) {
      const head = `POST /api/v1/inboxes HTTP/1.1\nHost: localhost\nContent-Type: application/json\nContent-Length: ${length}`;
      const reply = await raw(head, '{"label":');
      expect([reply?.status, JSON.parse(reply?.body || '{}').error?.code]).toEqual([
        413,
        'payload_too_large',
      ]);
      expect(reply?.headers['x-request-id']).toMatch(/^req_/);
    }
  });

  test('with a body of exactly the maximum size is read', async () => {
    const body = `{"label":"x"${' '.repeat(64 * 1024 - 13)}}`;
    expect(body.length).toBe(64 * 1024);
    expect((await appliance.request('POST', '/api/v1/inboxes', { key: owner.key, body })).status).toBe(201);
    expect(
      (await appliance.request('POST', '/api/v1/inboxes', { key: owner.key, body: `${body} ` })).status,
    ).toBe(413);
  });

  test.each([
    ['application/json; charset=utf-8', 201],
    ['APPLICATION/JSON', 201],
    ['application/vnd.api+json', 201],
    ['application/json; charset=utf-16', 415],
    ['text/json', 415],
  ])('with content type %s is answered %d', async (type, status) => {
    const reply = await appliance.request('POST', '/api/v1/inboxes', {
      key: owner.key,
      body: '{}',
      headers: { 'content-type': type },
    });
    expect(reply.status).toBe(status);
  });

  test('with a compressed body is not read as JSON', async () => {
    const reply = await appliance.request('POST', '/api/v1/inboxes', {
      key: owner.key,
      body: '{}',
      headers: { 'content-encoding': 'gzip' },
    });
    expect(reply.status).toBe(415);
  });

  test.each([
    '*/*',
    'application/*',
    'application/json',
    'text/html, */*;q=0.1',
    'APPLICATION/JSON;q=0.5',
    '',
    'nonsense',
    'text/html, application/json; charset=utf-8',
  ])('that accepts %j is answered', async (accept) => {
    expect(
      (await appliance.request('GET', '/api/v1/account', { key: owner.key, headers: { accept } })).status,
    ).toBe(200);
  });

  test.each(['text/html', 'application/json;q=0', 'application/json;q=0, */*', 'application/xml, text/*'])(
    'that accepts %j is refused',
    async (accept) => {
      expect(
        (await appliance.request('GET', '/api/v1/account', { key: owner.key, headers: { accept } })).status,
      ).toBe(406);
    },
  );

  test('accepts the authorization scheme in any case, and a key only in the header', async () => {
    const ask = (authorization: string, query = '') =>
      appliance.request('GET', `/api/v1/account${query}`, {
        headers: { authorization, cookie: `key=${owner.key}` },
      });
    expect((await ask(`bearer ${owner.key}`)).status).toBe(200);
    expect((await ask(`BEARER  ${owner.key} `)).status).toBe(200);
    expect((await ask(`Bearer ${owner.key}x`)).status).toBe(401);
    expect((await ask(`Bearer ${owner.key.toLowerCase()}`)).status).toBe(401);
    expect((await ask('', `?api_key=${owner.key}`)).status).toBe(401);
  });
});

test('/healthz needs no key, and /readyz says why the server is not ready', async () => {
  expect((await appliance.request('GET', '/healthz')).json).toEqual({ status: 'ok' });
  expect((await appliance.request('GET', '/readyz')).json).toEqual({ status: 'ok' });
  const http = startHttp({
    services: appliance.services,
    api,
    listen: { host: '127.0.0.1', port: 0 },
    ready: () => 'the disk is full',
  });
  const response = await fetch(`${http.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: 'unavailable', reason: 'the disk is full' },
  ]);
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  await http.stop();
});

test('an internal error reveals nothing and is logged with the request id, and a full disk is 503', async () => {
  const lines: string[] = [];
  const log = {
    ...appliance.services.log,
    error: (message: string, fields: object) => void lines.push(JSON.stringify({ message, ...fields })),
  };
  const failing = (fault: unknown) =>
    ({
      ...appliance.services,
      log,
      store: {
        sql: () => {
          throw fault;
        },
      },
    }) as never;
  const { Failure } = await import('../../src/platform/core/failure.ts');
  for (const [fault, status, code] of [
    [new Error('secret detail'), 500, 'server_error'],
    [new Failure('storage_unavailable'), 503, 'storage_unavailable'],
  ] as const) {
    const http = startHttp({
      services: failing(fault),
      api,
      listen: { host: '127.0.0.1', port: 0 },
      ready: () => null,
    });
    const response = await fetch(`${http.url}/api/v1/account`, { headers: { authorization: 'Bearer x' } });
    const text = await response.text();
    expect([response.status, JSON.parse(text).error.code]).toEqual([status, code]);
    expect(text).not.toContain('secret');
    if (status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    else expect(lines.join()).toContain(response.headers.get('x-request-id') ?? 'none');
    await http.stop();
  }
  expect(lines).toHaveLength(1);
});

test('a stop lets running requests finish and accepts no new ones', async () => {
  const entered = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const slow = {
    ...routes.find(({ name }) => name === 'getHealth')!,
    run: async () => {
      entered.resolve();
      await held.promise;
      return { status: 200, json: 1 };
    },
  };
  const http = startHttp({
    services: appliance.services,
    api: { ...api, routes: [slow] },
    listen: { host: '127.0.0.1', port: 0 },
    ready: () => null,
  });
  const asked = fetch(`${http.url}/healthz`);
  await entered.promise;
  const stopped = http.stop();
  held.resolve();
  expect(await (await asked).json()).toBe(1);
  await stopped;
  expect(await fetch(`${http.url}/healthz`).catch(() => 'refused')).toBe('refused');
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));

describe('JSON that no response could return', () => {
  test('is refused: a lone surrogate, an infinite number, a body nested too deep', async () => {
    const deep = `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`;
    for (const body of ['{"label":"\\ud800x"}', '{"metadata":{"n":1e400}}', `{"metadata":${deep}}`]) {
      const head = `POST /api/v1/inboxes HTTP/1.1\nHost: localhost\nContent-Type: application/json\nContent-Length: ${body.length}`;
      const reply = await raw(head, body);
      expect([reply?.status, Object.keys(JSON.parse(reply?.body ?? '').error.fields)]).toEqual([
        422,
        ['body'],
      ]);
    }
  });
});
