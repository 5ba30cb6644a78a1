/** What the dashboard says when the server is lost, slow or full, upgraded, or without room in the browser; and how it recovers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
import { owner } from './visitor.ts';

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
    const { page, violations, close } = await browser.open(`${capture.url}/dashboard/all`, {
      ownClock: true,
    });
    await page.getByRole('link', { name: /Hello/ }).click();
    await page.getByRole('button', { name: 'Copy code', exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await capture[Symbol.asyncDispose]();
    await page.getByText('Disconnected. Reconnecting…').waitFor();
    await page.clock.fastForward(3_000);
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

  test('shows new mail within half a minute where a proxy holds its stream back', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, faults, close } = await browser.open(`${capture.url}/healthz`);
    await page.clock.install();
    // Never answered.
    await page.route('**/dashboard/api/live*', () => {});
    await page.goto(`${capture.url}/dashboard/all`);
    await page.getByText('Waiting for your first mail').waitFor();
    await sendMail({ port: capture.smtpPort, from: 'a@b.test', to: ['one@postern.test'], raw });
    await page.clock.fastForward(26_000);
    await page.clock.fastForward(1_000);
    await page.getByRole('link', { name: /Hello/ }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('says that new mail is rejected while the disk is full, and stops saying so when there is room', async () => {
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
    const bar = page.getByRole('alert');
    await bar.getByText(/New mail is rejected\. The disk is full/).waitFor();
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
    expect(await page.getByText('New mail is rejected').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  test('says that a slow answer is still awaited', async () => {
    await using capture = await startAppliance({ capture: {} });
    await sendMail({ port: capture.smtpPort, from: 'a@b.test', to: ['one@postern.test'], raw });
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/all`, { ownClock: true });
    const gate = Promise.withResolvers<void>();
    await page.route('**/dashboard/api/messages/msg_*', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: /Hello/ }).click();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    await page.clock.fastForward(3_000);
    await page.getByText('Still loading.').waitFor();
    gate.resolve();
    await page.getByRole('button', { name: 'Copy code', exact: true }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('loads itself again when the server was upgraded, and says so when a part of it does not come', async () => {
    await using capture = await startAppliance({ capture: {} });
    await sendMail({ port: capture.smtpPort, from: 'a@b.test', to: ['one@postern.test'], raw });
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/all`);
    await page.getByRole('link', { name: /Hello/ }).click();
    await page.getByRole('tab', { name: 'Source' }).waitFor();
    const loads: string[] = [];
    page.on('load', () => loads.push(page.url()));
    // The same version of the pages, but none of its other files can be loaded.
    let isMissing = true;
    await page.route('**/dashboard/assets/*', (route) =>
      isMissing ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.keyboard.press('?');
    await page.getByText('Something went wrong on this page.').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('This page could not be loaded').waitFor();
    await page.goBack();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'Reload' }).waitFor();
    expect(loads).toEqual([]);
    // Another version: the document names other files.
    await page.route(
      '**/dashboard',
      async (route) => {
        isMissing = false;
        await route.fulfill({ contentType: 'text/html', body: '<script src="other.js"></script>' });
      },
      { times: 1 },
    );
    const again = page.waitForEvent('load');
    await page.keyboard.press('?');
    await again;
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    // The part that failed to load can be opened now.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(faults).toEqual([]);
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
    const later = Promise.withResolvers<void>();
    await page.route('**/api/inboxes?q=b', async (route) => {
      await later.promise;
      await route.continue();
    });
    const find = page.getByRole('searchbox', { name: 'Search inboxes' });
    await Promise.all([page.waitForRequest('**/api/inboxes?q=b'), find.fill('b')]);
    await find.fill('be');
    await found.getByText('beta@postern.test').waitFor();
    const outdated = page.waitForResponse('**/api/inboxes?q=b');
    later.resolve();
    await (await outdated).finished();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect(await found.allInnerTexts()).toEqual(['beta@postern.test']);
    await page.route('**/api/inboxes?q=bet', (route) => route.abort(), { times: 1 });
    await find.fill('bet');
    await page.getByRole('main').getByText('The server is not responding.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await found.getByText('beta@postern.test').waitFor();
    await page.route('**/api/audit', (route) => route.abort(), { times: 1 });
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('main').getByText('The server is not responding.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('list', { name: 'Audit log' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('shows each answer of a network that takes longer than the time between two requests', async () => {
    await using server = await startAppliance();
    const { visitor } = await owner(server);
    const { page, context, faults, close } = await browser.open(`${server.url}/healthz`, { ownClock: true });
    await context.addCookies([{ ...makeCookie(visitor), url: server.url }]);
    const answers: (() => void)[] = [];
    await page.route('**/api/operator/log', async (route) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      await route.continue();
    });
    const ask = () => page.waitForRequest('**/api/operator/log');
    await Promise.all([ask(), page.goto(`${server.url}/dashboard/log`)]);
    await Promise.all([ask(), page.clock.fastForward(10_000)]);
    answers[0]!();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    expect(answers).toHaveLength(2);
    expect(faults).toEqual([]);
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
