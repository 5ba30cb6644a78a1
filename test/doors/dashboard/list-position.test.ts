/** The list stays where its reader is, in a real browser, while mail arrives. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const hasBrowser = haveBrowser();
const WITHIN_MS = 15_000;
/** A distance shorter than the list, in CSS pixels. */
const STEP_PX = 500;
let browser: TestBrowser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

const mail = ({ smtpPort }: RunningAppliance, subject: string) =>
  sendMail({
    port: smtpPort,
    from: 'a@b.test',
    to: ['list@postern.test'],
    raw: `Subject: ${subject}\r\n\r\nx\r\n`,
  });

/** Stores mail without announcing it: it is announced with the next mail. */
const store = (trap: RunningAppliance, name: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, nth) =>
      trap.deliver('list@postern.test', { subject: `${name} ${nth + 1}` }),
    ),
  );

const list = (page: Page) => page.getByRole('region', { name: 'Messages, newest first' });
const row = (page: Page, name: string) => page.getByRole('link', { name: `Unread: ${name}`, exact: true });
const findTop = async (page: Page, name: string) => (await row(page, name).boundingBox())?.y;
const findFocus = (page: Page) => page.evaluate('document.activeElement.textContent');
/** How many rows the list has. */
const count = (page: Page) =>
  page.evaluate('Number(document.querySelector("[aria-setsize]").ariaSetSize)') as Promise<number>;

async function until(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`never: ${isSo}`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
}

/** Scrolls until the row is in the middle of the list. */
async function scrollTo(page: Page, name: string): Promise<void> {
  await until(page, async () => {
    if ((await row(page, name).count()) > 0) return true;
    await list(page).evaluate((element, px) => element.scrollBy(0, px), STEP_PX);
    return false;
  });
  await row(page, name).evaluate((element) => element.scrollIntoView({ block: 'center' }));
  // When scrolling has settled, the elements are in the order of their rows.
  await until(page, () =>
    list(page).evaluate((element) =>
      [...element.querySelectorAll('[aria-posinset]')].every(
        ({ ariaPosInSet, previousElementSibling: before }) =>
          before === null || Number(before.ariaPosInSet) === Number(ariaPosInSet) - 1,
      ),
    ),
  );
}

/** A page with 300 messages. */
async function onPage(run: (open: OpenPage, trap: RunningAppliance) => Promise<void>): Promise<void> {
  await using trap = await startAppliance({ capture: {} });
  await mail(trap, 'first');
  await store(trap, 'old', 299);
  const open = await browser.open(`${trap.url}/dashboard/all`);
  await open.page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await run(open, trap);
  expect(open.faults).toEqual([]);
  await open.close();
}

describe.skipIf(!hasBrowser)('a list that is scrolled down', () => {
  test('keeps its place and the focus while mail arrives', async () => {
    await onPage(async ({ page }, trap) => {
      await scrollTo(page, 'old 180');
      await row(page, 'old 180').focus();
      const [before, length] = [await findTop(page, 'old 180'), await count(page)];
      await store(trap, 'new', 40);
      await mail(trap, 'newest');
      await until(page, async () => (await count(page)) >= length + 41);
      expect(await findTop(page, 'old 180')).toBe(before);
      expect(await findFocus(page)).toBe('old 180');
    });
  });

  test('keeps the message that is opened where it is, though its rows become higher, and lower again', async () => {
    await onPage(async ({ page }) => {
      await scrollTo(page, 'old 150');
      const findPlace = async () => {
        const item = await list(page).getByRole('listitem').filter({ hasText: 'old 150' }).boundingBox();
        const around = await list(page).boundingBox();
        return { from: item!.y - around!.y, height: item!.height };
      };
      const before = await findPlace();
      await row(page, 'old 150').click();
      await page.getByRole('heading', { name: 'old 150' }).waitFor();
      await until(page, async () => (await findPlace()).height > before.height);
      expect((await findPlace()).from).toBe(before.from);
      await page.keyboard.press('u');
      await until(page, async () => (await findPlace()).height === before.height);
      expect((await findPlace()).from).toBe(before.from);
    });
  });

  test('keeps the focus on the row that the Enter key opens, and on it when the message is closed', async () => {
    await onPage(async ({ page }) => {
      await scrollTo(page, 'old 150');
      const findHeight = async () => (await list(page).getByRole('listitem').first().boundingBox())!.height;
      const height = await findHeight();
      await row(page, 'old 150').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'old 150' }).waitFor();
      await until(page, async () => (await findHeight()) > height);
      expect(await findFocus(page)).toBe('old 150');
      await page.keyboard.press('u');
      await until(page, async () => (await findHeight()) === height);
      expect(await findFocus(page)).toBe('old 150');
    });
  });

  test('keeps the lowest row in sight when it is opened', async () => {
    await onPage(async ({ page }) => {
      const around = await list(page).boundingBox();
      const lowest = list(page)
        .getByRole('listitem')
        .nth(Math.floor(around!.height / 56) - 1);
      await lowest.getByRole('link').click();
      const opened = page.locator('[aria-current]');
      const isInSight = async () => {
        const item = (await list(page).getByRole('listitem').filter({ has: opened }).boundingBox())!;
        const whole = (await list(page).boundingBox())!;
        return item.height > 56 && item.y >= whole.y && item.y + item.height <= whole.y + whole.height;
      };
      await until(page, isInSight);
    });
  });

  test('keeps its place, whole, when more has come than a page of the list', async () => {
    await onPage(async ({ page, context, faults }, trap) => {
      await scrollTo(page, 'old 60');
      await row(page, 'old 60').focus();
      const before = await findTop(page, 'old 60');
      await until(page, async () => (await count(page)) === 300);
      await context.setOffline(true);
      trap.services.liveRoom.stop();
      await page.getByText('Disconnected. Reconnecting…').waitFor();
      await store(trap, 'new', 700);
      await context.setOffline(false);
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await until(page, async () => (await count(page)) > 300);
      expect(await count(page)).toBe(1000);
      expect(await findTop(page, 'old 60')).toBe(before);
      expect(await findFocus(page)).toBe('old 60');
      faults.length = 0;
    });
  });

  test('is not moved back to the open message by mail that arrives', async () => {
    await onPage(async ({ page }, trap) => {
      await row(page, 'old 299').click();
      await page.getByRole('heading', { name: 'old 299' }).waitFor();
      await scrollTo(page, 'old 230');
      const [before, length] = [await findTop(page, 'old 230'), await count(page)];
      await mail(trap, 'newest');
      await until(page, async () => (await count(page)) > length);
      expect(await findTop(page, 'old 230')).toBe(before);
    });
  });
});
