/** The conversation of a mail to several recipients, in a real browser. */
import { expect, test } from 'bun:test';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';

test.skipIf(!haveBrowser())('a mail is no conversation with its copies to other recipients', async () => {
  await using trap = await startAppliance({ capture: {} });
  const send = (to: string[], lines: string[]) =>
    sendMail({ port: trap.smtpPort, from: 'ann@example.org', to, raw: [...lines, '', 'x', ''].join('\r\n') });
  await send(
    ['one@shop.test', 'two@shop.test', 'three@shop.test'],
    ['Subject: To three', 'Message-ID: <three@example.org>'],
  );
  const browser = await openBrowser();
  const { page, faults } = await browser.open(`${trap.url}/dashboard/all`);
  await page.getByRole('link', { name: 'To three' }).click();
  await page.getByRole('button', { name: 'Delivered to 3 recipients' }).waitFor();
  expect(await page.getByText('Conversation of').count()).toBe(0);

  await send(['ann@example.org'], ['Subject: Re: To three', 'In-Reply-To: <three@example.org>']);
  await page.getByRole('link', { name: 'Unread: Re: To three' }).waitFor();
  await page.reload();
  await page.getByText('Conversation of 2 messages').waitFor();
  const members = page.getByRole('article').getByRole('listitem');
  await members.nth(1).waitFor();
  expect(await members.count()).toBe(2);
  expect(faults).toEqual([]);
  await browser.close();
});
