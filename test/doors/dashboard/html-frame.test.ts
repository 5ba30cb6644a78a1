/** A mail's HTML in the dashboard, in a real browser: unaltered, at its full height, reachable by keys and pointer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { startCanary } from './hostile-mails.ts';
import { goTo } from './screens.ts';

const hasBrowser = haveBrowser();
const canary = startCanary();
let trap: RunningAppliance;
let browser: TestBrowser;
let open: OpenPage;
let page: Page;

beforeAll(async () => {
  if (!hasBrowser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  await trap.request('POST', '/dashboard/api/inboxes', { body: { routing_key: 'reader' } });
  open = await browser.open(`${trap.url}/dashboard/all`);
  ({ page } = open);
});
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
  await canary.stop();
});

const deliver = (html: string, subject = 'x') =>
  trap.deliver('reader@postern.test', { subject, has_html: true, content: { html } });

async function show(html: string): Promise<string> {
  const id = await deliver(html);
  await goTo(page, `/dashboard/all/${id}`);
  await page.locator(`iframe[src*="${id}"]`).waitFor();
  return id;
}

const frame = () => page.frameLocator('iframe');
/** Evaluates an expression in the mail's document. */
const inFrame = (expression: string) =>
  page
    .frames()
    .find((each) => each.url().includes('/frame'))!
    .evaluate(expression);
const height = () => page.evaluate(`document.querySelector('iframe').clientHeight`);
const scrolled = () => page.evaluate(`document.querySelector('[data-scrolls]').scrollTop`);

const WITHIN_MS = 40_000;

/** Waits until the expression is true. The page's policy forbids what Playwright's own waiting needs. */
async function until(
  condition: string,
  evaluate = (expression: string) => page.evaluate(expression),
): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await evaluate(condition))) {
    if (performance.now() > deadline) throw new Error(`never: ${condition}`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
}
const untilHeight = (px: number) => until(`document.querySelector('iframe')?.clientHeight === ${px}`);

describe.skipIf(!hasBrowser)('a mail in the dashboard', () => {
  test('is as tall as its content, so that only the pane around it scrolls', async () => {
    await show('<!doctype html><body style="margin:0"><div style="height:2345px">tall</div>');
    await untilHeight(2345);
    // The frame's own layout follows that of the page.
    await until('document.documentElement.scrollHeight === innerHeight', inFrame);
    await page.getByRole('button', { name: 'Phone' }).click();
    await until(`document.querySelector('iframe')?.clientWidth === 390`);
    await page.getByRole('button', { name: 'Tablet' }).click();
    await until(`document.querySelector('iframe')?.clientWidth === 768`);
    await page.getByRole('button', { name: 'Full width' }).click();
    await untilHeight(2345);
  });

  test('is measured again when a narrower frame makes it taller, and a wider one shorter', async () => {
    await show(
      '<!doctype html><style>@media (max-width:400px){div{height:3000px!important}}</style><body style="margin:0"><div style="height:2000px"></div>',
    );
    await untilHeight(2000);
    await page.getByRole('button', { name: 'Phone' }).click();
    await untilHeight(3000);
    await page.getByRole('button', { name: 'Full width' }).click();
    await untilHeight(2000);
  });

  test('that would grow with its frame forever, or is endless, has a maximum height', async () => {
    await show('<!doctype html><style>html,body{height:100%}</style><p style="height:1500px">x</p>');
    await until(`document.querySelector('iframe')?.clientHeight >= 1500`);
    expect(await height()).toBeLessThan(1_700);
    await show('<!doctype html><div style="height:9000000px"></div>');
    await untilHeight(30_000);
    // Beyond that it scrolls inside.
    expect(await inFrame('getComputedStyle(document.documentElement).overflowY')).toBe('visible');
  });

  test('fills the pane with its own background, from edge to edge', async () => {
    await show('<html dir="rtl" lang="he"><body bgcolor="#223344">x</body></html>');
    await until(`document.querySelector('iframe')?.clientHeight > 300`);
    const [box, pane] = await Promise.all([
      page.locator('iframe').boundingBox(),
      page.locator('[data-scrolls]').boundingBox(),
    ]);
    expect(box!.width).toBe(pane!.width);
    expect(Math.round(box!.y + box!.height)).toBe(Math.round(pane!.y + pane!.height));
    expect(await frame().locator('html').getAttribute('dir')).toBe('rtl');
  });

  test('says once what was removed from it', async () => {
    await show('<form><input></form><script>1</script><script>2</script><p>x</p>');
    await page.getByText('Removed: a form, a form field, 2 scripts').waitFor();
    await show('<p>nothing</p>');
    await page.getByText('Removed:').waitFor({ state: 'detached' });
  });

  test('is shown in its light or its dark mode, as chosen', async () => {
    await show('<style>p{color:#000}@media (prefers-color-scheme:dark){p{color:#fff}}</style><p>text</p>');
    const colour = async () => {
      await frame().getByText('text').waitFor();
      return inFrame(`getComputedStyle(document.querySelector('p')).color`);
    };
    await page.getByRole('button', { name: 'Dark', exact: true }).click();
    await until(`document.querySelector('iframe')?.src.includes('dark=true')`);
    expect(await colour()).toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Light', exact: true }).click();
    await until(`!document.querySelector('iframe')?.src.includes('dark=true')`);
    expect(await colour()).toBe('rgb(0, 0, 0)');
  });
});

describe.skipIf(!hasBrowser)('in the frame', () => {
  test('a link asks with its whole address before it opens, in a tab that can’t see the page', async () => {
    const url = `${canary.bird}/linked?token=${'a'.repeat(300)}`;
    await show(`<p><a href="${url}" target="_top" rel="opener">read on</a></p>`);
    await frame().getByRole('link', { name: 'read on' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open this link?' });
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain('a'.repeat(300));
    expect(canary.asked).toEqual([]);
    const [tab] = await Promise.all([
      open.context.waitForEvent('page'),
      dialog.getByRole('link', { name: /^Open/ }).click(),
    ]);
    await tab.waitForLoadState();
    expect(canary.asked.find(({ path }) => path === '/linked')).toEqual({ path: '/linked', referer: null });
    expect(await tab.evaluate('window.opener === null')).toBe(true);
    await tab.close();
  });

  test('a link is shown as the browser requests it, whatever its spelling', async () => {
    const links: [name: string, href: string, shown: string][] = [
      ['capitals', 'HTTPS://EXAMPLE.COM/Path', 'https://example.com/Path'],
      ['another script', 'https://аррӏе.example/login', 'https://xn--80ak6aa92e.example/login'],
      ['a user', 'https://bank.example@evil.example/in', 'https://bank.example@evil.example/in'],
      ['a turn', 'https://evil.example/\u202emoc.knab', 'https://evil.example/%E2%80%AEmoc.knab'],
      ['a mail', 'mailto:a\u202e@evil.example', 'mailto:a%E2%80%AE@evil.example'],
    ];
    await show(links.map(([name, href]) => `<p><a href="${href}">${name}</a></p>`).join(''));
    for (const [name, , shown] of links) {
      await frame().getByRole('link', { name }).click();
      const dialog = page.getByRole('dialog', { name: 'Open this link?' });
      expect([name, await dialog.locator('p.font-mono').textContent()]).toEqual([name, shown]);
      await page.keyboard.press('Escape');
    }
  });

  test('only web and mail links are offered to open, and an anchor scrolls the pane', async () => {
    await show(
      '<p><a href="tel:+49301234">call</a> <a href="#end">end</a> <a href="mailto:a@b.example">write</a></p><div style="height:3000px"></div><p id="end">END</p>',
    );
    await until(`document.querySelector('iframe')?.clientHeight > 3000`);
    await frame().getByRole('link', { name: 'call' }).click();
    await frame().getByRole('link', { name: 'end' }).click();
    await until(`document.querySelector('[data-scrolls]').scrollTop > 1000`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.evaluate(`document.querySelector('[data-scrolls]').scrollTop = 0`);
    await frame().getByRole('link', { name: 'write' }).click();
    await page.getByRole('dialog').getByText('mailto:').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await scrolled()).toBe(0);
  });

  test('keys work after a click', async () => {
    const ids = [await deliver('<p>older</p>', 'older'), await deliver('<p>newer</p>', 'newer')];
    await page.reload();
    await page.getByRole('link', { name: 'newer' }).click();
    await frame().getByText('newer').click();
    await page.keyboard.press('j');
    await frame().getByText('older').click();
    expect(page.url()).toEndWith(ids[0]!);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await frame().getByText('older').click();
    await page.keyboard.press('/');
    await until(`document.activeElement.matches('input')`);
  });

  test('a message from another window does nothing', async () => {
    await show('<p>quiet</p>');
    await until(`document.querySelector('iframe')?.clientHeight > 300`);
    await page.evaluate(
      `postMessage({ mail: { link: 'https://forged.example/', height: 77, key: '?' } }, '*')`,
    );
    await page.evaluate('new Promise((done) => setTimeout(done, 50))');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await height()).toBeGreaterThan(300);
  });
});

describe.skipIf(!hasBrowser)('the layout', () => {
  test('switches to a full page and back by one key, at the same address', async () => {
    await show('<p>wide</p>');
    const before = page.url();
    await frame().getByText('wide').click();
    await page.keyboard.press('f');
    await until(`document.querySelector('iframe')?.clientWidth === innerWidth`);
    expect(await page.getByRole('tablist').isVisible()).toBe(false);
    expect(page.url()).toBe(before);
    expect(await open.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('tablist').waitFor();
    expect(page.url()).toBe(before);
  });

  test('remembers that the list is folded, and how wide keys or pointer made the panes', async () => {
    await show('<p>beside the list</p>');
    const separator = page.getByRole('separator', { name: 'Width of the message list' });
    const untilPx = (px: string) =>
      until(`document.querySelector('[aria-label="Width of the message list"]').ariaValueNow === '${px}'`);
    const width = async () =>
      (await page.getByRole('region', { name: 'Messages', exact: true }).boundingBox())?.width;
    await separator.press('ArrowRight');
    await untilPx('400');
    const { x, y } = (await separator.boundingBox())!;
    await page.mouse.move(x + 4, y + 300);
    await page.mouse.down();
    // Across the mail's frame, which must not capture the pointer.
    for (const by of [25, 50, 75, 100]) {
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await page.mouse.move(x + 4 + by, y + 300 + by);
    }
    await page.mouse.up();
    await untilPx('500');
    await page.reload();
    await separator.waitFor();
    expect(Math.round((await width()) ?? 0)).toBe(499);
    await separator.press('End');
    await untilPx('720');
    await separator.dblclick();
    await untilPx('384');
    await page.keyboard.press('w');
    await separator.waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('button', { name: 'Show list' }).click();
    await separator.waitFor();
  });
});

describe.skipIf(!hasBrowser)('a hostile mail', () => {
  test.each([
    ['5 MB of HTML', () => `<p>${'word '.repeat(150)}</p>\r\n`.repeat(7_000)],
    ['100,000 nested elements', () => '<div>\r\n'.repeat(100_000)],
    ['30,000 open links', () => '<a href="https://x.example">\r\n'.repeat(30_000)],
    [
      'one picture ten thousand times',
      () => `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">\r\n`.repeat(10_000),
    ],
  ])(
    'of %s is shown or refused, and the next one can be read as usual',
    async (_, compose) => {
      const raw = `From: a@b.example\r\nSubject: large\r\nContent-Type: text/html\r\n\r\n${compose()}\r\n`;
      const { sendMail } = await import('../../peers/smtp-client.ts');
      await sendMail({ port: trap.smtpPort, from: 'a@b.example', to: ['big@postern.test'], raw });
      const { json } = await trap.request('GET', '/dashboard/api/messages?limit=1');
      const answered = page.waitForResponse(`**/messages/${json.data[0].id}/frame*`, { timeout: WITHIN_MS });
      await goTo(page, `/dashboard/all/${json.data[0].id}`);
      expect([200, 429]).toContain((await answered).status());
      await until(`document.querySelector('iframe')?.clientHeight > 300`);
      await show('<!doctype html><body style="margin:0"><div style="height:1111px"></div>');
      await untilHeight(1111);
    },
    60_000,
  );

  test('covers nothing but its own frame', async () => {
    await show(
      '<style>html{overflow:auto!important}div{position:fixed;inset:-9999px;z-index:2147483647;background:red}</style><div></div><p>x</p>',
    );
    await page.getByRole('button', { name: 'Delete', exact: true }).click({ trial: true });
    await page.getByRole('tab', { name: 'Source' }).click({ trial: true });
  });
});

describe.skipIf(!hasBrowser)('on a phone', () => {
  test('a mail that is wider than the screen is scaled to fit, and shown at full size on a tap', async () => {
    const id = await deliver(
      '<!doctype html><body style="margin:0"><table width="605" style="height:900px"><tr><td>wide</td></tr></table>',
    );
    const before = await deliver('<!doctype html><p>before</p>');
    const phone = await browser.open(`${trap.url}/dashboard/all/${before}`, { phone: true });
    // Percentages of the checks have decimals; this one is a whole number.
    await phone.page.getByRole('tab', { name: 'Checks' }).click();
    await phone.page.getByRole('img', { name: /of what Gmail shows$/ }).waitFor();
    await goTo(phone.page, `/dashboard/all/${id}`);
    const untilPhone = async (condition: string) => {
      const deadline = performance.now() + WITHIN_MS;
      while (!(await phone.page.evaluate(condition))) {
        if (performance.now() > deadline) throw new Error(`never: ${condition}`);
        await phone.page.evaluate('new Promise((done) => requestAnimationFrame(done))');
      }
    };
    const box = `document.querySelector('iframe')?.getBoundingClientRect()`;
    await untilPhone(
      `${box} && Math.round(${box}.width) === innerWidth && ${box}.height > 580 && ${box}.height < 590`,
    );
    const button = phone.page.getByRole('button', { name: /^Full size/ });
    expect(await button.textContent()).toBe('Full size64%');
    expect(await phone.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await phone.violations()).toEqual([]);
    await button.click();
    await untilPhone(`${box}.height >= 900 && Math.round(${box}.width) === innerWidth`);
    await button.click();
    await untilPhone(`${box}.height < 590`);
    // A mail that adapts to the screen keeps its size.
    const other = await deliver('<!doctype html><p>narrow</p>');
    await goTo(phone.page, `/dashboard/all/${other}`);
    await untilPhone(`document.querySelector('iframe')?.src.includes('${other}') && ${box}.height > 100`);
    expect(await button.count()).toBe(0);
    expect(phone.faults).toEqual([]);
    await phone.close();
  }, 60_000);

  test('a mail that would be wider in any frame is scaled a few times at most', async () => {
    const id = await deliver('<!doctype html><div style="width:140%;height:50px">x</div>');
    const phone = await browser.open(`${trap.url}/dashboard/all/${id}`, { phone: true });
    await phone.page.getByRole('button', { name: /^Full size/ }).waitFor();
    await phone.page.evaluate('new Promise((done) => setTimeout(done, 600))');
    const width = await phone.page.evaluate(`document.querySelector('iframe').clientWidth`);
    expect(width).toBeLessThan(1_200);
    await phone.close();
  }, 60_000);
});
