/**
 * Hostile HTML mails in a real browser, with a canary: no script runs, and no request leaves. Tests each defence
 * separately: the sanitised document, and the frame's policy around the mail as sent.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Parser } from 'htmlparser2';
import { makeFrameHeaders } from '../../../src/doors/dashboard/frame.ts';
import { PAGE_CSP } from '../../../src/doors/dashboard/page-routes.ts';
import { makeSafeHtml } from '../../../src/platform/mail/html/safe-html.ts';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { composeHostile, listHostile, startCanary } from './hostile-mails.ts';

const hasBrowser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;
let open: OpenPage;
const canary = startCanary();
const { bird } = canary;
const corpus = composeHostile(bird);
const mails = listHostile(bird);

beforeAll(async () => {
  if (!hasBrowser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  await trap.request('POST', '/dashboard/api/inboxes', { body: { routing_key: 'victim' } });
  open = await browser.open(`${trap.url}/healthz`);
});
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
  await canary.stop();
});

/** Loads a document and returns the requests that the canary received. The test’s own request marks the end. */
async function askedBy(url: string): Promise<string[]> {
  canary.asked.length = 0;
  await open.page.goto(url, { waitUntil: 'load' }).catch(() => {});
  await fetch(`${bird}/end`);
  return canary.asked.map(({ path }) => path).filter((path) => path !== '/end');
}

describe.skipIf(!hasBrowser)('the canary', () => {
  test('is reached when nothing protects the page', async () => {
    canary.unguarded = ['script', 'remote images', 'iframe and object'].map((name) => corpus[name]).join('');
    const paths = await askedBy(`${bird}/unguarded`);
    expect(paths).toContain('/ran');
    expect(paths).toContain('/open.gif');
    expect(paths).toContain('/iframe');
  });
});

/** Loads documents concurrently, each in a frame like the dashboard's. */
async function askedByAll(urls: readonly string[]): Promise<string[]> {
  const frame = (url: string) => `<iframe src="${url}" referrerpolicy="no-referrer"></iframe>`;
  await open.page.route('**/side-by-side', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': PAGE_CSP },
      body: urls.map(frame).join(''),
    }),
  );
  const paths = await askedBy(`${trap.url}/side-by-side`);
  await open.page.unroute('**/side-by-side');
  return paths;
}

describe.skipIf(!hasBrowser)('a hostile mail', () => {
  test('sends no request to anybody', async () => {
    const ids = await Promise.all(
      mails.map(({ html }) => trap.deliver('victim@postern.test', { has_html: true, content: { html } })),
    );
    expect(await askedByAll(ids.map((id) => `/dashboard/api/messages/${id}/frame`))).toEqual([]);
  });

  test('keeps no script, handler, form, frame or external address after the sanitiser alone', () => {
    const forbidden =
      /^(script|iframe|object|embed|form|input|button|base|meta|link|svg|math|frame|frameset|template|noscript|video|audio|source|picture)$/;
    for (const [name, html] of Object.entries(corpus)) {
      const faults: string[] = [];
      const parser = new Parser({
        onopentag(tag, attributes) {
          if (forbidden.test(tag)) faults.push(tag);
          for (const [attribute, value] of Object.entries(attributes)) {
            if (attribute.startsWith('on')) faults.push(attribute);
            if (attribute === 'href' && !/^(https?|mailto|tel):/.test(value)) faults.push(value);
            if (/^(src|srcset|background|poster|action)$/.test(attribute) && /^\s*https?:/.test(value))
              faults.push(value);
          }
        },
      });
      parser.end(makeSafeHtml(html, { remoteImages: false, dark: false }).html);
      expect([name, faults]).toEqual([name, []]);
    }
  });

  test('can run and send nothing under the frame’s policy alone', async () => {
    let dialogs = 0;
    open.page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await open.page.route('**/as-it-was-sent/*/*', (route) => {
      const index = Number(new URL(route.request().url()).pathname.split('/').at(-1));
      const kind = route.request().url().includes('framed') ? 'framed' : 'alone';
      return route.fulfill({ body: mails[index]?.html ?? '', headers: makeFrameHeaders(false, kind) });
    });
    for (const kind of ['framed', 'alone']) {
      const urls = mails.map((_, index) => `/as-it-was-sent/${kind}/${index}`);
      expect([kind, await askedByAll(urls)]).toEqual([kind, []]);
    }
    expect([dialogs, open.page.url()]).toEqual([0, `${trap.url}/side-by-side`]);
  });

  test('loads only images when the reader asks for them, without a referrer', async () => {
    const html = `${corpus['remote images']}${corpus.script}${corpus.stylesheet}`;
    const id = await trap.deliver('victim@postern.test', { has_html: true, content: { html } });
    const paths = await askedBy(`${trap.url}/dashboard/api/messages/${id}/frame?images=true`);
    expect(paths.sort()).toEqual(['/open.gif', '/table.gif']);
    expect(canary.asked.every(({ referer, path }) => path === '/end' || referer === null)).toBe(true);
  });

  test('shows its embedded images within the document', async () => {
    const raw = [
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<img src="cid:a&b@x" alt="logo">',
      '--b',
      'Content-Type: image/gif',
      'Content-ID: <a&b@x>',
      'Content-Transfer-Encoding: base64',
      '',
      'R0lGODlhAQABAAAAACw=',
      '--b--',
      '',
    ].join('\r\n');
    const id = await trap.deliver('victim@postern.test', {
      raw,
      content: {
        html: '<img src="cid:a&amp;b@x" alt="logo">',
        attachments: [
          {
            index: 0,
            filename: null,
            content_type: 'image/gif',
            size: 14,
            content_id: '<a&b@x>',
            inline: true,
          },
        ],
      },
    });
    const { text } = await trap.request('GET', `/dashboard/api/messages/${id}/frame`);
    expect(text).toContain('src="data:image/gif;base64,R0lGODlh');
  });
});
