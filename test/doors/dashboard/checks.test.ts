/** The Checks tab in a real browser: what it shows of a message, and that it requests links only when asked to. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const hasBrowser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;

beforeAll(async () => {
  if (!hasBrowser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  const html =
    '<html>\r\n<video></video><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><a href="https://shop.org/r/4f9d2c81aa3e77b0c6d1">Your seat</a>';
  const raw = `From: a@shop.org\r\nSubject: Seats\r\nContent-Type: text/html\r\n\r\n${html}\r\n`;
  await sendMail({ port: trap.smtpPort, from: 'a@shop.org', to: ['ann@shop.test'], raw });
  // Builds the pages, which takes longest on a busy machine.
  await trap.request('GET', '/dashboard');
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
});

describe.skipIf(!hasBrowser)('the Checks tab', () => {
  test.each([[false], [true]])(
    'shows the score, lines, clients and problems by keyboard alone, and passes axe (dark: %p)',
    async (dark) => {
      const list = await trap.request('GET', '/api/v1/messages');
      const open = await browser.open(`${trap.url}/dashboard/all/${list.json.data[0].id}`, { dark });
      const { page } = open;
      await page.getByRole('tab', { name: 'Checks' }).click();
      await page.getByRole('img', { name: /^Score \d+ of 100$/ }).waitFor();
      await page.getByText('<video> element').waitFor();
      await page.getByText('line 2').first().waitFor();
      await page.locator('summary').first().focus();
      await page.keyboard.press('Enter');
      await page.getByText('Not supported by').first().waitFor();
      expect(await page.getByRole('link', { name: /^Notes and test results/ }).getAttribute('href')).toBe(
        'https://www.caniemail.com/features/html-video/',
      );
      for (const text of ['Image without alt text', 'No language set', 'There is no Date header.'])
        await page.getByText(text).waitFor();
      await page.getByRole('button', { name: 'Check links' }).click();
      await page
        .getByText('Contains a secret, not requested')
        .or(page.getByText('Magic link, not requested'))
        .waitFor();
      expect(await open.violations()).toEqual([]);
      expect(open.faults).toEqual([]);
      await open.close();
    },
    60_000,
  );
});
