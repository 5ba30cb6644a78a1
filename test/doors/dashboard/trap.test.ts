/** The trap's page: its SMTP settings and faults, in capture mode and for an account that is a trap. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { setTrap } from '../../features/traps/shared-trap.ts';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
import { owner } from './visitor.ts';

const hasBrowser = haveBrowser();
let browser: TestBrowser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(!hasBrowser)('the trap’s page', () => {
  test('shows a capture’s settings, and adds and deletes a fault', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, faults, violations, close } = await browser.open(`${capture.url}/dashboard/trap`, {
      ownClock: true,
    });
    await page.getByText(String(capture.smtpPort), { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Nodemailer' }).press('ArrowRight');
    await page.getByText(`EMAIL_PORT = ${capture.smtpPort}`).waitFor();
    await page.getByRole('button', { name: 'Copy settings for Django' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain("EMAIL_HOST = 'localhost'");
    expect(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'SMTP faults' }).click();
    await page.getByRole('button', { name: /^Unknown recipient/ }).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: /^Unknown recipient/ }).click();
    await page.getByLabel('Reply').fill('250 fine');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Reply').fill('550 5.1.1 No');
    await page.getByLabel('Recipient').fill('*@nowhere.example');
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('answers 550 5.1.1 No').waitFor();
    using client = await SmtpClient.greet({ port: capture.smtpPort });
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say('RCPT TO:<x@nowhere.example>', 550);
    await page.clock.fastForward(5_000);
    await page.getByText('1 hit so far').waitFor();
    await page.getByRole('button', { name: 'Delete the fault at rcpt' }).click();
    await page.getByText('No faults: all mail is accepted').waitFor();
    // The browser reports the refused request of the form.
    expect(faults.filter((one) => !one.includes('422'))).toEqual([]);
    await close();
  });

  test('shows an account’s settings, and does not exist for an account without a trap', async () => {
    await using server = await startAppliance();
    const { visitor, account, key } = { key: '', ...(await owner(server)) };
    expect((await visitor.get('/trap')).status).toBe(403);
    await setTrap(server, { account, key }, true);
    const { page, faults, violations, close } = await browser.open(`${server.url}/dashboard/trap`, {
      cookie: makeCookie(visitor),
      phone: true,
      dark: true,
    });
    await page.getByText('Any user name, with an API key as password').waitFor();
    await page.getByText("pass: 'YOUR_API_KEY'").waitFor();
    expect(await violations()).toEqual([]);
    await page.getByLabel('Page').selectOption('SMTP faults');
    await page.getByRole('button', { name: 'Add fault' }).click();
    expect(await page.getByLabel('Stage').locator('option').allTextContents()).toEqual([
      'auth',
      'mail',
      'rcpt',
      'data',
      'dot',
    ]);
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});
