/** Drafts of emails in the dashboard: kept until they are sent, sent once, and never shown to others. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { readyDomain } from '../../features/domains/ready.ts';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
import { owner, type Person, password, Visitor } from './visitor.ts';

const hasBrowser = haveBrowser();
let appliance: RunningAppliance;
let browser: TestBrowser | undefined;
let ann: Person;

beforeAll(async () => {
  if (!hasBrowser) return;
  // Nothing may leave the machine: queued emails stay queued.
  const settings = { outbound: 'direct', dns_servers: '127.0.0.1:9', limits: 'off' };
  appliance = await startAppliance({ settings });
  ann = await owner(appliance);
  const { id: domain } = await readyDomain(appliance.services, ann.account.no, 'desk.example');
  await ann.visitor.post('/inboxes', { domain, routing_key: 'desk' });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await appliance?.[Symbol.asyncDispose]();
});

const open = (visitor: Visitor) =>
  browser!.open(`${appliance.url}/dashboard/all`, { cookie: makeCookie(visitor) });

const findCompose = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'New message' });
  return { dialog, to: dialog.getByRole('textbox', { name: 'To' }), text: readText(dialog) };
};
const readText = (dialog: ReturnType<Page['getByRole']>) => dialog.getByRole('textbox', { name: 'Message' });

async function write(page: Page) {
  await page.getByRole('link', { name: /^desk/ }).first().click();
  await page.getByRole('button', { name: 'New message' }).click();
}

async function signIn(page: Page, email: string) {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.keyboard.press('Enter');
}

const listSent = async () =>
  (await ann.visitor.get('/emails')).json.data.map(({ subject }: { subject: string }) => subject);

describe.skipIf(!hasBrowser)('a draft of an email', () => {
  test('outlives a closed dialog and the end of the session, and names the files to attach again', async () => {
    const writer = new Visitor(appliance);
    await writer.signIn(ann.email);
    const { page, close } = await open(writer);
    const { dialog, to, text } = findCompose(page);
    await write(page);
    await to.fill('dora@example.org');
    await text.fill('A long story');
    const file = { name: 'story.pdf', mimeType: 'application/pdf', buffer: Buffer.from('one') };
    await dialog.locator('input[type=file]').setInputFiles(file);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New message' }).click();
    expect(await text.inputValue()).toBe('A long story');
    expect(await dialog.getByRole('alert').textContent()).toEndWith('Attach again: story.pdf');
    await dialog.locator('input[type=file]').setInputFiles(file);
    expect(await dialog.getByRole('alert').count()).toBe(0);

    await writer.post('/sign-out');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await signIn(page, ann.email);
    await write(page);
    expect(await text.inputValue()).toBe('A long story');
    expect(await to.inputValue()).toBe('dora@example.org');
    expect(await dialog.getByRole('alert').textContent()).toEndWith('Attach again: story.pdf');

    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'New message' }).click();
    expect(await text.inputValue()).toBe('');
    await close();
  });

  test('is forgotten in every tab when its writer signs out in one, and by the next person in the tab', async () => {
    const writer = new Visitor(appliance);
    await writer.signIn(ann.email);
    const { page, context, close } = await open(writer);
    await write(page);
    await findCompose(page).text.fill('Only mine');
    await page.evaluate("sessionStorage.setItem('postern.draft.user_of_before.x', '{}')");
    await page.reload();
    await page.getByRole('button', { name: 'New message' }).waitFor();
    const readDrafts = () => page.evaluate('Object.keys(sessionStorage).join()') as Promise<string>;
    expect(await readDrafts()).toEndWith('/compose');
    expect(await readDrafts()).not.toContain('user_of_before');

    const other = await context.newPage();
    await other.goto(`${appliance.url}/dashboard/sign-in`);
    await other.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await readDrafts()).toBe('');
    await close();
  });

  test('goes to nobody else when Back leads to another message', async () => {
    for (const subject of ['The first', 'The second']) {
      await appliance.deliver('desk@desk.example', {
        subject,
        from: 'carl@example.org',
        content: { text: '?' },
      });
    }
    const { page, close } = await open(ann.visitor);
    for (const subject of ['The first', 'The second']) {
      await page.getByRole('link', { name: subject }).click();
      await page.getByRole('heading', { name: subject }).waitFor();
    }
    const reply = page.getByRole('dialog', { name: 'Reply' });
    await page.keyboard.press('r');
    await readText(reply).fill('About the second');
    await page.goBack();
    await page.getByRole('heading', { name: 'The first' }).waitFor();
    expect(await reply.count()).toBe(0);
    await page.keyboard.press('r');
    expect(await readText(reply).inputValue()).toBe('');
    await page.goForward();
    await page.getByRole('heading', { name: 'The second' }).waitFor();
    await page.keyboard.press('r');
    expect(await readText(reply).inputValue()).toBe('About the second');
    await ann.visitor.post('/messages/delete', { ids: [new URL(page.url()).pathname.split('/').at(-1)] });
    await reply.getByRole('button', { name: 'Send' }).click();
    await reply.getByText('It was not sent: the message or its inbox has been deleted.').waitFor();
    await close();
  });

  test('is sent once, even if no answer came and the page was loaded again', async () => {
    const { page, close } = await open(ann.visitor);
    const { dialog, to, text } = findCompose(page);
    await page.route(
      '**/compose',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    const before = await listSent();
    await write(page);
    await to.fill('dora@example.org');
    await text.fill('Once');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('The server is not responding.').waitFor();
    expect(await listSent()).toHaveLength(before.length + 1);
    await page.reload();
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await listSent()).toHaveLength(before.length + 1);
    await write(page);
    await to.fill('dora@example.org');
    await text.fill('Once');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await listSent()).toHaveLength(before.length + 2);
    await close();
  });
});

describe.skipIf(!hasBrowser)('what is typed in a form', () => {
  const openRule = async (page: Page) => {
    await page.getByRole('button', { name: 'Add rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    return {
      dialog,
      name: dialog.getByRole('textbox', { name: 'Name' }),
      tick: dialog.getByRole('checkbox').first(),
    };
  };

  test('comes back after the session has ended and the same person signs in, and only then', async () => {
    const writer = new Visitor(appliance);
    await writer.signIn(ann.email);
    const { page, context, close } = await browser!.open(`${appliance.url}/dashboard/rules`, {
      cookie: makeCookie(writer),
    });
    const { dialog, name, tick } = await openRule(page);
    await name.fill('Invoices');
    await page.keyboard.press('Escape');
    await openRule(page);
    expect(await name.inputValue()).toBe('');
    await name.fill('Invoices of March');
    await tick.check();
    await writer.post('/sign-out');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await signIn(page, ann.email);
    await openRule(page);
    expect(await name.inputValue()).toBe('Invoices of March');
    expect(await tick.isChecked()).toBe(true);
    // The restored form has removed its data from the storage.
    expect(await page.evaluate('Object.keys(sessionStorage).join()')).toBe('');

    await context.clearCookies();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const eve = await owner(appliance);
    await signIn(page, eve.email);
    await openRule(page);
    expect(await name.inputValue()).toBe('');
    expect(await page.evaluate('Object.keys(sessionStorage).join()')).toBe('');
    await close();
  });

  test('is stored without passwords, and data stored by another version of the page does no harm', async () => {
    const writer = new Visitor(appliance);
    await writer.signIn(ann.email);
    const { page, close } = await browser!.open(`${appliance.url}/dashboard/sign-in`, {
      cookie: makeCookie(writer),
    });
    await page.getByLabel('Current password', { exact: true }).fill(password);
    await page.getByLabel('New password', { exact: true }).fill('a secret of mine');
    await writer.post('/sign-out');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}');
    await signIn(page, ann.email);
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Add rule' }).waitFor();
    const user = (await ann.visitor.get('/me')).json.data.user.id;
    for (const [text, expected] of [
      ['{"name":["a"],"subject":"kept","of_another_version":1}', 'kept'],
      ['[]', ''],
      ['garbage', ''],
    ]) {
      await page.evaluate(
        ([place, value]) => sessionStorage.setItem(place!, value!),
        [`postern.draft.${user}.form.rules.new`, text!],
      );
      const { dialog, name } = await openRule(page);
      expect(await name.inputValue()).toBe('');
      expect(await dialog.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe(expected!);
      await page.keyboard.press('Escape');
    }
    await close();
  });
});
