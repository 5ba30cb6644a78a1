/** Every screen of Mail, desktop and telephone, light and dark: axe-core finds nothing, no script fails. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';
import { mail_screens, type Seeded, seedMail } from './screens.ts';

const has_browser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;
let seeded: Seeded;

beforeAll(async () => {
  if (!has_browser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  seeded = await seedMail(trap);
});
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
});

describe.skipIf(!has_browser).each([
  { where: 'a desktop', phone: false },
  { where: 'a telephone', phone: true },
])('on $where', ({ phone }) => {
  test('each screen is accessible, and no script fails', async () => {
    const open = await browser.open(`${trap.url}/dashboard`, { phone });
    const found: string[] = [];
    for (const { name, path, act, until } of mail_screens) {
      await open.page.goto(trap.url + path(seeded));
      await open.page.locator('main').waitFor({ state: 'attached' });
      await act?.(open.page);
      await open.page.locator(until).first().waitFor();
      for (const violation of await open.violations()) found.push(`${name}: ${violation}`);
    }
    expect([...found, ...open.faults]).toEqual([]);
    await open.close();
  }, 60_000);
});
