/** Measures the time from a mail's 250 to the frame that shows it. */
import type { Browser } from 'playwright-core';
import { sendMail } from '../../../test/peers/smtp-client.ts';
import { openAlone, type Product, waitUntil, watchCpu } from './products.ts';

/** The page notes when a subject like `timed 3-7.` was painted: the frame after the rows changed has ended. */
const NOTE_SUBJECTS = `
  globalThis.seen = {};
  new MutationObserver((changes) => {
    const found = changes.flatMap(({ target }) => target.textContent.match(/timed \\d+-\\d+\\./g) ?? []);
    const news = found.filter((subject) => !(subject in seen));
    if (news.length === 0) return;
    requestAnimationFrame(() => setTimeout(() => {
      for (const subject of news) seen[subject] ??= performance.timeOrigin + performance.now();
    }));
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`;

/**
 * Pauses between mails, so that each comes alone. Their lengths differ, so that a mail comes at any point of a product's own
 * intervals.
 */
const pauseMs = (nth: number) => 120 + ((nth * 37) % 90);

export interface Arrival {
  /** Milliseconds of each mail. */
  timesMs: number[];
  /** Milliseconds of the page's main thread per mail. */
  cpuMs: number;
}

export async function measureArrival(
  browser: Browser,
  product: Product,
  turn: number,
  mails: number,
): Promise<Arrival> {
  const { page, context } = await openAlone(browser);
  await page.goto(product.url + product.list, { waitUntil: 'domcontentloaded' });
  await waitUntil(page, product.hasRows);
  await page.evaluate(NOTE_SUBJECTS);
  // Waits until its live connection is open.
  await page.waitForTimeout(1_500);
  const readCpu = await watchCpu(await context.newCDPSession(page));
  const storedAt = new Map<string, number>();
  for (let nth = 0; nth < mails; nth++) {
    const subject = `timed ${turn}-${nth}.`;
    const raw = `From: a@a.test\r\nTo: b@b.test\r\nSubject: ${subject}\r\n\r\nYour code is 482913.\r\n`;
    await sendMail({ port: product.target.smtpPort, from: 'a@a.test', to: ['b@b.test'], raw });
    storedAt.set(subject, performance.timeOrigin + performance.now());
    await waitUntil(page, `${JSON.stringify(subject)} in seen`);
    await Bun.sleep(pauseMs(nth));
  }
  const cpuMs = (await readCpu()).all / mails;
  const seen = (await page.evaluate('seen')) as Record<string, number>;
  await context.close();
  const timesMs = [...storedAt].map(([subject, at]) => (seen[subject] ?? Number.POSITIVE_INFINITY) - at);
  return { timesMs, cpuMs };
}
