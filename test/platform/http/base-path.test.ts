/** A server whose base URL has a path. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { api } from '../../../src/app/routes.ts';
import { ownSegments, stripBasePath } from '../../../src/platform/core/base-path.ts';
import { settingsFrom } from '../../../src/platform/core/settings.ts';
import { newEmail, owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { sendRaw } from '../../peers/raw-http.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const ORIGIN = 'https://home.example';
let appliance: RunningAppliance;

beforeAll(async () => {
  const settings = { base_url: `${ORIGIN}/mail/`, metrics: 'on', cors_origins: 'http://localhost:3000' };
  appliance = await startAppliance({ settings, logLevel: 'info' });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) =>
  appliance.request('GET', path, { headers });

/** Requests a target that clients would change before they send it. Returns the status. */
async function readStatus(target: string): Promise<number | undefined> {
  const reply = await sendRaw(
    appliance.httpPort,
    `GET ${target} HTTP/1.1\r\nhost: home.example\r\nconnection: close\r\n\r\n`,
  );
  return reply?.status;
}

describe('the setting', () => {
  const read = (baseUrl: string) => settingsFrom({ toml: { base_url: baseUrl } }).settings.base_url;

  test('accepts a path, and drops slashes at its end', () => {
    expect(read('https://home.example')).toBe('https://home.example');
    expect(read('https://home.example/')).toBe('https://home.example');
    expect(read('https://home.example/mail//')).toBe('https://home.example/mail');
    expect(read('https://home.example/Tools/mail-1.x_~')).toBe('https://home.example/Tools/mail-1.x_~');
    // In the form that URLs give it.
    expect(read('https://home.example/a/%2e%2e/mail')).toBe('https://home.example/mail');
  });

  test('refuses a path that headers, cookies or routes could not carry', () => {
    for (const path of [
      '/a//b',
      '/a%2fb',
      '/ä',
      '/a;b',
      '/a:b',
      '/*',
      '/a b',
      '/"x"',
      `/${'a/'.repeat(9)}b`,
    ]) {
      expect(() => read(ORIGIN + path)).toThrow(/POSTERN_BASE_URL|base_url/);
    }
  });

  test('refuses a path that begins as one of our own does, and says which', () => {
    expect(() => read(`${ORIGIN}/api`)).toThrow('/api');
    expect(() => read(`${ORIGIN}/dashboard/mail`)).toThrow('/dashboard');
    expect(read(`${ORIGIN}/mail/api`)).toBe(`${ORIGIN}/mail/api`);
  });

  test('knows the first segment of every route', () => {
    const segments = [...api.routes, ...api.pages].map(({ path }) => path.split('/')[1] ?? '');
    const missing = segments.filter((segment) => segment !== '' && !ownSegments.includes(segment));
    expect([...new Set(missing)]).toEqual([]);
  });
});

describe('a request', () => {
  test('is under the base path only with a whole segment', () => {
    for (const [path, below] of [
      ['/mail', '/'],
      ['/mail/', '/'],
      ['/mail/api/v1/account', '/api/v1/account'],
      ['/mail//api', '//api'],
      ['/mailx', '/mailx'],
      ['/mail.x/api', '/mail.x/api'],
      ['/Mail/api', '/Mail/api'],
      ['//mail/api', '//mail/api'],
      ['/mail%2fapi', '/mail%2fapi'],
      ['/mail/mail/api', '/mail/api'],
      ['/api/v1/account', '/api/v1/account'],
    ] as const) {
      expect([path, stripBasePath(path, '/mail')]).toEqual([path, below]);
    }
    expect(stripBasePath('/mail/x', '')).toBe('/mail/x');
  });

  test('is served with the base path, and without it for probes and for proxies that strip it', async () => {
    for (const [path, status] of [
      ['/healthz', 200],
      ['/readyz', 200],
      ['/metrics', 200],
      ['/docs', 200],
      ['/dashboard', 200],
      ['/dashboard/inbox/all', 200],
      ['/setup/x', 200],
      ['/invite/x', 200],
      ['/dashboard/api/me', 200],
      ['/api/v1/openapi.json', 200],
      ['/api/v1/account', 401],
      ['/mcp', 405],
      ['/nothing', 404],
    ] as const) {
      expect([path, (await get(path)).status, (await get(`/mail${path}`)).status]).toEqual([
        path,
        status,
        status,
      ]);
    }
  });

  test('with another spelling of the base path finds nothing', async () => {
    for (const target of [
      '/mailx/healthz',
      '/Mail/healthz',
      '//mail/healthz',
      '/mail//healthz',
      '/m%61il/healthz',
      '/mail%2fhealthz',
      '/mail/healthz/',
      '/mail/mail/healthz',
      '/mail;x/healthz',
    ]) {
      expect([target, await readStatus(target)]).toEqual([target, 404]);
    }
  });

  test('has its dots resolved first, encoded or not, as URLs are read everywhere', async () => {
    for (const [target, status] of [
      ['/mail/x/../healthz', 200],
      ['/mail/x/%2e%2e/healthz', 200],
      ['/mail/%2E/healthz', 200],
      ['/mailx/../mail/healthz', 200],
      ['/mail/../../mailx/healthz', 404],
      ['/mail/..%2fhealthz', 404],
    ] as const) {
      expect([target, await readStatus(target)]).toEqual([target, status]);
    }
  });

  test('without a Host is served under the base path too', async () => {
    const reply = await sendRaw(appliance.httpPort, 'GET /mail/readyz HTTP/1.0\r\n\r\n');
    expect(reply?.status).toBe(200);
  });

  test('of a page of another name is refused on /metrics, with the base path or without', async () => {
    for (const path of ['/metrics', '/mail/metrics']) {
      expect((await get(path, { host: 'rebound.example' })).status).toBe(403);
    }
    expect((await get('/mail/healthz', { host: 'rebound.example' })).status).toBe(200);
  });

  test('of an allowed origin gets its CORS headers', async () => {
    const origin = 'http://localhost:3000';
    for (const path of ['/mail/api/v1/account', '/mail/mcp', '/api/v1/account']) {
      const { headers } = await get(path, { origin });
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, origin]);
    }
    const { headers } = await get('/mail/docs', { origin });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('with a method that its path does not support is told which ones it does', async () => {
    const reply = await appliance.request('PUT', '/mail/api/v1/inboxes');
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('an address that we write', () => {
  test('has the base path: Location, the document, the reference, preloads', async () => {
    for (const path of ['/mail', '/mail/', '/']) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('location')]).toEqual([path, 302, '/mail/dashboard']);
    }
    const holder = await appliance.holder();
    const created = await appliance.request('POST', '/mail/api/v1/inboxes', { key: holder.key, body: {} });
    const location = created.headers.get('location') ?? '';
    expect(location).toBe(`/mail/api/v1/inboxes/${created.json.data.id}`);
    expect((await appliance.request('GET', location, { key: holder.key })).status).toBe(200);
    expect((await get('/mail/api/v1/openapi.json')).json.servers[0].url).toBe('/mail');
    const reference = (await get('/mail/docs')).text;
    expect(reference).toContain('URL=https://home.example/mail\n');
    expect(reference).toContain('href="/mail/api/v1/openapi.json"');
    expect((await get('/mail/dashboard')).headers.get('link')).toStartWith('</mail/dashboard/api/me>;');
  });

  test('has the base path in the page and in every asset that it names', async () => {
    const { text, headers } = await get('/mail/dashboard');
    expect(text).toContain('data-base="/mail"');
    expect(text).not.toContain('%BASE%');
    const assets = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets) {
      expect(asset).toStartWith('/mail/dashboard/assets/');
      expect((await get(asset)).status).toBe(200);
      expect((await get(asset.slice('/mail'.length))).status).toBe(200);
    }
    // Other programs on the host, even on other ports, may have no TLS.
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  test('has the base path in the first link and in invitations', async () => {
    expect(appliance.setUpPath).toStartWith('/setup/');
    const { visitor } = await owner(appliance);
    const invited = await visitor.post('/members', { email: newEmail() });
    // The page puts its own base before it.
    expect(invited.json.data.invite_path).toStartWith('/invite/');
  });
});

describe('the session cookie', () => {
  test('is limited to the base path, and Secure', async () => {
    const { email } = await owner(appliance);
    const reply = await new Visitor(appliance).signIn(email);
    expect(reply.headers.get('set-cookie')).toMatch(
      /^__Secure-postern_session=[\w-]{43}; Path=\/mail; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
    );
  });

  test('is not accepted from another Postern at the root of the host', async () => {
    await using plain = await startAppliance({ settings: { base_url: 'http://home.example/mail' } });
    const { email, visitor } = await owner(plain);
    expect(visitor.cookie).toStartWith('postern_session=');
    const signedIn = new Visitor(plain);
    const reply = await signedIn.signIn(email, password);
    expect(reply.headers.get('set-cookie')).toContain('; Path=/mail; ');
    // A browser sends the cookie of the longer path first.
    signedIn.cookie = `${signedIn.cookie}; postern_session=${'a'.repeat(43)}`;
    expect((await signedIn.get('/me')).json.data.user.email).toBe(email);
  });

  test('of a capture is limited to the base path too, and its link has no key', async () => {
    const settings = { base_url: 'http://home.example/trap' };
    await using trap = await startAppliance({ capture: {}, settings });
    const reply = await trap.request('GET', `/trap/?key=${trap.apiKey}`);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/trap/dashboard']);
    expect(reply.headers.get('set-cookie')).toContain('; Path=/trap; ');
  });
});
