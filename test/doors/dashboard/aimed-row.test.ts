/** A click opens the row that it was aimed at, in a real browser, while mail arrives at the top of the list. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const hasBrowser = haveBrowser();
/** Longer than a pointer rests before new rows are shown. */
const RESTED_MS = 3_000;
let browser: TestBrowser;
let trap: RunningAppliance;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

const send = (subject: string) =>
  sendMail({
    port: trap.smtpPort,
    from: 'a@b.test',
    to: ['aim@postern.test'],
    raw: `Subject: ${subject}\r\n\r\nx\r\n`,
  });

const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const listHeld = (page: Page, count: number) => page.getByRole('button', { name: `${count} new` });
const countRows = (page: Page) => page.locator('.row-link').count();

/** Moves the pointer onto the row, in two steps, and returns where that is. */
async function pointAt(page: Page, name: string): Promise<{ x: number; y: number }> {
  const box = (await row(page, name).boundingBox())!;
  const at = { x: box.x + 20, y: box.y + 8 };
  await page.mouse.move(at.x, at.y - 4);
  await page.mouse.move(at.x, at.y);
  return at;
}

/** A page with four messages, whose clock the test moves on. */
async function onPage(run: (open: OpenPage) => Promise<void>): Promise<void> {
  await using started = await startAppliance({ capture: {} });
  trap = started;
  for (const subject of ['first', 'second', 'third', 'fourth']) await send(subject);
  const open = await browser.open(`${trap.url}/dashboard/all`, { ownClock: true });
  await open.page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await row(open.page, 'Unread: first').waitFor();
  await run(open);
  expect(open.faults).toEqual([]);
  await open.close();
}

describe.skipIf(!hasBrowser)('a pointer that moves over the list', () => {
  test('clicks the row that it was aimed at, although mail has arrived', async () => {
    await onPage(async ({ page }) => {
      const { x, y } = await pointAt(page, 'Unread: third');
      await send('fifth');
      await listHeld(page, 1).waitFor();
      await send('sixth');
      await listHeld(page, 2).waitFor();
      expect(await countRows(page)).toBe(4);
      await page.mouse.click(x, y);
      await page.getByRole('heading', { name: 'third' }).waitFor();
    });
  });

  test('sees the new mail when it rests, leaves, or asks for it', async () => {
    await onPage(async ({ page }) => {
      await pointAt(page, 'Unread: third');
      await send('fifth');
      await listHeld(page, 1).waitFor();
      await page.clock.fastForward(RESTED_MS);
      await row(page, 'Unread: fifth').waitFor();
      // The rows that moved under the resting pointer are no movement of it: the next mail is shown at once.
      await send('sixth');
      await row(page, 'Unread: sixth').waitFor();
      expect(await listHeld(page, 1).count()).toBe(0);

      await pointAt(page, 'Unread: third');
      await send('seventh');
      await listHeld(page, 1).waitFor();
      await page.mouse.move(2, 2);
      await row(page, 'Unread: seventh').waitFor();

      await pointAt(page, 'Unread: third');
      await send('eighth');
      await listHeld(page, 1).press('Enter');
      await row(page, 'Unread: eighth').waitFor();
    });
  });

  test('sees what Undo restores at once, and a new message that a key opens', async () => {
    await onPage(async ({ page }) => {
      await row(page, 'Unread: fourth').click();
      await page.getByRole('heading', { name: 'fourth' }).waitFor();
      await page.keyboard.press('#');
      await row(page, 'fourth').waitFor({ state: 'detached' });
      await pointAt(page, 'Unread: second');
      await page.keyboard.press('z');
      await row(page, 'fourth').waitFor();
      expect(await countRows(page)).toBe(4);
      await row(page, 'Unread: third').click();
      await send('fifth');
      await listHeld(page, 1).waitFor();
      await page.keyboard.press('k');
      await page.keyboard.press('k');
      await page.getByRole('heading', { name: 'fifth' }).waitFor();
      await row(page, 'fifth').waitFor();
    });
  });
});
