/** Mail in a real browser: what a tester does who looks while a test runs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../peers/browser.ts';
import { sendMail } from '../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';

const has_browser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;

beforeAll(async () => {
  if (!has_browser) return;
  [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
});

/** A mail by SMTP, as a program under test sends it. */
async function mail(to: string, subject: string, text: string): Promise<void> {
  const raw = `From: Ann Sender <ann@example.org>\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;
  const { data } = await sendMail({ port: trap.smtp_port, from: 'ann@example.org', to: [to], raw });
  expect(data?.code).toBe(250);
}

describe.skipIf(!has_browser)('the list', () => {
  test('shows mail the moment it arrives, with its code, and counts it in the title', async () => {
    const { page, faults, close } = await browser.open(`${trap.url}/dashboard`);
    await page.getByText('No mail yet').waitFor();
    await mail('first@postern.test', 'Hello there', 'Your code is 493817.');
    await page.getByRole('link', { name: 'Hello there' }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy code 493817' }).count()).toBe(1);
    expect(await page.title()).toBe('(1) Postern');
    expect(faults).toEqual([]);
    await close();
  });
});
