/** Who may use a capture: this machine without a key, listed networks with one, and no foreign web page. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { SmtpClient, sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

let trap: RunningAppliance;
beforeAll(async () => {
  trap = await startAppliance({ capture: {} });
});
afterAll(() => trap[Symbol.asyncDispose]());

const LIST = '/api/v1/inboxes/ann@example.com/messages';
const get = (headers: Record<string, string> = {}, path = LIST) => trap.request('GET', path, { headers });
const own = () => `http://127.0.0.1:${trap.httpPort}`;

/** Sends a request with this Host, which fetch would set itself. */
function rawGet(port: number, path: string, headers: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    socket.on('data', (bytes) => (text += bytes));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.write([`GET ${path} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));
  });
}

const readStatus = (answer: string) => Number(answer.split(' ')[1]);

describe('without a key', () => {
  test('a client on this machine is the owner of all mail', async () => {
    expect(await get()).toMatchObject({ status: 200, json: { data: [] } });
    const created = await trap.request('POST', '/api/v1/inboxes', { body: { label: 'mine' } });
    expect(created.status).toBe(201);
    expect((await trap.request('DELETE', `/api/v1/inboxes/${created.json.data.id}`)).status).toBe(204);
  });

  test('a client with an empty Host header is refused like one with a foreign Host', async () => {
    const foreign = ['Host:', 'Origin: https://evil.example'];
    expect(readStatus(await rawGet(trap.httpPort, LIST, foreign))).toBe(401);
    expect(readStatus(await rawGet(trap.httpPort, '/?key=wrong', ['Host:']))).toBe(401);
  });

  test('a client on this machine is refused if it sends a wrong key', async () => {
    expect((await get({ authorization: 'Bearer pst_live_wrong' })).status).toBe(401);
    expect((await get({ authorization: 'Basic eDp5' })).status).toBe(401);
  });

  test.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port of this machine', { origin: 'http://localhost:3000' }],
    ['in a sandbox or from a file', { origin: 'null' }],
    ['that loads it as a picture', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }],
    ['on the same site', { 'sec-fetch-site': 'same-site' }],
    [
      'that links to it',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
  ])('a web page %s reads nothing and changes nothing', async (_, headers) => {
    expect((await get(headers)).status).toBe(401);
    const created = await trap.request('POST', '/api/v1/inboxes', {
      headers,
      body: { routing_key: 'foreign' },
    });
    expect(created.status).toBe(401);
    expect(trap.logged.at(-1)).toContain('a web page of another site was refused');
  });

  test('the dashboard’s own pages may call the API', async () => {
    expect((await get({ origin: own(), 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await get({ 'sec-fetch-site': 'none' })).status).toBe(200);
  });

  test('a client behind a proxy that is not configured needs a key', async () => {
    expect((await get({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(401);
  });

  test('a client behind a trusted proxy needs a key unless X-Forwarded-For says that it is on this machine', async () => {
    await using proxied = await startAppliance({ capture: {}, settings: { trusted_proxies: '127.0.0.1' } });
    const ask = async (headers: Record<string, string>) =>
      (await proxied.request('GET', LIST, { headers })).status;
    expect(await ask({ 'x-forwarded-for': '127.0.0.1' })).toBe(200);
    expect(await ask({})).toBe(200);
    for (const name of ['x-real-ip', 'forwarded', 'via']) {
      expect([name, await ask({ [name]: '203.0.113.9' })]).toEqual([name, 401]);
    }
  });

  test('a foreign Host is refused, even with a key', async () => {
    const key = `Authorization: Bearer ${trap.apiKey}`;
    for (const headers of [['Host: evil.example'], ['Host: evil.example', key]]) {
      expect(readStatus(await rawGet(trap.httpPort, LIST, headers))).toBe(403);
    }
    for (const host of ['localhost', 'trap.localhost:1', `127.0.0.1:${trap.httpPort}`, '[::1]']) {
      expect([host, readStatus(await rawGet(trap.httpPort, LIST, [`Host: ${host}`]))]).toEqual([host, 200]);
    }
  });

  test('nothing can be read when POSTERN_CAPTURE_OPEN is off, not even in the dashboard', async () => {
    await using closed = await startAppliance({ capture: {}, settings: { capture_open: 'off' } });
    expect((await closed.request('GET', LIST)).status).toBe(401);
    expect((await closed.request('GET', LIST, { key: closed.apiKey! })).status).toBe(200);
    const visitor = async (headers = {}) =>
      (await closed.request('GET', '/dashboard/api/me', { headers })).json.data;
    expect(await visitor()).toBeNull();
    expect((await closed.request('GET', '/dashboard/api/inboxes')).status).toBe(401);
    expect((await closed.request('GET', '/?key=wrong')).status).toBe(401);
    const opened = await fetch(`${closed.url}/?key=${closed.apiKey}`, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/dashboard']);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(cookie).not.toContain(closed.apiKey!);
    expect(await visitor({ cookie })).toMatchObject({ capture: true });
    expect(await visitor({ cookie: `${cookie.slice(0, -1)}x` })).toBeNull();
  });

  test('a server, unlike a capture, can’t be used', async () => {
    await using server = await startAppliance();
    expect((await server.request('GET', LIST)).status).toBe(401);
  });
});

describe('in a capture every address exists', () => {
  test('from the first request that names it', async () => {
    const box = '/api/v1/inboxes/new@Any.Example';
    expect(await get({}, `${box}/messages`)).toMatchObject({ status: 200, json: { data: [] } });
    expect((await get({}, `${box}/messages/latest`)).status).toBe(404);
    expect(await get({}, box)).toMatchObject({ status: 200, json: { data: { address: 'new@any.example' } } });
    expect((await get({}, `${box}/messages/wait?timeout=1`)).status).toBe(204);
  });

  test('a tagged address creates the inbox without the tag', async () => {
    const box = '/api/v1/inboxes/tagged+a@any.example';
    expect(await get({}, `${box}/messages`)).toMatchObject({ status: 200, json: { data: [] } });
    expect(await get({}, box)).toMatchObject({
      status: 200,
      json: { data: { address: 'tagged@any.example' } },
    });
    const { json } = await get({}, '/api/v1/inboxes?address=tagged%2Ba@any.example');
    expect(json.data).toEqual([]);
    for (const to of ['tagged+a@any.example', 'tagged@any.example', 'tagged+b@any.example']) {
      const raw = `Subject: ${to}\r\n\r\nHello\r\n`;
      await sendMail({ port: trap.smtpPort, from: 'a@x.example', to: [to], raw });
    }
    const listed = await get({}, `${box}/messages`);
    expect(listed.json.data).toMatchObject([{ envelope_recipient: 'tagged+a@any.example', tags: [] }]);
  });

  test('an address in quotes is the inbox that its mail reaches', async () => {
    for (const [named, address] of [
      ['"Plain"@quoted.example', 'plain@quoted.example'],
      ['"two words"@quoted.example', '"two words"@quoted.example'],
      ['"two+plus signs"@quoted.example', '"two+plus signs"@quoted.example'],
    ] as const) {
      const box = `/api/v1/inboxes/${encodeURIComponent(named)}`;
      expect(await get({}, box)).toMatchObject({ status: 200, json: { data: { address } } });
      const query = `/api/v1/inboxes?address=${encodeURIComponent(named)}`;
      expect((await get({}, query)).json.data).toMatchObject([{ address }]);
      const raw = 'Subject: x\r\n\r\nHello\r\n';
      await sendMail({ port: trap.smtpPort, from: 'a@x.example', to: [named], raw });
      const { json } = await get({}, `${box}/messages/latest`);
      expect(json.data).toMatchObject({ envelope_recipient: named });
    }
  });

  test('a wait before the first mail gets it', async () => {
    const waiting = get({}, '/api/v1/inboxes/early@example.com/messages/wait?timeout=20');
    // The inbox exists as soon as the wait is parked.
    while (
      (await get({}, '/api/v1/inboxes?limit=100')).json.data.every(
        ({ address }: { address: string }) => address !== 'early@example.com',
      )
    );
    await sendMail({
      port: trap.smtpPort,
      from: 'a@x.example',
      to: ['early@example.com'],
      raw: 'Subject: Sign in\r\n\r\nYour code is 493817.\r\n',
    });
    expect(await waiting).toMatchObject({ status: 200, json: { data: { otp: '493817' } } });
  });

  test('an id, or a text that is not an address, is still unknown', async () => {
    for (const name of [
      'inbox_00000000000000000000000000000000',
      '@',
      'a@',
      '@b',
      'a b@c.example',
      `${'x'.repeat(400)}@y.example`,
    ]) {
      expect([name, (await get({}, `/api/v1/inboxes/${encodeURIComponent(name)}/messages`)).status]).toEqual([
        name,
        404,
      ]);
    }
  });

  test('many first requests at once create one inbox', async () => {
    const path = '/api/v1/inboxes/crowd@example.com';
    const answers = await Promise.all(Array.from({ length: 30 }, () => get({}, path)));
    expect(new Set(answers.map(({ json }) => json.data.id)).size).toBe(1);
  });
});

describe('other networks', () => {
  // Calls the guard directly, because every address that a test can connect from is a loopback address.
  test('reach neither SMTP nor HTTP without the setting', async () => {
    const { isTrapClient } = await import('../../../src/doors/smtp/listener.ts');
    const door = { services: { settings: { trap_networks: null } } } as never;
    expect(isTrapClient(door, '192.0.2.1')).toBe(false);
    expect(isTrapClient(door, '::ffff:127.0.0.1')).toBe(true);
    const allowed = {
      services: { settings: { trap_networks: [{ address: '192.0.2.0', prefix: 24 }] } },
    } as never;
    expect([isTrapClient(allowed, '192.0.2.1'), isTrapClient(allowed, '198.51.100.1')]).toEqual([
      true,
      false,
    ]);
  });

  test('behind a trusted proxy need to be listed, and a key', async () => {
    await using behind = await startAppliance({
      capture: {},
      settings: { trusted_proxies: '127.0.0.1/32', trap_networks: '192.0.2.0/24' },
    });
    const from = (address: string, key?: string) =>
      behind.request('GET', LIST, { headers: { 'x-forwarded-for': address }, ...(key ? { key } : {}) });
    expect((await from('198.51.100.7', behind.apiKey)).status).toBe(403);
    expect((await from('192.0.2.7')).status).toBe(401);
    expect((await from('192.0.2.7', behind.apiKey)).status).toBe(200);
    const key = `Authorization: Bearer ${behind.apiKey}`;
    const via = (...headers: string[]) =>
      rawGet(behind.httpPort, LIST, ['X-Forwarded-For: 192.0.2.7', ...headers]).then(readStatus);
    // A container reaches this machine by a name that the machine does not know.
    expect(await via('Host: postern:8025', key)).toBe(200);
    expect(await via('Host: postern:8025')).toBe(403);
    expect(await via('Host: postern:8025', 'Authorization: Bearer wrong')).toBe(403);
    const me = await behind.request('GET', '/dashboard/api/me', {
      headers: { 'x-forwarded-for': '192.0.2.7' },
    });
    expect(me.json.data).toBeNull();
  });

  test('do not include other loopback addresses, which SMTP serves', async () => {
    await using appliance = await startAppliance({ capture: {} });
    using client = await SmtpClient.connect({ port: appliance.smtpPort, localAddress: '127.0.0.2' });
    await client.expect(220);
  });
});

describe('CORS', () => {
  test('allows no origin when none is listed', async () => {
    const answer = await get({ origin: 'http://localhost:3000' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('lets only a listed origin call the API, with a key', async () => {
    await using open = await startAppliance({
      capture: {},
      settings: { cors_origins: 'http://localhost:3000,https://App.example' },
    });
    const ask = (origin: string, key?: string) =>
      open.request('GET', LIST, { headers: { origin }, ...(key ? { key } : {}) });
    const listed = await ask('http://localhost:3000', open.apiKey);
    expect(listed.status).toBe(200);
    expect(listed.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
    expect(listed.headers.get('access-control-expose-headers')).toContain('X-Wait-Since');
    expect(listed.headers.get('access-control-allow-credentials')).toBeNull();
    // Without a key, it is treated as any other site's page, but its script may read the refusal.
    const keyless = await ask('https://app.example');
    expect([keyless.status, keyless.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'https://app.example',
    ]);
    expect(
      (await ask('http://localhost:3001', open.apiKey)).headers.get('access-control-allow-origin'),
    ).toBeNull();

    const preflight = (origin: string, path = LIST) =>
      fetch(open.url + path, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PATCH' },
      });
    const answer = await preflight('http://localhost:3000');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect((await preflight('https://evil.example')).status).toBe(405);
    expect(
      (await preflight('http://localhost:3000', '/dashboard/api/me')).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull();
  });
});
