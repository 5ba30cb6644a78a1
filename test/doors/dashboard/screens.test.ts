/** Every screen of Mail, desktop and phone, light and dark: axe-core finds nothing, no script fails. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { goTo, mailScreens, type Seeded, seedMail } from './screens.ts';

const hasBrowser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;
let seeded: Seeded;

beforeAll(async () => {
  if (!hasBrowser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  seeded = await seedMail(trap);
});
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
});

describe.skipIf(!hasBrowser).each([
  { where: 'a desktop', phone: false },
  { where: 'a phone', phone: true },
])('on $where', ({ phone }) => {
  test('each screen is accessible, and no script fails', async () => {
    const open = await browser.open(`${trap.url}/dashboard`, { phone });
    const found: string[] = [];
    for (const { name, path, act, until } of mailScreens) {
      await goThere(open.page, path(seeded));
      await open.page.locator('main').waitFor({ state: 'attached' });
      await act?.(open.page);
      await open.page.locator(until).first().waitFor();
      for (const violation of await open.violations()) found.push(`${name}: ${violation}`);
    }
    expect([...found, ...open.faults]).toEqual([]);
    await open.close();
  }, 90_000);
});

/**
 * Goes through an empty page, so that nothing of the previous screen is mistaken for this one. All screens share a
 * document, because axe takes twice as long in a new one.
 */
async function goThere(page: Page, path: string): Promise<void> {
  await goTo(page, '/dashboard/nowhere');
  await page.getByText('Page not found').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await goTo(page, path);
}
