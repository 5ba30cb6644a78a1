/** Who is admitted, what pages of other sites may not do, and how our pages are served. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dashboardRoutes } from '../../../src/doors/dashboard/routes.ts';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

/** With these every route is served. */
const everything = { outbound: 'direct', oidc_issuer: 'https://idp.example', oidc_client_id: 'x' };

let trap: RunningAppliance;
let served: RunningAppliance;

beforeAll(async () => {
  [trap, served] = await Promise.all([
    startAppliance({ capture: {} }),
    startAppliance({ settings: everything }),
  ]);
});
afterAll(() => Promise.all([trap[Symbol.asyncDispose](), served[Symbol.asyncDispose]()]));

const apiRoutes = dashboardRoutes.filter(({ path }) => path.startsWith('/dashboard/api/'));

describe('in capture mode', () => {
  test('the dashboard asks nobody to sign in', async () => {
    const { status, json } = await trap.request('GET', '/dashboard/api/me');
    expect([status, json.data.capture, json.data.user]).toEqual([200, true, null]);
  });

  test.each(['localhost', 'app.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])(
    'the name %s is accepted as this machine',
    async (name) => {
      const headers = { host: `${name}:8025` };
      expect((await trap.request('GET', '/dashboard/api/me', { headers })).status).toBe(200);
    },
  );

  // DNS rebinding: a page of evil.example whose name now resolves to 127.0.0.1.
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'x', '[::2]'])(
    'the name %s is refused',
    async (name) => {
      for (const path of [
        ...['/', '/dashboard', '/dashboard/api/me', '/docs', '/healthz', '/api/v1/openapi.json'],
        ...['/api/v1/account', '/metrics', '/nothing'],
      ]) {
        const reply = await trap.request('GET', path, { headers: { host: `${name}:8025` } });
        expect([reply.status, reply.json.error.code]).toEqual([403, 'account_forbidden']);
      }
    },
  );
});

test('the base URL’s host counts as this machine, and /metrics refuses foreign names on a server too', async () => {
  const settings = { metrics: 'on', base_url: 'https://mail.example.com' };
  await using appliance = await startAppliance({ settings });
  const status = async (host: string, path = '/metrics') =>
    (await appliance.request('GET', path, { headers: { host } })).status;
  expect(await status('evil.example')).toBe(403);
  expect(await status('10.0.0.1:8025')).toBe(403);
  for (const host of ['mail.example.com', 'MAIL.example.com.', 'localhost:8025', '127.0.0.1', '[::1]:1'])
    expect(await status(host)).toBe(200);
  // Everything else on a server requires a key or a session, which no foreign page has.
  expect(await status('evil.example', '/healthz')).toBe(200);
});

test('no response may be shown in a frame, except a mail’s HTML in our own pages', async () => {
  const paths = ['/', '/dashboard', '/dashboard/api/me', '/docs', '/healthz', '/api/v1/account', '/nothing'];
  for (const { request } of [trap, served])
    for (const path of paths) {
      const { headers } = await request('GET', path);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
});

describe('a request from another web page', () => {
  const foreign: [what: string, headers: Record<string, string>][] = [
    ['with its Origin', { origin: 'http://evil.example' }],
    ['from another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['as an image or a script', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ];
  test.each(foreign)('is refused: %s', async (_, headers) => {
    expect((await trap.request('GET', '/dashboard/api/me', { headers })).status).toBe(403);
  });

  test('may open the dashboard in a tab only: not in a frame, object or embed', async () => {
    const navigated = (dest: string) => ({
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': dest },
    });
    for (const dest of ['iframe', 'frame', 'object', 'embed', ''])
      for (const path of ['/dashboard', '/dashboard/api/me'])
        expect((await trap.request('GET', path, navigated(dest))).status).toBe(403);
    expect((await trap.request('GET', '/dashboard', navigated('document'))).status).toBe(200);
  });

  test.if(haveBrowser())(
    'shows nothing in a browser’s frame, object or embed',
    async () => {
      const tags = (url: string) =>
        `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}">`;
      const page = tags(`${trap.url}/dashboard/api/me`);
      using other = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () => new Response(page, { headers: { 'content-type': 'text/html' } }),
      });
      const browser = await openBrowser();
      try {
        // Under another name than the trap's, so that it is another site.
        const { page: opened } = await browser.open(`http://localhost:${other.port}/`);
        await opened.waitForLoadState('load');
        const shown = await Promise.all(
          opened.frames().map((frame) => frame.evaluate('document.body.innerText').catch(() => '')),
        );
        expect(opened.frames().length).toBeGreaterThan(1);
        expect(shown.join('')).not.toContain('"capture"');
      } finally {
        await browser.close();
      }
    },
    30_000,
  );

  test('is accepted when the page is our own', async () => {
    const headers = { origin: trap.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
    expect((await trap.request('GET', '/dashboard/api/me', { headers })).status).toBe(200);
  });
});

test('without a session only the pages are served', async () => {
  expect(apiRoutes.length).toBeGreaterThan(0);
  for (const route of apiRoutes.filter(({ name }) => !openToAnyone.includes(name))) {
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

// Elysia cuts the path out of the URL's text after a minimum length; a very short host is handled in another way.
test.each(['mail.example.com', 'ab', 'x'])(
  'by https at %s, every route of the pages is found',
  async (host) => {
    await using secure = await startAppliance({
      settings: { http_tls: 'on', base_url: `https://${host}`, ...everything },
    });
    for (const { name, method, path } of apiRoutes.filter(({ name }) => !openToAnyone.includes(name))) {
      const { status } = await fetch(secure.url + path.replace(/:\w+/g, 'x'), {
        method,
        headers: { host },
        tls: { rejectUnauthorized: false },
      });
      expect([name, status]).toEqual([name, 401]);
    }
  },
);

/** Routes of /dashboard/api that need no session. */
const openToAnyone = [
  'dashboardBeginPasskeySignIn',
  'dashboardPasskeySignIn',
  'dashboardBeginInvitePasskey',
  'dashboardInvitePasskey',
  'dashboardBeginSetUpPasskey',
  'dashboardSetUpPasskey',
  'dashboardVisitor',
  ...['dashboardDoorState', 'dashboardSignIn', 'dashboardSignUp', 'dashboardSignOut'],
  'dashboardInvite',
  'dashboardInviteOidc',
  'dashboardFinishOidc',
  'dashboardAcceptInvite',
  'dashboardSetUpState',
  'dashboardSetUp',
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

  test('load less than 60 KB, compressed, cached forever by name, from this host alone', async () => {
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
    expect(bytes).toBeLessThan(60_000);
    expect((await served.request('GET', '/dashboard/assets/none.js')).status).toBe(404);
  });
});
