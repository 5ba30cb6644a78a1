/** The list in a real browser: its search, its rows, and what acts on them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, type OpenPage } from '../../peers/browser.ts';
import { useTrapPages } from './trap-pages.ts';

/** How long an Undo is offered (src/web/toast.tsx); then a deletion reaches the server. */
const UNDO_MS = 8_000;

const hasBrowser = haveBrowser();
const pages = useTrapPages();
const { mail, onPage } = pages;

const subjects = async (page: Page) =>
  (await page.locator('main li a').allInnerTexts()).map((text) => text.replace(/^Unread:\s*/, '').trim());
const box = (page: Page) => page.getByRole('combobox', { name: 'Search mail' });
const row = (page: Page, name: string | RegExp) => page.getByRole('link', { name });
const query = (page: Page) => new URL(page.url()).searchParams.get('q');

describe.skipIf(!hasBrowser)('the search', () => {
  beforeAll(async () => {
    if (!hasBrowser) return;
    await mail(['find@a.test'], 'Order 12', 'Your parcel is on its way.', 'The Shop <hello@shop.example>');
    await mail(['find@a.test'], 'Your code', 'Your code is 482913.', 'Bank <no-reply@bank.example>');
    await mail(['find+tag@a.test'], 'Nightly\r\nX-Tags: ci', 'foo:bar', 'CI <ci@build.example>');
  });

  test('suggests tokens and their values, by keyboard alone', async () => {
    await onPage('/dashboard/all', async ({ page }) => {
      await row(page, /Order 12/).waitFor();
      await page.keyboard.press('/');
      const options = page.getByRole('option');
      await options.getByText('from:', { exact: true }).waitFor();
      await page.keyboard.type('fr');
      expect(await options.count()).toBe(1);
      await page.keyboard.press('Tab');
      expect(await box(page).inputValue()).toBe('from:');
      await page.keyboard.type('sho');
      await options.getByText('from:hello@shop.example').waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await box(page).getAttribute('aria-activedescendant')).toBe('suggestion-0');
      await page.keyboard.press('Enter');
      expect(await box(page).inputValue()).toBe('from:hello@shop.example ');
      expect(await box(page).getAttribute('aria-expanded')).toBe('false');
      await row(page, /Your code/).waitFor({ state: 'detached' });
      expect(await subjects(page)).toEqual(['Order 12']);
      await page.keyboard.type('-is:');
      expect(await options.allInnerTexts()).toEqual(['-is:read', '-is:unread']);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Tab');
      expect(await box(page).inputValue()).toBe('from:hello@shop.example -is:unread ');
      await page.getByText('No matching messages').waitFor();
      // Tab leads from an empty field to the next control, past the list that closes.
      await box(page).fill('');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Unread');
      await box(page).focus();
      // Escape closes the list, then leaves the field.
      await page.keyboard.type('has:');
      await options.first().waitFor();
      await page.keyboard.press('Escape');
      expect(await box(page).getAttribute('aria-expanded')).toBe('false');
      await page.keyboard.press('Escape');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
    });
  });

  test('suggests inboxes, recipients and tags that the page knows', async () => {
    await onPage('/dashboard/all', async ({ page, violations }) => {
      await row(page, /Order 12/).waitFor();
      await box(page).pressSequentially('-h');
      await page.keyboard.press('ArrowDown');
      expect(await violations()).toEqual([]);
      const list = async (text: string) => {
        await box(page).fill('');
        await box(page).pressSequentially(text);
        await page.getByRole('option').first().waitFor();
        return page.getByRole('option').locator('span:first-child').allInnerTexts();
      };
      expect(await list('inbox:fin')).toEqual(['inbox:find@a.test']);
      expect(await list('to:find+')).toEqual(['to:find+tag@a.test']);
      expect(await list('tag:')).toEqual(['tag:ci']);
      expect(await list('has:')).toEqual(['has:code', 'has:link', 'has:attachment', 'has:html']);
    });
  });

  test('is in the address: a link shows it, and back and forward go through it', async () => {
    await onPage('/dashboard/all?q=has%3Acode', async ({ page }) => {
      await row(page, /Your code/).waitFor();
      expect(await box(page).inputValue()).toBe('has:code');
      expect(await subjects(page)).toEqual(['Your code']);
      expect(await page.getByRole('button', { name: 'Codes' }).getAttribute('aria-pressed')).toBe('true');
      await page.getByRole('button', { name: 'Codes' }).click();
      await row(page, /Order 12/).waitFor();
      expect(query(page)).toBe(null);
      await box(page).fill('order');
      await page.waitForURL('**/all?q=order');
      await row(page, /Your code/).waitFor({ state: 'detached' });
      await row(page, /Order 12/).click();
      await page.getByRole('article').getByText('Your parcel').waitFor();
      // The open message keeps it too.
      expect(query(page)).toBe('order');
      await page.goBack();
      await page.goBack();
      await row(page, /Your code/).waitFor();
      expect(await box(page).inputValue()).toBe('');
      await page.goBack();
      await page.waitForURL('**/all?q=has%3Acode');
      await page.goForward();
      await page.goForward();
      await row(page, /Your code/).waitFor({ state: 'detached' });
      expect(await box(page).inputValue()).toBe('order');
      // A link elsewhere leaves it.
      await page.getByRole('link', { name: /^All mail/ }).click();
      await row(page, /Your code/).waitFor();
      expect([query(page), await box(page).inputValue()]).toEqual([null, '']);
    });
  });

  test('searches for anything that is not a token as text, and says so', async () => {
    await onPage('/dashboard/all?q=foo%3Abar', async ({ page }) => {
      await page.getByText('Unknown filter “foo:”. Searched as text.').waitFor();
      await row(page, /Nightly/).waitFor();
      expect(await subjects(page)).toEqual(['Nightly']);
      await box(page).fill('after:yesterday');
      await page.getByText(/^“after:” must be a date .*Searched as text\.$/).waitFor();
      // A token that has no value yet is not an error.
      await box(page).fill('order is:');
      await row(page, /Order 12/).waitFor();
      await page.getByText('Searched as text').waitFor({ state: 'detached' });
    });
  });

  test('has its tokens as chips to remove, and without a match says what to try', async () => {
    const { json } = await pages.trap.request('GET', '/dashboard/api/inboxes?q=find@a');
    await onPage(
      `/dashboard/inbox/${json.data[0].id}?q=from%3Ashop+-tag%3Aci+zebra`,
      async ({ page, violations }) => {
        await page.getByText('No matching messages').waitFor();
        expect(await violations()).toEqual([]);
        await page.getByRole('button', { name: 'Search all mail' }).click();
        await page.waitForURL('**/all?q=**');
        await page.getByRole('button', { name: 'Without zebra' }).click();
        await row(page, /Order 12/).waitFor();
        await page.getByRole('button', { name: 'Remove -tag:ci' }).click();
        await page.waitForURL('**/all?q=from%3Ashop');
        await page.getByRole('button', { name: 'Remove from:shop' }).click();
        await row(page, /Your code/).waitFor();
      },
    );
  });
});

describe.skipIf(!hasBrowser)('a mail to several recipients', () => {
  test('is one row, which is read and deleted as a whole', async () => {
    await mail(['one@many.test', 'two@many.test', 'three@many.test'], 'To three', 'All of you.');
    const play = async ({ page }: OpenPage) => {
      await row(page, /To three/).waitFor();
      expect(await subjects(page)).toEqual(['To three']);
      await page.getByTitle('one@many.test\ntwo@many.test\nthree@many.test').getByText('+2').waitFor();
      const marked = page.waitForResponse(/messages\/mark$/);
      await row(page, /To three/).click();
      await page.getByRole('article').getByText('All of you.').waitFor();
      await page.getByRole('link', { name: 'Unread: To three' }).waitFor({ state: 'detached' });
      await marked;
      const unread = await pages.trap.request(
        'GET',
        '/dashboard/api/messages?search=subject:three%20is:unread',
      );
      expect(unread.json.data).toEqual([]);
      await page.keyboard.press('#');
      await page.getByText('Message deleted for its 3 recipients').waitFor();
      await page.getByText('No matching messages').waitFor();
      await page.keyboard.press('z');
      await row(page, /To three/).click();
      await page.getByRole('article').getByText('All of you.').waitFor();
      const deleted = page.waitForResponse(/messages\/delete$/);
      await page.keyboard.press('#');
      await page.getByText('No matching messages').waitFor();
      await page.clock.fastForward(UNDO_MS);
      await deleted;
      const left = await pages.trap.request('GET', '/dashboard/api/messages?search=subject:three');
      expect(left.json.data).toEqual([]);
    };
    await onPage('/dashboard/all?q=many.test', play, { ownClock: true });
  });
});

describe.skipIf(!hasBrowser)('rows', () => {
  test('show the beginning of the text, the size and every recipient, wide and beside a message', async () => {
    await mail(['rows+x@a.test'], 'A row', 'First line\r\n\r\n  and the second.');
    await onPage('/dashboard/all?q=subject%3A%22a+row%22', async ({ page }) => {
      const item = page.getByRole('listitem').filter({ hasText: 'A row' });
      for (const piece of ['First line and the second.', 'to rows+x@a.test', /\d+ B/])
        await item.getByText(piece).waitFor();
      const wide = (await item.boundingBox())!;
      await row(page, /A row/).click();
      await page.getByRole('article').waitFor();
      for (const piece of ['First line and the second.', 'to rows+x@a.test'])
        await item.getByText(piece).waitFor();
      expect((await item.boundingBox())!.width).toBeLessThan(wide.width / 2);
      await page.getByRole('button', { name: 'Compact rows' }).click();
      await page.reload();
      await page.getByRole('button', { name: 'Comfortable rows' }).waitFor();
      await page.getByRole('article').waitFor();
      expect((await item.boundingBox())!.height).toBe(56);
    });
  });

  test('are beside the message at 1024 pixels', async () => {
    await mail(['beside@a.test'], 'Side by side', 'x');
    await onPage(
      '/dashboard/all',
      async ({ page }) => {
        await row(page, /Side by side/).click();
        await page.getByRole('article').waitFor();
        expect(await row(page, /Side by side/).isVisible()).toBe(true);
      },
      { size: { width: 1024, height: 768 } },
    );
  });

  test('are the first page on a phone, and the inboxes are behind them', async () => {
    await mail(['pocket@a.test'], 'On a phone', 'x');
    await onPage(
      '/dashboard',
      async ({ page, violations }) => {
        await row(page, /On a phone/).waitFor();
        expect(await violations()).toEqual([]);
        await page.getByRole('button', { name: 'Inboxes' }).click();
        await page.getByRole('link', { name: /^pocket/ }).click();
        await page.waitForURL('**/inbox/**');
        await row(page, /On a phone/).click();
        await page.getByRole('article').waitFor();
        expect(await row(page, /On a phone/).isVisible()).toBe(false);
        await page.getByRole('button', { name: 'Back to list' }).click();
        await row(page, /On a phone/).waitFor();
      },
      { phone: true },
    );
  });
});

describe.skipIf(!hasBrowser)('deleting', () => {
  test('opens and marks nothing, and leaves the cursor, where keys act, in the message’s place', async () => {
    for (const subject of ['d4', 'd3', 'd2', 'd1']) await mail(['del@a.test'], subject, 'x');
    await onPage('/dashboard/all?q=del%40a', async ({ page }) => {
      await row(page, /d1/).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      const title = page.getByRole('article').getByRole('heading', { level: 2 });
      await title.getByText('d2').waitFor();
      await page.keyboard.press('#');
      await page.getByText('Message deleted').waitFor();
      await page.getByText('No message selected').waitFor();
      expect(await subjects(page)).toEqual(['d1', 'd3', 'd4']);
      await row(page, 'Unread: d3').waitFor();
      // The row that took its place is next, and can be deleted without opening it.
      await page.keyboard.press('#');
      await row(page, /d3/).waitFor({ state: 'detached' });
      await page.keyboard.press('j');
      await title.getByText('d4').waitFor();
      await page.keyboard.press('u');
      await page.getByText('No message selected').waitFor({ state: 'detached' });
      await page.keyboard.press('k');
      await title.getByText('d1').waitFor();
    });
  });

  test('all of a list includes messages that are not loaded, and spares other mail', async () => {
    for (let nth = 0; nth < 130; nth++) await mail(['heap@a.test'], `heap ${nth}`, 'x');
    await mail(['other@a.test'], 'stays', 'x');
    const play = async ({ page }: OpenPage) => {
      await row(page, /heap 129/).waitFor();
      await page.getByRole('button', { name: 'Mark all as read' }).click();
      await page
        .getByRole('link', { name: /^Unread/ })
        .first()
        .waitFor({ state: 'detached' });
      await page.getByText('Marked 130 messages as read').waitFor();
      const unread = await pages.trap.request(
        'GET',
        '/dashboard/api/messages?search=subject:heap%20is:unread',
      );
      expect(unread.json.data).toEqual([]);
      const deleted = page.waitForResponse(/messages\/delete-listed$/);
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByText('All matching messages deleted').waitFor();
      await page.getByText('No matching messages').waitFor();
      await page.clock.fastForward(UNDO_MS);
      expect((await (await deleted).json()).data).toEqual({ changed: 130 });
      await page.getByRole('button', { name: 'Clear search' }).last().click();
      await row(page, /stays/).waitFor();
    };
    await onPage('/dashboard/all?q=subject%3Aheap', play, { ownClock: true });
  }, 30_000);
});
