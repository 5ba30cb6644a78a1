/** What the dashboard says when the server is lost, slow or full, or when the session has ended; and how it recovers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
import { owner, password } from './visitor.ts';

const hasBrowser = haveBrowser();
let browser: TestBrowser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

const raw = 'From: A <a@b.test>\r\nSubject: Hello\r\n\r\nYour code is 493817\r\n';

describe.skipIf(!hasBrowser)('the dashboard', () => {
  test('says on every page that the server is lost, keeps what it shows, and offers a reload', async () => {
    const capture = await startAppliance({ capture: {} });
    await sendMail({ port: capture.smtpPort, from: 'a@b.test', to: ['one@postern.test'], raw });
    const { page, violations, close } = await browser.open(`${capture.url}/dashboard/all`);
    await page.getByRole('link', { name: /Hello/ }).click();
    await page.getByRole('button', { name: 'Copy code', exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await capture[Symbol.asyncDispose]();
    await page.getByRole('alert').getByText('Connection lost.').waitFor();
    await page.getByRole('button', { name: 'Copy code', exact: true }).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('This page could not be loaded').waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    await page.getByRole('alert').getByText('Connection lost.').waitFor();
    expect(await violations()).toEqual([]);
    await close();
  }, 60_000);

  test('opens another stream when it has heard nothing for a while, as after the sleep of the computer', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, faults, close } = await browser.open(`${capture.url}/healthz`);
    await page.clock.install();
    await page.goto(`${capture.url}/dashboard/all`);
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    const another = page.waitForRequest('**/dashboard/api/live*');
    await page.clock.fastForward(26_000);
    await another;
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    expect(faults).toEqual([]);
    await close();
  });

  test('says that new mail is refused while the disk is full, and stops saying so when there is room', async () => {
    await using capture = await startAppliance({ capture: {} });
    await sendMail({ port: capture.smtpPort, from: 'a@b.test', to: ['one@postern.test'], raw });
    const { page, faults, violations, close } = await browser.open(`${capture.url}/healthz`);
    const reason = 'the disk is full: mail is answered 452 and nothing is stored until 256 MiB are free';
    await page.route('**/readyz', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({ status: 'unavailable', reason }),
      }),
    );
    await page.goto(`${capture.url}/dashboard/all`);
    await page
      .getByRole('alert')
      .getByText(/New mail is refused\. The disk is full/)
      .waitFor();
    expect(await violations()).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    // A change refused for the same cause says so, and the page shows what the server has.
    await page.route('**/messages/mark', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({
          error: { code: 'storage_unavailable', message: 'The store is not writable.', fields: {} },
        }),
      }),
    );
    await page.getByRole('link', { name: /Unread: Hello/ }).click();
    await page.getByText('The store is not writable.').waitFor();
    await page.getByRole('link', { name: /Unread: Hello/ }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: /Hello/ }).waitFor();
    expect(await page.getByText('New mail is refused').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  test('says that a slow answer is still awaited', async () => {
    await using capture = await startAppliance({ capture: {} });
    await sendMail({ port: capture.smtpPort, from: 'a@b.test', to: ['one@postern.test'], raw });
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/all`);
    const gate = Promise.withResolvers<void>();
    await page.route('**/dashboard/api/messages/msg_*', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: /Hello/ }).click();
    await page.getByText('Still loading.').waitFor();
    gate.resolve();
    await page.getByRole('button', { name: 'Copy code', exact: true }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('tells a visitor that the session has ended, and continues where it was after they sign in', async () => {
    await using server = await startAppliance();
    const { visitor } = await owner(server);
    const { page, context, violations, close } = await browser.open(`${server.url}/dashboard/usage`, {
      cookie: makeCookie(visitor),
    });
    await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
    await context.clearCookies();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('Your session has ended. Sign in again to continue where you were.').waitFor();
    expect(await violations()).toEqual([]);
    await context.addCookies([{ ...makeCookie(visitor), url: server.url }]);
    await page.reload();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await close();
  });

  test('tells it to a visitor who does nothing, too', async () => {
    await using server = await startAppliance();
    const { visitor } = await owner(server);
    const { page, context, close } = await browser.open('about:blank');
    await context.addCookies([{ ...makeCookie(visitor), url: server.url }]);
    const [shown, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/api/live*', async (route) => {
      await shown.promise;
      await visitor.post('/sign-out');
      ended.resolve();
      await route.continue();
    });
    await page.goto(`${server.url}/dashboard/usage`);
    await page.getByText('Inboxes', { exact: true }).first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
    shown.resolve();
    await ended.promise;
    await page.getByText('Your session has ended. Sign in again to continue where you were.').waitFor();
    await close();
  });

  test('starts again in every tab when somebody else signs in in one', async () => {
    await using server = await startAppliance();
    const [ann, eve] = [await owner(server), await owner(server)];
    const { page, context, faults, close } = await browser.open(`${server.url}/dashboard/usage`, {
      cookie: makeCookie(ann.visitor),
    });
    await page.getByText(ann.email).waitFor();
    // Ann's session ends unnoticed.
    await context.clearCookies();
    const other = await context.newPage();
    await other.goto(`${server.url}/dashboard`);
    await other.getByRole('textbox', { name: 'Email' }).fill(eve.email);
    await other.getByRole('textbox', { name: 'Password' }).fill(password);
    await other.keyboard.press('Enter');
    await page.getByText(eve.email).waitFor();
    expect(await page.getByText(ann.email).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  test('starts again when Back shows it as it was left, and somebody else has signed in since', async () => {
    await using server = await startAppliance();
    const [ann, eve] = [await owner(server), await owner(server)];
    const { page, context, close } = await browser.open(`${server.url}/dashboard/usage`, {
      cookie: makeCookie(ann.visitor),
    });
    await page.getByText(ann.email).waitFor();
    // Playwright turns off the cache that keeps such pages.
    const showAgain = () =>
      page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    const asked = page.waitForResponse('**/api/me');
    await showAgain();
    await asked;
    expect(new URL(page.url()).pathname).toBe('/dashboard/usage');
    await context.addCookies([{ ...makeCookie(eve.visitor), url: server.url }]);
    await showAgain();
    await page.getByText(eve.email).waitFor();
    expect(await page.getByText(ann.email).count()).toBe(0);
    await close();
  });

  test('works in a browser that keeps nothing for the site', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, context, faults, close } = await browser.open(`${capture.url}/healthz`);
    await context.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      };
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, { get: refuse, configurable: true });
      }
      navigator.locks.request = async () => refuse();
    });
    await page.goto(`${capture.url}/dashboard/all`);
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('works in a browser whose storage is full, and with whatever another version left there', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, context, faults, close } = await browser.open(`${capture.url}/healthz`);
    await context.addInitScript(() => {
      const left = {
        preferences: '[1]',
        theme: '7',
        language: 'constructor',
        sidebar: '-1',
        list: 'x',
        'list-folded': '{',
      };
      for (const [name, text] of Object.entries(left)) localStorage.setItem(`postern.${name}`, text);
      Storage.prototype.setItem = () => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      };
    });
    await page.goto(`${capture.url}/dashboard/all`);
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.getByRole('separator').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('shows what was asked for last, whichever answer comes first, and offers to try again after a failure', async () => {
    await using server = await startAppliance();
    const { visitor } = await owner(server);
    for (const key of ['alpha', 'beta']) await visitor.post('/inboxes', { routing_key: key });
    const { page, faults, close } = await browser.open(`${server.url}/dashboard/senders`, {
      cookie: makeCookie(visitor),
    });
    const found = page.getByRole('list', { name: 'Senders' });
    await found.getByText('alpha@postern.test').waitFor();
    const [later, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/api/inboxes?q=b&*', async (route) => {
      await later.promise;
      await route.continue();
      answered.resolve();
    });
    const find = page.getByRole('searchbox', { name: 'Find inbox' });
    await find.pressSequentially('be');
    await found.getByText('beta@postern.test').waitFor();
    const outdated = page.waitForResponse('**/api/inboxes?q=b&*');
    later.resolve();
    await (await outdated).finished();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect(await found.allInnerTexts()).toEqual(['beta@postern.test']);
    await page.route('**/api/inboxes?q=bet&*', (route) => route.abort(), { times: 1 });
    await find.pressSequentially('t');
    await page.getByText('The server is not responding.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await found.getByText('beta@postern.test').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('keeps the inboxes that were loaded when mail arrives', async () => {
    await using server = await startAppliance();
    const { visitor, account } = await owner(server);
    for (let nth = 0; nth < 130; nth++) {
      const { status } = await visitor.post('/inboxes', { routing_key: `inbox-${nth}` });
      if (status !== 201) throw new Error(`no inbox ${nth} of ${account.id}: ${status}`);
    }
    const { page, faults, close } = await browser.open(`${server.url}/dashboard/all`, {
      cookie: makeCookie(visitor),
    });
    const nav = page.getByRole('navigation', { name: 'Inboxes' });
    await nav.getByRole('button', { name: 'Load more' }).click();
    await nav.getByText('inbox-0', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    const reloaded = page.waitForResponse('**/dashboard/api/inboxes');
    await sendMail({ port: server.smtpPort, from: 'a@b.test', to: ['inbox-1@postern.test'], raw });
    await reloaded;
    await nav.getByRole('link', { name: /^inbox-1 .*1 unread/ }).waitFor();
    await nav.getByText('inbox-0', { exact: true }).waitFor();
    expect(await nav.getByRole('link').count()).toBe(131);
    expect(faults).toEqual([]);
    await close();
  });

  test('continues a search after its person has signed in again', async () => {
    await using server = await startAppliance();
    const { visitor, email } = await owner(server);
    await visitor.post('/inboxes', { routing_key: 'one' });
    const { page, context, close } = await browser.open(`${server.url}/dashboard/all?q=subject%3Ahello`, {
      cookie: makeCookie(visitor),
    });
    await page.getByText('No matching messages').waitFor();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Unread' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('No matching messages').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toContain('subject:hello');
    await close();
  });

  test('shows a page for every address, even one that is not encoded right', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/%E0%A4%A`);
    await page.getByText('Page not found').waitFor();
    await page.goto(`${capture.url}/dashboard/`);
    await page.getByRole('heading', { name: 'All mail' }).waitFor();
    await page.goto(`${capture.url}/dashboard/inbox/..%2Fme`);
    await page.getByText('Messages could not be loaded').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('keeps what is written in a dialog when a selection ends beside it', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/all`);
    await page.getByRole('button', { name: 'New inbox' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New inbox' });
    const field = dialog.getByRole('textbox').first();
    await field.fill('a long name');
    const box = (await field.boundingBox())!;
    await page.mouse.move(box.x + 40, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x - 200, box.y + 10);
    await page.mouse.up();
    expect(await field.inputValue()).toBe('a long name');
    await page.mouse.click(box.x - 200, box.y + 10);
    await dialog.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });
});
