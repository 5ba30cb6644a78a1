/** What a browser loads before the list is shown, and when it loads a message. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

/** Compressed, in bytes: the document with everything that it names. */
const FIRST_LOAD_MAX = 60_000;

let trap: RunningAppliance;

beforeAll(async () => {
  trap = await startAppliance({ capture: {} });
});
afterAll(() => trap[Symbol.asyncDispose]());

function send(subject: string) {
  const raw = `From: a@a.test\r\nSubject: ${subject}\r\n\r\nHello.\r\n`;
  return sendMail({ port: trap.smtpPort, from: 'a@a.test', to: ['b@b.test'], raw });
}

async function countBytes(path: string): Promise<number> {
  const response = await fetch(trap.url + path, { headers: { 'accept-encoding': 'br' }, decompress: false });
  expect(response.status).toBe(200);
  return (await response.bytes()).length;
}

/** Opens the list, and returns the paths of the files that the page requested before it had the rows. */
async function listAssetsBeforeList(page: Page): Promise<string[]> {
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).pathname));
  let before: string[] = [];
  await page.route('**/dashboard/api/messages?limit=100', async (route) => {
    await page.locator('main h1').waitFor({ state: 'attached' });
    before = [...asked];
    await route.continue();
  });
  await page.goto(`${trap.url}/dashboard`);
  await page.locator('.row-link').first().waitFor();
  return before.filter((path) => !path.startsWith('/dashboard/api/'));
}

describe('the first load', () => {
  test('stays under 60 KB compressed', async () => {
    const html = await (await fetch(`${trap.url}/dashboard`)).text();
    const assets = [...html.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(assets.length).toBeGreaterThanOrEqual(3);
    const sizes = await Promise.all(['/dashboard', ...assets].map(countBytes));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_MAX);
  });

  test('comes in the coding that the browser prefers, and never in one that it refuses', async () => {
    for (const [accepted, coding] of [
      ['gzip, br', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0, gzip;q=0', null],
      ['identity', null],
    ] as const) {
      const response = await fetch(`${trap.url}/dashboard`, { headers: { 'accept-encoding': accepted } });
      expect(response.headers.get('content-encoding')).toBe(coding);
      expect(await response.text()).toContain('<!doctype html>');
    }
  });

  test('preloads the first requests of a page in its headers, and those of a list only for people who may see it', async () => {
    const paths = async (url: string) => {
      const { headers } = await fetch(url);
      return [...(headers.get('link') ?? '').matchAll(/<([^>]+)>/g)].map(([, path]) => path);
    };
    expect(await paths(`${trap.url}/dashboard/settings`)).toEqual([
      '/dashboard/api/me',
      '/dashboard/api/inboxes',
      '/dashboard/api/unread',
    ]);
    expect(await paths(`${trap.url}/dashboard`)).toContain('/dashboard/api/messages?limit=100');
    await using signedOut = await startAppliance();
    expect(await paths(`${signedOut.url}/dashboard`)).toEqual(['/dashboard/api/me']);
  });
});

describe.if(haveBrowser())('the first load in a browser', () => {
  test.each(['de-DE', 'fr-FR', 'es-ES', 'ja-JP', 'zh-CN'])(
    'in %s stays under 60 KB compressed too, with its texts',
    async (locale) => {
      await send('1');
      const open = await browser.open('about:blank', { locale });
      const assets = await listAssetsBeforeList(open.page);
      expect(await open.page.getAttribute('html', 'lang')).toStartWith(locale.slice(0, 2));
      // The style, the script, and the texts.
      expect(assets.filter((path) => path.startsWith('/dashboard/assets/'))).toHaveLength(3);
      const sizes = await Promise.all(assets.map(countBytes));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_MAX);
      await open.close();
    },
  );

  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test('has no code that shows a message, which is loaded after the list and before one is opened', async () => {
    await send('quiet');
    const open = await browser.open('about:blank');
    const isOfMessage = (path: string) => path.includes('/assets/message-view-');
    const loaded = open.page.waitForResponse((response) => isOfMessage(response.url()));
    expect((await listAssetsBeforeList(open.page)).filter(isOfMessage)).toEqual([]);
    expect((await loaded).status()).toBe(200);
    await open.page.getByRole('link', { name: 'Unread: quiet' }).click();
    await open.page.getByRole('heading', { name: 'quiet' }).waitFor();
    await open.close();
  });

  test('of a message’s own address requests the message while its code is loading', async () => {
    await send('linked');
    const { json } = await trap.request('GET', '/dashboard/api/messages?limit=1');
    const [{ id }] = json.data;
    const open = await browser.open('about:blank');
    const message = open.page.waitForResponse((response) => response.url().endsWith(`/api/messages/${id}`));
    await open.page.route('**/assets/message-view-*', async (route) => {
      await message;
      await route.continue();
    });
    await open.page.goto(`${trap.url}/dashboard/all/${id}`);
    await open.page.getByRole('heading', { name: 'linked' }).waitFor();
    await open.close();
  });

  test('requests everything once, and shows mail that came while it was loading', async () => {
    await send('before');
    const open = await browser.open('about:blank');
    const asked: string[] = [];
    open.page.on('request', (request) => asked.push(request.url()));
    // A mail that comes between the list and the stream arrives only by the stream's position.
    await open.page.route('**/dashboard/api/live*', async (route) => {
      await send('between');
      await route.continue();
    });
    await open.page.goto(`${trap.url}/dashboard/all`);
    await open.page.getByRole('link', { name: 'between' }).waitFor();
    await open.page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    const lists = asked.filter((url) => /\/(readyz|api\/(me|unread|messages\?limit=100))$/.test(url));
    expect(lists.map((url) => url.split('/').at(-1)!).sort()).toEqual([
      'me',
      'messages?limit=100',
      'readyz',
      'unread',
    ]);
    await open.close();
  });

  test('requests a message once, when the mouse is pressed on its row, and its neighbour after a key', async () => {
    for (const subject of ['lowest', 'lower', 'upper']) await send(subject);
    const open = await browser.open(`${trap.url}/dashboard/all`);
    const asked: string[] = [];
    open.page.on('request', (request) => {
      const id = /\/api\/messages\/(msg_\w+)$/.exec(request.url())?.[1];
      if (id) asked.push(id);
    });
    const findId = async (name: string) =>
      (await open.page.getByRole('link', { name: `Unread: ${name}`, exact: true }).getAttribute('href'))!
        .split('/')
        .at(-1)!;
    const [upper, lower] = [await findId('upper'), await findId('lower')];
    await open.page.getByRole('link', { name: 'Unread: upper', exact: true }).hover();
    const response = open.page.waitForResponse(new RegExp(upper));
    await open.page.mouse.down();
    await response;
    expect(new URL(open.page.url()).pathname).toBe('/dashboard/all');
    await open.page.mouse.up();
    await open.page.getByRole('heading', { name: 'upper' }).waitFor();
    expect(asked).toEqual([upper]);
    await open.page.keyboard.press('j');
    await open.page.getByRole('heading', { name: 'lower', exact: true }).waitFor();
    await open.page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
    expect(asked.slice(0, 2)).toEqual([upper, lower]);
    expect(asked.length).toBe(3);
    await open.close();
  });
});
