/** Long lists, slow and lost answers, and long names, in a real browser. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { findAccountWebhook } from '../../../src/features/webhooks/sql.ts';
import { haveBrowser, type Looks, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { queueDeliveries, suppressRecipient } from '../../store-state.ts';
import { makeCookie } from './scene.ts';
import { owner, type Person } from './visitor.ts';

const hasBrowser = haveBrowser();
let appliance: RunningAppliance;
let ann: Person;
let browser: TestBrowser;

beforeAll(async () => {
  if (!hasBrowser) return;
  [appliance, browser] = await Promise.all([
    startAppliance({ settings: { outbound: 'direct' } }),
    openBrowser(),
  ]);
  ann = await owner(appliance);
});
afterAll(async () => {
  await browser?.close();
  await appliance?.[Symbol.asyncDispose]();
});

const open = (path: string, looks: Looks = {}) =>
  browser.open(appliance.url + path, { ...looks, cookie: makeCookie(ann.visitor) });

test.skipIf(!hasBrowser)(
  'the next page of a list is loaded by keyboard, once, however slow it is',
  async () => {
    for (let entry = 1000; entry < 1120; entry++)
      suppressRecipient(appliance, ann.account.no, `gone-${entry}@example.org`);
    const { page, faults, violations, close } = await open('/dashboard/sending');
    const rows = page.getByRole('list', { name: 'Suppressions' }).getByRole('listitem');
    const more = page.getByRole('button', { name: 'Load more' });
    await more.waitFor();
    expect(await rows.count()).toBe(50);
    expect(await violations()).toEqual([]);

    const held = Promise.withResolvers<void>();
    let requests = 0;
    await page.route('**/dashboard/api/suppressions?cursor=*', async (route) => {
      requests++;
      await held.promise;
      await route.continue();
    });
    await more.press('Enter');
    await page.locator('button[aria-busy=true]').waitFor();
    await page.keyboard.press('Enter');
    held.resolve();
    await rows.nth(99).waitFor();
    await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' });
    expect([requests, await rows.count()]).toEqual([1, 100]);
    // The button has kept the focus.
    await page.keyboard.press('Enter');
    await rows.nth(119).waitFor();
    await more.waitFor({ state: 'detached' });
    expect(await rows.last().textContent()).toContain('gone-1119@example.org');
    expect(faults).toEqual([]);
    await close();
  },
);

test.skipIf(!hasBrowser)('an action that is pressed again while it runs is not repeated', async () => {
  suppressRecipient(appliance, ann.account.no, 'again@example.org');
  const { page, faults, close } = await open('/dashboard/sending');
  const held = Promise.withResolvers<void>();
  const removals: string[] = [];
  await page.route('**/dashboard/api/suppressions/*', async (route) => {
    removals.push(route.request().method());
    await held.promise;
    await route.continue();
  });
  const remove = page.getByRole('button', { name: 'Remove again@example.org' });
  await remove.press('Enter');
  await page.locator('button[aria-busy=true]').waitFor();
  await page.keyboard.press('Enter');
  held.resolve();
  await remove.waitFor({ state: 'detached' });
  expect(removals).toEqual(['DELETE']);
  expect(faults).toEqual([]);
  await close();
});

test.skipIf(!hasBrowser)(
  'a dialog is as wide as a phone, however long the name in its title is',
  async () => {
    const { email } = await owner(appliance, 'free', `${'endless'.repeat(9)}@example.org`);
    const { page, faults, close } = await open('/dashboard/accounts', { phone: true });
    const row = page.getByRole('listitem').filter({ hasText: email });
    await row.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: email });
    await dialog.waitFor();
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  },
);

test.skipIf(!hasBrowser)('every delivery to a webhook of the account can be seen', async () => {
  const hook = { url: 'https://hooks.example.com/', events: ['email.received'] };
  const { id } = (await ann.visitor.post('/account-webhooks', hook)).json.data;
  const { store, clock } = appliance.services;
  const inAnHour = clock.nowUs() + 3_600_000_000;
  queueDeliveries(appliance, findAccountWebhook(store, ann.account.no, id)!.no, 30, inAnHour);
  const { page, faults, close } = await open('/dashboard/webhooks');
  await page.getByRole('button', { name: 'Deliveries' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deliveries' });
  await dialog.getByText('evt_30', { exact: true }).waitFor();
  expect(await dialog.getByText('evt_1', { exact: true }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Load more' }).click();
  await dialog.getByText('evt_1', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test.skipIf(!hasBrowser)('inboxes that could not be loaded are loaded on request', async () => {
  const key = (await ann.visitor.post('/keys', { name: 'CI' })).json.data.api_key;
  const { address } = await appliance.inbox({ account: ann.account, key }, { routing_key: 'signup' });
  const { page, faults, violations, close } = await open('/dashboard/usage');
  let isLost = true;
  await page.route('**/dashboard/api/inboxes*', (route) =>
    isLost ? route.fulfill({ status: 502, body: 'Bad gateway' }) : route.continue(),
  );
  await page.goto(`${appliance.url}/dashboard/`);
  const inboxes = page.getByRole('navigation', { name: 'Inboxes' });
  await inboxes.getByText('Something went wrong').waitFor();
  expect(await violations()).toEqual([]);
  isLost = false;
  await inboxes.getByRole('button', { name: 'Try again' }).click();
  await inboxes.getByText(address.split('@')[0]!).first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test.skipIf(!hasBrowser)('every approved recipient can be reached', async () => {
  const settings = { outbound: 'direct', dns_servers: '127.0.0.1:9', limits: 'off' };
  await using server = await startAppliance({ settings });
  const { visitor } = await owner(server);
  for (let nth = 0; nth < 101; nth++) {
    await visitor.post('/outbound_allowlist', { email: `to-${nth}@example.org` });
  }
  const { page, faults, close } = await browser.open(`${server.url}/dashboard/sending`, {
    cookie: makeCookie(visitor),
  });
  const approved = page.getByRole('list', { name: 'Approved recipients' });
  await approved.waitFor();
  expect(await approved.getByRole('listitem').count()).toBe(100);
  await page.getByRole('button', { name: 'Load more' }).click();
  await approved.getByRole('listitem').nth(100).waitFor();
  await approved.getByRole('button', { name: 'Remove to-100@example.org' }).click();
  await approved.getByText('to-100@example.org').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test.skipIf(!hasBrowser)('the inboxes of later pages stay in the list when mail arrives', async () => {
  await using server = await startAppliance();
  const { visitor, account } = await owner(server);
  for (let nth = 0; nth < 130; nth++) {
    const { status } = await visitor.post('/inboxes', { routing_key: `inbox-${nth}` });
    if (status !== 201) throw new Error(`no inbox ${nth} of ${account.id}: ${status}`);
  }
  const { page, faults, close } = await browser.open(`${server.url}/dashboard/all`, {
    cookie: makeCookie(visitor),
  });
  const nav = page.getByRole('navigation', { name: 'Inboxes' });
  await nav.getByRole('button', { name: 'Load more' }).click();
  await nav.getByText('inbox-0', { exact: true }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  const reloaded = page.waitForResponse('**/dashboard/api/inboxes');
  await sendMail({
    port: server.smtpPort,
    from: 'a@b.test',
    to: ['inbox-1@postern.test'],
    raw: 'Subject: Hello\r\n\r\nHello\r\n',
  });
  await reloaded;
  await nav.getByRole('link', { name: /^inbox-1 .*1 unread/ }).waitFor();
  await nav.getByText('inbox-0', { exact: true }).waitFor();
  expect(await nav.getByRole('link').count()).toBe(131);
  expect(faults).toEqual([]);
  await close();
});
