/** Mail in a real browser, as a tester uses it to watch a test run. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser } from '../../peers/browser.ts';
import { useTrapPages } from './trap-pages.ts';

const hasBrowser = haveBrowser();
const pages = useTrapPages();
const { mail, onPage } = pages;

async function newInbox(routingKey: string): Promise<string> {
  const { json } = await pages.trap.request('POST', '/dashboard/api/inboxes', {
    body: { routing_key: routingKey },
  });
  return json.data.id;
}

const subjects = (page: Page) => page.locator('main li a').allInnerTexts();

describe.skipIf(!hasBrowser)('the list', () => {
  test('shows a message within two seconds of its 250, with its code, and counts it in the title', async () => {
    await onPage('/dashboard', async ({ page }) => {
      await page.getByRole('heading', { name: 'Waiting for your first mail' }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await mail('first@shop.example', 'Hello there', 'Your code is 493817.');
      const storedAt = performance.now();
      await page.getByRole('link', { name: 'Hello there' }).waitFor();
      expect(performance.now() - storedAt).toBeLessThan(2_000);
      await page.getByRole('button', { name: 'Copy code 493817' }).click();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('493817');
      expect(await page.title()).toBe('(1) Postern');
      // Capture mode created its inbox, and the sidebar shows it.
      await page.getByRole('link', { name: /^first/ }).waitFor();
    });
  });

  test('shows two tags of a message and how many more there are, and the message shows all', async () => {
    const inbox = await newInbox('chips');
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page }) => {
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await mail('chips@postern.test', 'Build failed\r\nX-Tags: nightly, sign-up, third', 'x');
      await page.locator('main').getByTitle('nightly, sign-up, third').getByText('+1').waitFor();
      await page.getByRole('link', { name: 'Build failed' }).click();
      const shown = page.getByRole('list', { name: 'Tags' }).getByRole('listitem');
      await shown.first().waitFor();
      expect(await shown.allInnerTexts()).toEqual(['nightly', 'sign-up', 'third']);
    });
  });

  test('loses nothing and repeats nothing when its connection breaks', async () => {
    const inbox = await newInbox('broken');
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page, context, faults }) => {
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await mail('broken@postern.test', 'before', 'x');
      await page.getByRole('link', { name: 'before' }).waitFor();
      await context.setOffline(true);
      pages.trap.services.liveRoom.stop();
      await page.getByText('Disconnected. Reconnecting…').waitFor();
      await page.getByRole('link', { name: 'before' }).click();
      await page.getByText('The server is not responding.').first().waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      for (const subject of ['while away 1', 'while away 2']) await mail('broken@postern.test', subject, 'x');
      await context.setOffline(false);
      await page.getByRole('link', { name: 'while away 2' }).waitFor();
      // What arrived in the meantime appears without a reload.
      await page.getByRole('heading', { name: 'before' }).waitFor();
      expect(await subjects(page)).toEqual(
        ['while away 2', 'while away 1', 'before'].map((subject) => expect.stringContaining(subject)),
      );
      faults.length = 0;
    });
  });

  test('is updated in every tab over one connection, which another tab takes over', async () => {
    const inbox = await newInbox('tabs');
    let streams = 0;
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page, context }) => {
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      context.on('request', (request) => {
        if (request.url().includes('/dashboard/api/live')) streams += 1;
      });
      const second = await context.newPage();
      await second.goto(page.url());
      await second.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await mail('tabs@postern.test', 'to both', 'x');
      await page.getByRole('link', { name: 'to both' }).waitFor();
      await second.getByRole('link', { name: 'to both' }).waitFor();
      expect(streams).toBe(0);
      const takenOver = context.waitForEvent('request', (request) => request.url().includes('/api/live'));
      await page.close();
      await takenOver;
      await mail('tabs@postern.test', 'to who is left', 'x');
      await second.getByRole('link', { name: 'to who is left' }).waitFor();
    });
  });

  test('keeps only visible rows in the document, and loads more while scrolling', async () => {
    const inbox = await newInbox('many');
    await Promise.all(
      Array.from({ length: 350 }, (_, index) =>
        pages.trap.deliver('many@postern.test', { subject: `message ${index}` }),
      ),
    );
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page }) => {
      const list = page.getByRole('region', { name: 'Messages, newest first' });
      await list.waitFor();
      // Each page loaded makes the list longer, until it contains the very first message.
      const last = list.locator('[aria-posinset="350"]');
      while ((await last.count()) === 0) {
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        await last.waitFor({ timeout: 200 }).catch(() => {});
      }
      expect(await list.getByRole('listitem').count()).toBeLessThan(60);
    });
  });

  test('filters by words, by unread messages and by codes', async () => {
    const inbox = await newInbox('search');
    await mail('search@postern.test', 'Grüße aus Köln', 'hello');
    await mail('search@postern.test', 'Your code', 'Your code is 771204.');
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page }) => {
      await page.getByRole('link', { name: 'Your code' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('KÖLN from:ann');
      await page.getByRole('link', { name: 'Your code' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Grüße' }).waitFor();
      expect(await subjects(page)).toEqual([expect.stringContaining('Grüße aus Köln')]);
      await page.getByPlaceholder('Search mail').fill('');
      await page.getByRole('button', { name: 'Codes' }).click();
      await page.getByRole('link', { name: 'Grüße' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Your code' }).waitFor();
      expect(await subjects(page)).toEqual([expect.stringContaining('Your code')]);
      // New mail goes through the same filter.
      await mail('search@postern.test', 'no code in here', 'x');
      await mail('search@postern.test', 'Another', 'Your code is 771205.');
      await page.getByRole('link', { name: 'Another' }).waitFor();
      expect(await subjects(page)).toHaveLength(2);
      // A token that the server does not know is searched as text, and the page says so.
      await mail('search@postern.test', 'Re: 12:30', 'x');
      await page.getByPlaceholder('Search mail').fill('Re: -nope:x');
      await page.getByRole('link', { name: 'Re: 12:30' }).waitFor();
      expect(await subjects(page)).toHaveLength(1);
      await page.getByText('Unknown filter “nope:”. Searched as text.').waitFor();
    });
  });
});

describe.skipIf(!hasBrowser)('by keyboard alone', () => {
  test('a person goes through messages, copies a code, marks, deletes, and returns to the list', async () => {
    const inbox = await newInbox('keys');
    for (const subject of ['one', 'two', 'three'])
      await mail('keys@postern.test', subject, 'Your code is 552901.');
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page }) => {
      const title = page.getByRole('article').getByRole('heading', { level: 2 });
      await page.getByRole('link', { name: 'three' }).waitFor();
      await page.keyboard.press('j');
      await title.getByText('three').waitFor();
      await page.keyboard.press('j');
      await title.getByText('two').waitFor();
      await page.keyboard.press('c');
      await page.getByText('Code 552901 copied').waitFor();
      await page.getByRole('button', { name: 'Mark as unread' }).waitFor();
      await page.keyboard.press('e');
      await page.getByRole('link', { name: 'Unread: two' }).waitFor();
      await page.keyboard.press('#');
      await page.getByText('Message deleted').waitFor();
      // The next one does not open by itself.
      await page.getByText('No message selected').waitFor();
      await page.keyboard.press('j');
      await title.getByText('one').waitFor();
      await page.keyboard.press('k');
      await title.getByText('three').waitFor();
      await page.keyboard.press('j');
      await title.getByText('one').waitFor();
      await page.keyboard.press('u');
      await page.getByRole('article').waitFor({ state: 'detached' });
      expect(new URL(page.url()).pathname).toBe(`/dashboard/inbox/${inbox}`);
      expect(await subjects(page)).toHaveLength(2);
    });
  });

  test('the palette opens an inbox by part of its name, and ? shows the shortcuts', async () => {
    const inbox = await newInbox('far-away');
    await onPage('/dashboard', async ({ page }) => {
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('far-aw');
      await page.getByRole('option', { name: 'far-away@postern.test' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/dashboard/inbox/${inbox}`);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  });

  test('the palette has the focus before the next key can arrive', async () => {
    await onPage('/dashboard', async ({ page }) => {
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      const focused = await page.evaluate(`(async () => {
        dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
        // Components are rendered in microtasks, and the next key is a task.
        await new Promise((done) => setTimeout(done));
        return document.activeElement.role;
      })()`);
      expect(focused).toBe('combobox');
    });
  });
});

describe.skipIf(!hasBrowser)('a message', () => {
  test('says in the Delivery tab why its code and its link were chosen', async () => {
    const inbox = await newInbox('why');
    await mail(
      'why@postern.test',
      'Sign in',
      'Your verification code is 482913. Or sign in here: https://app.example/login?token=9fK2mQ7xWb3LtZ8r',
    );
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page }) => {
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('tab', { name: 'Delivery' }).click();
      await page
        .getByRole('region', { name: 'Code candidates' })
        .getByText(/Chosen because .*beside it/)
        .waitFor();
      await page
        .getByRole('region', { name: 'Magic link' })
        .getByText(/Chosen because its /)
        .waitFor();
    });
  });

  test('is marked read when it is opened, and the counts follow', async () => {
    const inbox = await newInbox('reading');
    await mail('reading@postern.test', 'Read me', 'x');
    await onPage(`/dashboard/inbox/${inbox}`, async ({ page }) => {
      const entry = page.getByRole('navigation', { name: 'Inboxes' }).getByRole('link', { name: /^reading/ });
      await entry.getByText('1 unread').waitFor();
      const marked = page.waitForResponse('**/messages/mark');
      await page.getByRole('link', { name: 'Unread: Read me' }).click();
      await marked;
      await entry.getByText('unread').waitFor({ state: 'detached' });
      const { json } = await pages.trap.request('GET', `/dashboard/api/inboxes/${inbox}/messages?read=false`);
      expect(json.data).toEqual([]);
    });
  });

  test('opened by its address is shown as read in the list, whichever loads first', async () => {
    const inbox = await newInbox('direct');
    await mail('direct@postern.test', 'By address', 'x');
    const { json } = await pages.trap.request('GET', `/dashboard/api/inboxes/${inbox}/messages`);
    await onPage('/healthz', async ({ page }) => {
      // The list is requested before the message is marked, and answered after.
      await page.route('**/messages?*', async (route) => {
        const answer = await route.fetch();
        await page.getByRole('button', { name: 'Mark as unread' }).waitFor();
        await route.fulfill({ response: answer });
      });
      await page.goto(`${pages.trap.url}/dashboard/inbox/${inbox}/${json.data[0].id}`);
      await page.getByRole('link', { name: 'By address', exact: true }).waitFor();
      // The list may be asked for once more: its answer must not outlive the page.
      await page.unrouteAll({ behavior: 'wait' });
    });
  });

  test('has a page of its own on a phone, with a way back', async () => {
    const inbox = await newInbox('phone');
    await mail('phone@postern.test', 'On the road', 'x');
    await onPage(
      '/dashboard/inboxes',
      async ({ page }) => {
        await page.getByRole('link', { name: /^phone/ }).click();
        await page.getByRole('link', { name: 'On the road' }).click();
        await page.getByRole('button', { name: 'Back to list' }).click();
        await page.getByRole('button', { name: 'Inboxes' }).click();
        await page.getByRole('link', { name: /^phone/ }).waitFor();
        expect(new URL(page.url()).pathname).toBe('/dashboard/inboxes');
        expect(inbox).toStartWith('inbox_');
      },
      { phone: true },
    );
  });
});

describe.skipIf(!hasBrowser)('many messages and inboxes', () => {
  test('an inbox is created with a chosen address that is copied, and deleted; a bad address is reported at its field', async () => {
    await onPage('/dashboard/all', async ({ page }) => {
      await page.getByRole('button', { name: 'New inbox' }).click();
      const form = page.getByRole('dialog', { name: 'New inbox' });
      const address = form.getByRole('textbox', { name: /^Address/ });
      await address.fill('a b');
      await form.getByRole('button', { name: 'Create and copy address' }).click();
      await form.getByRole('alert').getByText('must have 3 to 64 characters').waitFor();
      // A screen reader reads the error with the field, where it was the hint before.
      const described = await address.getAttribute('aria-describedby');
      expect(await form.locator(`[id="${described}"]`).textContent()).toStartWith('This must have 3 to 64');
      await address.fill('chosen-one');
      await form.getByRole('button', { name: 'Create and copy address' }).click();
      await page.waitForURL('**/dashboard/inbox/*');
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('chosen-one@postern.test');
      await page.getByRole('button', { name: 'Delete inbox' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete inbox' }).click();
      await page.getByText('Inbox deleted').waitFor();
      await page.getByRole('link', { name: /^chosen-one/ }).waitFor({ state: 'detached' });
    });
  });
});
