/** Mail in the browser's own language: no English is left, nothing is cut off, and axe finds nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { areas, readWords } from '../../../scripts/words.ts';
import type { Language } from '../../../src/web/words/locale.ts';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { goTo } from './screens.ts';

const hasBrowser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;
let ids: string[];
let emptyInbox: string;

/** The mails are in Greek, so every Latin word on a page belongs to the page. */
const html = `<body style="color:#777;background:#eee"><form><input></form><video></video><p style="display:flex">Ο κωδικός επαλήθευσης είναι <b>493817</b></p>
<a href="https://shop.test/auth/magic?token=8f2c1e9ab4d7">Σύνδεση</a> <a href="">α</a><img src="https://shop.test/1.png">`;
const part = (type: string, body: string) => `--x\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const mails = [
  `From: Ω <a@shop.test>\r\nTo: b@shop.test\r\nSubject: 1\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\nList-Unsubscribe: <http://shop.test/>\r\n\r\n${part('text/html; charset=utf-8', html)}${part('application/pdf; name=1.pdf', 'x')}--x--\r\n`,
  'Date: 0\r\nMessage-ID: 1\r\nFrom: a\r\nTo: a\r\n\r\n493817\r\n',
  'From: a@shop.test\r\nFrom: b@shop.test\r\n\r\n',
];

beforeAll(async () => {
  if (!hasBrowser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  const input = { routing_key: '000' };
  emptyInbox = (await trap.request('POST', '/dashboard/api/inboxes', { body: input })).json.data.id;
  for (const [index, raw] of mails.entries()) {
    const to = index === 0 ? ['b@shop.test', 'c@shop.test'] : ['b@shop.test'];
    await sendMail({ port: trap.smtpPort, from: 'a@shop.test', to, raw: Buffer.from(raw).toString('utf8') });
  }
  const list = await trap.request('GET', '/dashboard/api/messages?limit=100');
  // The first of the several messages of one mail.
  const makeMail = (subject: string) =>
    list.json.data.find((row: { subject: string }) => row.subject === subject);
  ids = [
    makeMail('1').id,
    ...list.json.data
      .filter((row: { subject: string }) => row.subject === '')
      .map(({ id }: { id: string }) => id),
  ];
  // Builds the pages, which takes longest on a busy machine.
  await trap.request('GET', '/dashboard');
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
});

const WORD = /[a-zà-ÿß]{3,}/gi;
/** Words that are the same in every language. */
const names = new Set(
  'postern capture https http eml pdf html pass fail none message id esmtp helo'.split(' '),
);

async function readVocabulary(language: Language): Promise<Set<string>> {
  const found = new Set<string>();
  for (const area of areas) {
    for (const text of (await readWords(language, area)).values()) {
      for (const form of ['1', '5']) {
        const shown = typeof text === 'string' ? text : text(form, form, form);
        for (const [word] of shown.replace(/\{\w+\}/g, '').matchAll(WORD)) found.add(word.toLowerCase());
      }
    }
  }
  return found;
}

/**
 * Texts of the page, seen or read out, without what is quoted of a mail and names: those of frameworks, and what
 * caniemail.com calls features and email clients.
 */
const SHOWN = `(() => {
  const quoted = 'iframe, pre, code, bdi, dd, .font-mono, datalist, script, style, noscript';
  const named = '[id^=mailer-], details.group summary, details.group li, details.group a';
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest(quoted + ', [hidden], ' + named) || !element.getClientRects().length) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) found.push(element.getAttribute(name) ?? '');
    for (const node of element.childNodes) if (node.nodeType === 3) found.push(node.data);
  }
  return found.filter((text) => text.trim() !== '');
})()`;

/** What does not fit: a page that scrolls sideways, a label that overflows its button or the window. */
const CUT = `(() => {
  const found = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
  for (const element of document.querySelectorAll('button, a, label, legend, h1, h2, h3, h4, .tag, select')) {
    const { width, right } = element.getBoundingClientRect();
    if (width < 3 || element.closest('.sr-only, .font-mono') || element.matches('.sr-only, .font-mono')) continue;
    const { overflowX, display } = getComputedStyle(element);
    const leaves = element.scrollWidth > element.clientWidth + 1 && overflowX === 'visible' && display !== 'inline';
    if (leaves || (right > innerWidth + 1 && !element.closest('.overflow-x-auto'))) found.push(element.textContent);
  }
  return found;
})()`;

const settled = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const WIDTHS = [1280, 1024, 390];

/** Goes through an empty page, so that nothing of the previous page is mistaken for this one. */
async function goThere(page: Page, path: string, ready: string): Promise<void> {
  await goTo(page, '/dashboard/nowhere');
  await page.locator('.row-link, [role=tablist], dialog').first().waitFor({ state: 'detached' });
  await goTo(page, `/dashboard/${path}`);
  await page.locator(ready).first().waitFor();
}

/** Goes through the pages of Mail, and calls `see` with each. */
async function visit(page: Page, see: (name: string) => Promise<void>): Promise<void> {
  const at = (path: string, ready: string) => goThere(page, path, ready);
  await at('all', '.row-link');
  await see('list');
  await page.getByRole('combobox').click();
  await page.getByRole('option').first().waitFor();
  await see('suggestions');
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox').first().check({ force: true });
  await see('selection');
  await page.keyboard.press('#');
  await page.getByText(/\(z\)/).or(page.locator('button[title$="(z)"]')).waitFor();
  await see('deleted');
  await page.keyboard.press('z');
  await at('all?q=zzz+foo:1+before:1+larger:x+is:1', 'main button >> text=foo:1');
  await page.getByRole('status').getByText('foo:').waitFor();
  await see('search');
  await at(`inbox/${emptyInbox}`, '#mailer-panel');
  await see('first steps');
  await at(`all/${ids[0]}`, '[role=tablist]');
  await page.getByRole('button', { expanded: false }).first().click();
  const tabs = await page.getByRole('tab').count();
  for (let index = 0; index < tabs; index++) {
    const tab = page.getByRole('tab').nth(index);
    await tab.click();
    await page.locator('[role=tabpanel] [role=status]').waitFor({ state: 'detached' });
    const id = await tab.getAttribute('id');
    // The mail's frame reports what was removed from it.
    if (id === 'tab-panel-html') await page.locator('[role=tabpanel] p[title]').waitFor();
    await see(`tab ${id}`);
  }
  for (const [name, key] of [
    ['copy', 'y'],
    ['help', '?'],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
    await see(name);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.locator('.button-main').first().click();
  await page.getByRole('dialog').waitFor();
  await see('open link');
  for (const id of ids.slice(1)) {
    await at(`all/${id}`, '[role=tablist]');
    await page.locator('#tab-panel-checks').click();
    await page.locator('[role=tabpanel] [role=img]').first().waitFor();
    await see(`checks of ${id}`);
  }
  await at('inboxes', 'nav li');
  await page.locator('label:has([type=search]) + button').click();
  await page.getByRole('dialog').waitFor();
  await see('new inbox');
}

/** Pages whose contrast and names axe checks too: the others differ from those of screens.test.ts only in texts. */
const examined = new Set(['list', 'search', 'tab tab-panel-checks', 'tab tab-panel-source']);

async function examine(open: OpenPage, name: string, english: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const { page } = open;
  for (const text of (await page.evaluate(SHOWN)) as string[]) {
    const own = text.replace(/\S*[@:/]\S+|\S+\.\w+/g, ' ');
    const left = Array.from(own.matchAll(WORD), ([word]) => word.toLowerCase()).filter((word) =>
      english.has(word),
    );
    if (left.length > 0) found.push(`${name}: “${text.trim()}” has ${left.join(', ')}`);
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(settled);
    for (const text of (await page.evaluate(CUT)) as string[]) found.push(`${name} at ${width}: ${text}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  if (examined.has(name)) for (const each of await open.violations()) found.push(`${name}: ${each}`);
  return found;
}

describe.skipIf(!hasBrowser).each([
  ['de', 'de-DE'],
  ['ja', 'ja-JP'],
] as const)('a browser of %s', (language, locale) => {
  test('shows Mail completely in that language, with nothing cut off', async () => {
    const own = await readVocabulary(language);
    const english = new Set(
      [...(await readVocabulary('en'))].filter((word) => !own.has(word) && !names.has(word)),
    );
    const open = await browser.open(`${trap.url}/dashboard/all`, { locale });
    expect(await open.page.getAttribute('html', 'lang')).toBe(language);
    const found = new Set<string>();
    await visit(open.page, async (name) => {
      for (const each of await examine(open, name, english)) found.add(each);
    });
    expect([...found, ...open.faults]).toEqual([]);
    await open.close();
  }, 180_000);
});
