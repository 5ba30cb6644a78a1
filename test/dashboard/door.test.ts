/** Who gets in, what other web pages may not do, and how the pages are served. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dashboard_routes } from '../../src/dashboard/routes.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';

let trap: RunningAppliance;
let served: RunningAppliance;

beforeAll(async () => {
  [trap, served] = await Promise.all([
    startAppliance({ capture: {} }),
    // With all that can be served.
    startAppliance({ settings: { outbound: 'direct' } }),
  ]);
});
afterAll(() => Promise.all([trap[Symbol.asyncDispose](), served[Symbol.asyncDispose]()]));

const api_routes = dashboard_routes.filter(({ path }) => path.startsWith('/dashboard/api/'));

describe('in capture mode', () => {
  test('nobody has to sign in', async () => {
    const { status, json } = await trap.request('GET', '/dashboard/api/me');
    expect([status, json.data.capture, json.data.user]).toEqual([200, true, null]);
  });

  test.each(['localhost', 'app.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])(
    '%s is this machine',
    async (name) => {
      const headers = { host: `${name}:8025` };
      expect((await trap.request('GET', '/dashboard/api/me', { headers })).status).toBe(200);
    },
  );

  // DNS rebinding: a page of evil.example whose name now resolves to 127.0.0.1.
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'x', '[::2]'])(
    'the name %s gets nothing',
    async (name) => {
      for (const path of ['/dashboard', '/dashboard/api/me']) {
        const reply = await trap.request('GET', path, { headers: { host: `${name}:8025` } });
        expect([reply.status, reply.json.error.code]).toEqual([403, 'account_forbidden']);
      }
    },
  );
});

describe('what another web page asks for', () => {
  const foreign: [what: string, headers: Record<string, string>][] = [
    ['with its Origin', { origin: 'http://evil.example' }],
    ['from another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['as an image or a script', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ];
  test.each(foreign)('is refused: %s', async (_, headers) => {
    expect((await trap.request('GET', '/dashboard/api/me', { headers })).status).toBe(403);
  });

  test('our own may', async () => {
    const headers = { origin: trap.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
    expect((await trap.request('GET', '/dashboard/api/me', { headers })).status).toBe(200);
  });
});

test('without a session nothing but the pages is given', async () => {
  expect(api_routes.length).toBeGreaterThan(0);
  for (const route of api_routes.filter(({ name }) => !open_to_anyone.includes(name))) {
    const path = route.path.replace(/:\w+/g, 'x');
    const key = { key: (await served.holder()).key };
    const reply = await served.request(route.method, path, { ...key, ...(route.body ? { body: {} } : {}) });
    expect([route.name, reply.status, reply.json?.error.code]).toEqual([
      route.name,
      401,
      'authentication_required',
    ]);
  }
});

/** Routes of /dashboard/api that are for people who are not signed in. */
const open_to_anyone = [
  'dashboardVisitor',
  ...['dashboardDoorState', 'dashboardSignIn', 'dashboardSignUp', 'dashboardSignOut'],
  ...['dashboardInvite', 'dashboardAcceptInvite', 'dashboardSetUpState', 'dashboardSetUp'],
];

describe('the pages', () => {
  test('are the same document at every address, under a policy without inline script', async () => {
    expect((await served.request('GET', '/')).headers.get('location')).toBe('/dashboard');
    for (const path of ['/dashboard', '/dashboard/inbox/inbox_1/msg_1', '/invite/abc']) {
      const { status, headers } = await served.request('GET', path);
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
    expect((await served.request('GET', '/dashboard/api/nothing')).status).toBe(404);
  });

  test('load less than 120 KB, compressed, cached for ever by name, from this host alone', async () => {
    const { text } = await served.request('GET', '/dashboard');
    const urls = Array.from(text.matchAll(/(?:src|href)="([^"]+)"/g), ([, url = '']) => url);
    expect(urls.length).toBeGreaterThanOrEqual(3);
    let bytes = 0;
    for (const url of urls) {
      expect(url).toStartWith('/dashboard/assets/');
      const answer = await fetch(served.url + url, {
        headers: { 'accept-encoding': 'gzip' },
        decompress: false,
      });
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      expect(answer.headers.get('cache-control')).toContain('immutable');
      bytes += (await answer.arrayBuffer()).byteLength;
    }
    expect(bytes).toBeLessThan(120_000);
    expect((await served.request('GET', '/dashboard/assets/none.js')).status).toBe(404);
  });
});
