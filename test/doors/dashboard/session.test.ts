/** A session that ends, or becomes another visitor's, while pages of the dashboard are open. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
import { owner, password } from './visitor.ts';

const hasBrowser = haveBrowser();
let browser: TestBrowser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(!hasBrowser)('the dashboard', () => {
  test('tells a visitor that the session has ended, and continues where it was after they sign in', async () => {
    await using server = await startAppliance();
    const { visitor } = await owner(server);
    const { page, context, violations, close } = await browser.open(`${server.url}/dashboard/usage`, {
      cookie: makeCookie(visitor),
    });
    await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
    // A request of the page that still runs would end the session before the click does.
    await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
    await context.clearCookies();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('Your session has ended. Sign in again to continue where you were.').waitFor();
    expect(await violations()).toEqual([]);
    await context.addCookies([{ ...makeCookie(visitor), url: server.url }]);
    await page.reload();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await close();
  });

  test('puts the focus on the email when the session ends while a dialog is open', async () => {
    await using server = await startAppliance();
    const { visitor } = await owner(server);
    const { page, context, close } = await browser.open(`${server.url}/dashboard/keys`, {
      cookie: makeCookie(visitor),
    });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
    await page.getByLabel('Name').fill('Nightly');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await page.getByText('Your session has ended.').waitFor();
    await page.locator('input[type=email]:focus').waitFor({ timeout: 3_000 });
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
    // Ann's session has ended unnoticed, and Eve signs in.
    await context.addCookies([{ ...makeCookie(eve.visitor), url: server.url }]);
    const other = await context.newPage();
    await other.goto(`${server.url}/dashboard`);
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
});
