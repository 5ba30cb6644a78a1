/** What the dashboard says when the server is lost, slow or full, or when the session has ended; and how it recovers. */
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
});
