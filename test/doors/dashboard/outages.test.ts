/** Outages while a page of the dashboard starts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { startAppliance } from '../../start.ts';

const hasBrowser = haveBrowser();
let browser: TestBrowser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

test.skipIf(!hasBrowser)(
  'a page whose first requests are lost loads its list and inboxes once it is connected',
  async () => {
    await using trap = await startAppliance({ capture: {} });
    await trap.request('POST', '/dashboard/api/inboxes', { body: { routing_key: 'signup' } });
    const { page, faults, close } = await browser.open(`${trap.url}/healthz`);
    await page.clock.install();
    // The document's headers have the browser request these before the page does, and it gets those answers.
    await page.route('**/dashboard/api/**', (route) => route.abort());
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/me'));
    await page.goto(`${trap.url}/dashboard/all`);
    await lost;
    await page.unrouteAll({ behavior: 'wait' });
    await page.clock.fastForward(1_500);
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await page.clock.fastForward(1_000);
    await page.getByText('Waiting for your first mail').waitFor();
    await page.getByRole('link', { name: /signup/ }).waitFor();
    expect(faults).toEqual([]);
    await close();
  },
);
