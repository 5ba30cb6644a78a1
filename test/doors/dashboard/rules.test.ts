/** Rules in a real browser: the form, the order, a dry run, and what was done, in a message's Delivery tab. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
import { member, owner, type Person } from './visitor.ts';

const hasBrowser = haveBrowser();
let appliance: RunningAppliance;
let browser: TestBrowser;
let ann: Person;
let inbox: { id: string; address: string };

beforeAll(async () => {
  if (!hasBrowser) return;
  [appliance, browser] = await Promise.all([startAppliance(), openBrowser()]);
  ann = await owner(appliance, 'business', 'ann@example.com');
  const key = (await ann.visitor.post('/keys', { name: 'CI' })).json.data.api_key;
  inbox = await appliance.inbox({ account: ann.account, key }, { routing_key: 'signup' });
});
afterAll(async () => {
  await browser?.close();
  await appliance?.[Symbol.asyncDispose]();
});

const open = (path: string, looks = {}) =>
  browser.open(appliance.url + path, { cookie: makeCookie(ann.visitor), ...looks });
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const receive = (subject: string) =>
  sendMail({
    port: appliance.smtpPort,
    from: 'bob@shop.example',
    to: [inbox.address],
    raw: `From: Bob <bob@shop.example>\r\nSubject: ${subject}\r\n\r\nYour code is 482913\r\n`,
  });
const names = (page: Page) => page.getByRole('listitem').locator('p.font-medium').allTextContents();

describe.skipIf(!hasBrowser)('the page of rules', () => {
  test('creates a rule, tries it on stored mail, and shows in a message what it did', async () => {
    await receive('Invoice 1');
    const { page, faults, violations, close } = await open('/dashboard/rules');
    await page.getByText('No rules yet').waitFor();
    await click(page, 'Add rule');
    await page.getByLabel('Name').fill('Money');
    await page.getByLabel('Subject').fill('invoice');
    await page.getByLabel('Inbox').fill('nobody@else.example');
    await page.getByLabel('Add tags').fill('money, paid');
    await page.getByLabel('Mark as read').check();
    await page.getByLabel('Delete after (days)').fill('x');
    await click(page, 'Save');
    await page.getByText('This must be an integer from 1 to 3650.').waitFor();
    await page.getByLabel('Delete after (days)').fill('30');
    await click(page, 'Save');
    await page.getByText('This is not one of your inboxes.').waitFor();
    await page.getByLabel('Inbox').fill(inbox.address);
    await page.getByLabel('Notify a service').selectOption('discord');
    expect(await page.getByLabel('Body').inputValue()).toContain('allowed_mentions');
    expect(await violations()).toEqual([]);
    await page.getByLabel('Notify a service').selectOption('none');
    await click(page, 'Save');
    await page.getByText('inbox: signup@postern.test · subject: invoice').waitFor();
    await page.getByText('tag money, paid · mark as read · delete after 30 days').waitFor();

    await click(page, 'Dry run');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 message checked').waitFor();
    expect(await dialog.getByRole('listitem').first().textContent()).toContain('Invoice 1');
    await dialog.getByText('tag money').waitFor();
    expect(await violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await receive('Invoice 2');
    await page.goto(`${appliance.url}/dashboard`);
    await page.getByText('Invoice 2').first().click();
    await page.getByRole('tab', { name: 'Delivery' }).click();
    const diary = page.getByRole('region', { name: 'Rules' });
    await diary.getByText('tag money').waitFor();
    expect(await diary.getByRole('listitem').count()).toBe(4);
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  test('orders, turns off, edits and deletes rules, on a phone too', async () => {
    for (const name of ['One', 'Two']) await ann.visitor.post('/rules', { name, mark_read: true });
    const { page, faults, violations, close } = await open('/dashboard/rules', { phone: true });
    await click(page, 'Move up: Two');
    await page.locator('li').nth(1).getByText('Two').waitFor();
    expect(await names(page)).toEqual(['Money', 'Two', 'One']);
    await page.locator('li').nth(1).getByRole('button', { name: 'Turn off' }).click();
    await page.locator('li').nth(1).getByText('off').waitFor();
    await click(page, 'Edit: One');
    await page.getByLabel('From').fill('*@shop.example>');
    await click(page, 'Save');
    await page.getByText('From: *@shop.example>').waitFor();
    await click(page, 'Delete: One');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Rule deleted').waitFor();
    expect(await names(page)).toEqual(['Money', 'Twooff']);
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  test('shows a member which rules they may change, and hides what only owners set up', async () => {
    const rules = (await ann.visitor.get('/rules')).json.data as { id: string }[];
    for (const { id } of rules) await ann.visitor.ask('DELETE', `/rules/${id}`);
    for (const name of ['Stop', 'Sort'])
      await ann.visitor.post('/rules', { name, mark_read: true, stop: name === 'Stop' });
    const notify = { url: 'https://chat.example/hook', template: '{"text": "{{subject}}"}' };
    await ann.visitor.post('/rules', { name: 'Send', notify });
    const mia = await member(appliance, ann.account);
    const cookie = makeCookie(mia.visitor);
    const { page, faults, violations, close } = await browser.open(`${appliance.url}/dashboard/rules`, {
      cookie,
    });
    const row = (nth: number) => page.getByRole('listitem').nth(nth);
    await row(2).getByText('Only owners can change').waitFor();
    expect(await row(0).getByRole('button').allTextContents()).toEqual(['Dry run']);
    expect(await row(2).getByRole('button').allTextContents()).toEqual(['Dry run']);
    await click(page, 'Edit: Sort');
    const form = page.getByRole('dialog');
    await form.getByLabel('Add tags').waitFor();
    expect(await form.getByLabel('Forward to').count()).toBe(0);
    await form.getByLabel('Add tags').fill('seen');
    await click(page, 'Save');
    await page.getByText('Rule saved').waitFor();
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});
