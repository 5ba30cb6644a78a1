/** The server under a path, behind real reverse proxies with the configurations of docs/server.md. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { owner, password } from '../doors/dashboard/visitor.ts';
import { haveBrowser, openBrowser } from '../peers/browser.ts';
import {
  haveProxy,
  type ProxyName,
  proxyNames,
  type ReverseProxy,
  startProxy,
} from '../peers/reverse-proxy.ts';
import { sendMail } from '../peers/smtp-client.ts';
import { haveTool, runTool } from '../peers/tools.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';

/** The longest wait of the API. */
const LONGEST_S = 25;
/** A proxy that buffers holds a stream's text until its next heartbeat, for 10 seconds. */
const UNBUFFERED_MS = 5_000;

let appliance: RunningAppliance;
let holder: Holder;

beforeAll(async () => {
  const settings = {
    base_url: 'https://localhost/mail',
    trusted_proxies: '127.0.0.1/32',
    limit_agent_registrations_per_hour: '1',
    limit_requests_per_minute: '10000',
    wait_slots: '100',
    wait_slots_free: '100',
  };
  appliance = await startAppliance({ settings });
  holder = await appliance.holder();
  for (const name of proxyNames.filter(haveProxy)) {
    for (const strips of [false, true]) stages.set(nameStage(name, strips), setStage(name, strips));
  }
  // The first mail starts the parser's process.
  await mail((await appliance.inbox(holder)).address, 'Warm-up');
});
afterAll(() => appliance[Symbol.asyncDispose]());

interface AskOptions extends RequestInit {
  key?: string;
}

function ask(url: string, { key, ...init }: AskOptions = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key) headers.set('authorization', `Bearer ${key}`);
  return fetch(url, { ...init, headers, redirect: 'manual', tls: { rejectUnauthorized: false } });
}

/** Through SMTP, so that it is announced. */
function mail(to: string, subject: string) {
  const raw = `From: Ann <ann@sender.example>\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\nHello.\r\n`;
  return sendMail({ port: appliance.smtpPort, from: 'ann@sender.example', to: [to], raw });
}

/** The body so far, read piece by piece. */
function follow(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async until(wanted: string): Promise<number> {
      const began = performance.now();
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended before ${wanted}: ${text}`);
        text += value;
      }
      return performance.now() - began;
    },
    leave: () => reader.cancel(),
  };
}

interface Stage {
  proxy: ReverseProxy;
  /** A wait of the longest time, from the start. */
  wait: Promise<{ status: number; since: string | null; ms: number }>;
  /** A stream without mail, until its first heartbeat; resolves with the milliseconds. */
  beat: Promise<number>;
}

/** All at once, so that the slow ones together take only as long as one. */
const stages = new Map<string, Promise<Stage>>();

const nameStage = (name: ProxyName, strips: boolean) =>
  `${name}, which ${strips ? 'strips' : 'keeps'} the path`;

async function setStage(name: ProxyName, strips: boolean): Promise<Stage> {
  const proxy = await startProxy(name, appliance.httpPort, strips);
  const { address } = await appliance.inbox(holder);
  const path = `${proxy.origin}/mail/api/v1/inboxes/${address}`;
  const began = performance.now();
  const wait = async () => {
    const { status, headers } = await ask(`${path}/messages/wait?timeout=${LONGEST_S}`, holder);
    return { status, since: headers.get('x-wait-since'), ms: performance.now() - began };
  };
  const beat = async () => {
    const events = follow(await ask(`${path}/stream`, holder));
    const ms = await events.until(': heartbeat');
    await events.leave();
    return ms;
  };
  return { proxy, wait: wait(), beat: beat() };
}

for (const name of proxyNames) {
  for (const strips of [false, true]) {
    const what = nameStage(name, strips);
    describe.skipIf(!haveProxy(name))(`behind ${what}`, () => {
      let stage: Stage;
      let url: string;
      beforeAll(async () => {
        stage = await stages.get(what)!;
        url = `${stage.proxy.origin}/mail`;
      });
      afterAll(() => stage?.proxy[Symbol.asyncDispose]());

      test('everything is served under the path, and nothing outside it', async () => {
        for (const [path, status] of [
          ['/mail/readyz', 200],
          ['/mail/docs', 200],
          ['/mail/dashboard', 200],
          ['/mail/api/v1/account', 401],
          ['/mailx/readyz', 404],
          ['/readyz', 404],
        ] as const) {
          const answer = await ask(stage.proxy.origin + path);
          // Caddy answers what it has no handler for with an empty 200.
          const isOurs = answer.headers.has('x-request-id');
          expect([path, isOurs ? answer.status : 404]).toEqual([path, status]);
        }
        const door = await ask(`${url}/`);
        expect([door.status, door.headers.get('location')]).toEqual([302, '/mail/dashboard']);
      });

      test('a created resource is found at its Location', async () => {
        const body = JSON.stringify({ label: 'x'.repeat(40) });
        const headers = { 'content-type': 'application/json' };
        const created = await ask(`${url}/api/v1/inboxes`, { ...holder, method: 'POST', body, headers });
        expect(created.status).toBe(201);
        const location = new URL(created.headers.get('location')!, url);
        expect(location.pathname).toStartWith('/mail/api/v1/inboxes/');
        expect((await ask(location.href, holder)).status).toBe(200);
      });

      test('a body of 2 MiB reaches Postern, which itself answers what is wrong with it', async () => {
        const body = JSON.stringify({ label: 'x'.repeat(2 * 1024 * 1024) });
        const headers = { 'content-type': 'application/json' };
        const answer = await ask(`${url}/api/v1/inboxes`, { ...holder, method: 'POST', body, headers });
        expect([answer.status, answer.headers.has('x-request-id')]).toEqual([413, true]);
      });

      test('a wait is answered and a stream is written to the moment mail arrives', async () => {
        const { address } = await appliance.inbox(holder);
        const waiting = ask(`${url}/api/v1/inboxes/${address}/messages/wait?require=message`, holder);
        const streaming = await ask(`${url}/api/v1/inboxes/${address}/stream?require=message`, holder);
        const events = follow(streaming);
        // Before any mail: the head and the first line were not held back.
        await events.until('retry: 1000');
        const began = performance.now();
        await mail(address, 'Hello');
        const answer = (await (await waiting).json()) as { data: { id: string } };
        await events.until(answer.data.id);
        expect(performance.now() - began).toBeLessThan(UNBUFFERED_MS);
        await events.leave();
      });

      test('a client that leaves gives its slot back', async () => {
        const free = await appliance.holder('free');
        const { id } = await appliance.inbox(free);
        const hang = new AbortController();
        const open = async (signal?: AbortSignal) => {
          const answer = await ask(`${url}/api/v1/inboxes/${id}/stream`, {
            ...free,
            ...(signal && { signal }),
          });
          if (answer.ok) await follow(answer).until('retry');
          return answer.status;
        };
        // As many as a free account may hold.
        expect([await open(hang.signal), await open()]).toEqual([200, 200]);
        expect(await open()).toBe(429);
        hang.abort();
        const until = performance.now() + UNBUFFERED_MS;
        let status = 429;
        while (status === 429 && performance.now() < until) status = await open();
        expect(status).toBe(200);
      });

      test.skipIf(!haveTool('curl'))('limits per address count the client, not the proxy', async () => {
        const register = async (from: string, forged: string) => {
          const { output } = await runTool([
            ...['curl', '-sk', '--interface', from, '-o', '/dev/null', '-w', '%{http_code}', '-X', 'POST'],
            ...['-H', `X-Forwarded-For: ${forged}`, `${url}/api/v1/agents/register`],
          ]);
          return Number(output);
        };
        // Each address is counted once, whatever it claims to be.
        const hosts = 10 * (1 + proxyNames.indexOf(name)) + (strips ? 5 : 0);
        expect(await register(`127.0.0.${hosts}`, '192.0.2.1')).toBe(201);
        expect(await register(`127.0.0.${hosts}`, '192.0.2.2')).toBe(429);
        expect(await register(`127.0.0.${hosts + 1}`, '192.0.2.1')).toBe(201);
      });

      test('an agent speaks MCP', async () => {
        const params = {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        };
        const answer = await ask(`${url}/mcp`, {
          ...holder,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
        });
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('serverInfo')]);
      });

      // A browser's requests are the same in both configurations; one of them shows that stripping works.
      test.skipIf(!haveBrowser() || (strips && name !== 'nginx'))(
        'a person can sign in, read, see new mail arrive, and sign out',
        async () => {
          const { email, visitor } = await owner(appliance);
          const { address } = (await visitor.post('/inboxes', { routing_key: `p${Date.now()}` })).json.data;
          const html = '<p>Your code is <b>493817</b></p>';
          await appliance.deliver(address, { subject: 'First mail', has_html: true, content: { html } });
          const browser = await openBrowser();
          try {
            const open = await browser.open(`${url}/`, { anyCertificate: true });
            const { page, faults } = open;
            const outside: string[] = [];
            page.on('request', (request) => {
              if (!/^(data:|blob:|about:)/.test(request.url()) && !request.url().startsWith(`${url}/`))
                outside.push(request.url());
            });
            await page.getByLabel('Email').fill(email);
            await page.getByLabel('Password', { exact: true }).fill(password);
            await page.getByRole('button', { name: 'Sign in' }).click();
            await page.getByRole('link', { name: 'First mail' }).click();
            await page.frameLocator('iframe').getByText('493817').waitFor();
            expect(new URL(page.url()).pathname).toStartWith('/mail/dashboard/');
            expect(await open.violations()).toEqual([]);
            await mail(address, 'Second mail');
            await page.getByRole('link', { name: 'Second mail' }).waitFor();
            await page.reload();
            await page.getByRole('link', { name: 'Second mail' }).waitFor();
            const cookies = await open.context.cookies();
            expect(cookies.map((cookie) => [cookie.name, cookie.path, cookie.secure])).toEqual([
              ['__Secure-postern_session', '/mail', true],
            ]);
            await page.goto(`${url}/dashboard/sign-in`);
            await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
            await page.getByLabel('Email').waitFor();
            expect(await open.context.cookies()).toEqual([]);
            expect([faults, outside]).toEqual([[], []]);
          } finally {
            await browser.close();
          }
        },
        60_000,
      );

      test('a stream without mail has its heartbeat after ten seconds', async () => {
        const ms = await stage.beat;
        expect(ms).toBeLessThan(15_000);
      }, 20_000);

      test(`a wait of ${LONGEST_S} seconds is held to its end`, async () => {
        const { status, since, ms } = await stage.wait;
        expect([status, since]).toEqual([204, expect.stringMatching(/^\d{4}-/)]);
        expect(ms).toBeGreaterThan(LONGEST_S * 1000 - 100);
      }, 40_000);
    });
  }
}
