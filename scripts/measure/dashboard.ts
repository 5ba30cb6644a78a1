/** The dashboard in Debian's Chromium: its first load, how soon a mail appears, a list of 100,000. */

import type { Page } from 'playwright-core';
import type { MessageInList } from '../../src/doors/dashboard/wire.ts';
import { haveBrowser, openBrowser, type TestBrowser } from '../../test/peers/browser.ts';
import { sendMail } from '../../test/peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../test/start.ts';
import { quantile, type Report } from './figures.ts';

const ROWS = 100_000;
const LIST = '[aria-label="Messages, newest first"]';

export async function benchDashboard(report: Report, smoke: boolean): Promise<void> {
  report.section('Dashboard, in a browser on the same cores');
  if (!haveBrowser()) return report.line('left out', 'chromium is not installed');
  const trap = await startAppliance({ capture: {} });
  const browser = await openBrowser();
  try {
    await benchLoad(report, trap, browser);
    await benchArrival(report, trap, browser, smoke ? 5 : 100);
    await benchScrolling(report, trap, browser, smoke ? 20 : 300);
  } finally {
    await browser.close();
    await trap[Symbol.asyncDispose]();
  }
}

/** Each in its own browser context, so that nothing is cached. */
async function benchLoad(report: Report, trap: RunningAppliance, browser: TestBrowser): Promise<void> {
  // When run from the sources, the first request builds the pages.
  await fetch(`${trap.url}/dashboard`);
  const open = await browser.open(`${trap.url}/dashboard`);
  await open.page.getByText('No messages yet').first().waitFor();
  const seen = await open.page.evaluate(() => ({
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    bytes: performance
      .getEntriesByType('resource')
      .reduce((sum, entry) => sum + ((entry as unknown as { transferSize: number }).transferSize ?? 0), 0),
  }));
  report.goal('first load, compressed', seen.bytes / 1000, 'KB', { under: 120 });
  report.goal('first contentful paint, cold', seen.firstPaint, 'ms', { under: 1_000 });
  await open.close();
}

/** From the sender's 250 to the row in the document. */
async function benchArrival(report: Report, trap: RunningAppliance, browser: TestBrowser, mails: number) {
  const { page, close } = await browser.open(`${trap.url}/dashboard/all`);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await noteRows(page);
  const storedAt: [subject: string, at: number][] = [];
  for (let nth = 0; nth < mails; nth++) {
    const subject = `timed ${nth}.`;
    const raw = `From: a@a.test\r\nSubject: ${subject}\r\n\r\nYour code is 482913.\r\n`;
    await sendMail({ port: trap.smtpPort, from: 'a@a.test', to: [`b${nth % 5}@b.test`], raw });
    storedAt.push([subject, performance.timeOrigin + performance.now()]);
  }
  await page.getByRole('link', { name: `timed ${mails - 1}.` }).waitFor();
  const rows = (await page.evaluate('seen')) as Record<string, number>;
  const timesMs = storedAt.map(
    ([subject, at]) => (rows[`Unread: ${subject}`] ?? Number.POSITIVE_INFINITY) - at,
  );
  report.goal('mail on the screen after its 250, p50', quantile(timesMs, 0.5), 'ms', { under: 150 });
  report.goal('mail on the screen after its 250, p99', quantile(timesMs, 0.99), 'ms', { under: 150 });
  await close();
}

/** The page records when each row first appeared. */
async function noteRows(page: Page): Promise<void> {
  await page.evaluate(`
    globalThis.seen = {};
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('main li a')) {
        seen[textContent] ??= performance.timeOrigin + performance.now();
      }
    }).observe(document.body, { subtree: true, childList: true })`);
}

/** A list of this length on one page, which the server never returns: this measures the browser. */
async function benchScrolling(report: Report, trap: RunningAppliance, browser: TestBrowser, frames: number) {
  const { page, close } = await browser.open(`${trap.url}/healthz`);
  const data = Array.from({ length: ROWS }, (_, nth) => makeRow(nth));
  await page.route('**/dashboard/api/messages?*', (route) =>
    route.fulfill({ json: { data, pagination: { next_cursor: null, has_more: false } } }),
  );
  await page.goto(`${trap.url}/dashboard/all`);
  await page.locator(LIST).waitFor();
  const timesMs = (await page.evaluate(`(async () => {
    const list = document.querySelector('${LIST}');
    const times = [];
    for (let nth = 0, last = performance.now(); nth < ${frames}; nth++) {
      list.scrollTop += nth % 20 === 0 ? 200_000 : 900;
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times;
  })()`)) as number[];
  const inDocument = await page.locator(`${LIST} li`).count();
  report.goal(`${ROWS} messages, a frame while scrolling, p50`, quantile(timesMs, 0.5), 'ms', { under: 20 });
  report.line(`${ROWS} messages, a frame while scrolling, p99`, `${quantile(timesMs, 0.99).toFixed(0)} ms`);
  report.line('of them in the document', String(inDocument));
  await close();
}

function makeRow(nth: number): MessageInList {
  return {
    id: `msg_${nth}`,
    inbox_id: 'inbox_1',
    address: 'box@b.test',
    envelope_recipient: 'box@b.test',
    from: `Sender ${nth} <s${nth}@b.test>`,
    to: [],
    cc: [],
    subject: `Subject number ${nth}`,
    status: 'parsed',
    magic_link: null,
    links: [],
    received_at: new Date(Date.now() - nth * 1000).toISOString(),
    otp: nth % 3 === 0 ? String(100_000 + nth) : null,
    otp_confidence: 0.9,
    has_html: false,
    read: nth % 2 === 0,
    read_at: null,
    size: 100,
    attachment_count: 0,
    tags: [],
  };
}
