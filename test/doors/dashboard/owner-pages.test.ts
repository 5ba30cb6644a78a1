/** The owners' and the operator's pages in a real browser: each person's main task, and axe-core on every screen. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { keepPage } from '../../peers/kept-page.ts';
import { startAppliance } from '../../start.ts';
import { accountPages, makeCookie, makeScene, type Scene, serverPages } from './scene.ts';
import { goTo } from './screens.ts';
import { owner, password } from './visitor.ts';

const hasBrowser = haveBrowser();
let scene: Scene;
let browser: TestBrowser;

beforeAll(async () => {
  if (!hasBrowser) return;
  [scene, browser] = await Promise.all([makeScene(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await scene?.[Symbol.asyncDispose]();
});

const openKept = keepPage(() => browser);
const asAnn = (path: string) =>
  openKept(scene.appliance.url + path, { cookie: makeCookie(scene.ann.visitor) });
const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

describe.skipIf(!hasBrowser)('a person', () => {
  test('sets up the server with the link in the log, signs out, and signs in again', async () => {
    await using fresh = await startAppliance();
    const { page, faults, violations, close } = await browser.open(fresh.url + fresh.setUpPath);
    await page.getByLabel('Email').fill('ann@example.com');
    await page.getByLabel('Password', { exact: true }).fill(password);
    expect(await violations()).toEqual([]);
    await click(page, 'Continue');
    await page.getByRole('navigation', { name: 'Sections' }).getByText('Server').click();
    await page.getByRole('heading', { name: 'Server health' }).waitFor();
    await page.getByRole('link', { name: 'ann@example.com' }).click();
    await click(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByLabel('Email').fill('ann@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not this one');
    await page.keyboard.press('Enter');
    await page.getByText('The email or the password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Sections' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('creates a key, sees it once, and revokes it', async () => {
    const { page, faults, close } = await asAnn('/dashboard/keys');
    await click(page, 'New key');
    await page.getByLabel('Name').fill('Nightly');
    await page.keyboard.press('Enter');
    const key = await page.getByText(/^pst_live_\w{43}$/).textContent();
    await click(page, 'Copy');
    expect(await copied(page)).toBe(key!);
    await click(page, 'Done');
    const row = page.getByRole('listitem').filter({ hasText: 'Nightly' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    expect(await page.content()).not.toContain(key!);
    expect(faults).toEqual([]);
    await close();
  });

  test('invites a member, who chooses a password and sees mail but no owner’s pages', async () => {
    const { page, close } = await asAnn('/dashboard/members');
    await click(page, 'Invite');
    await page.getByLabel('Email').fill('zoe@example.com');
    await page.keyboard.press('Enter');
    const link = await page.getByText(/\/invite\/[\w-]{43}$/).textContent();
    await close();
    const zoe = await browser.open(link!);
    await zoe.page.getByLabel('Password', { exact: true }).fill(password);
    await click(zoe.page, 'Continue');
    await zoe.page.getByRole('navigation', { name: 'Sections' }).getByText('Account').click();
    await zoe.page.getByRole('link', { name: 'Members' }).click();
    await zoe.page.getByText('zoe@example.com').first().waitFor();
    expect(await zoe.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(await zoe.page.getByText('Server', { exact: true }).count()).toBe(0);
    expect(zoe.faults).toEqual([]);
    await zoe.close();
  });

  test('gives a member who lost the password a link that says what it is for', async () => {
    const { page, close } = await asAnn('/dashboard/members');
    // A screen reader says whose button it is: every row has the same.
    await page.getByRole('button', { name: 'Sign-in link', description: 'mia@example.com' }).click();
    const link = await page.getByText(/\/invite\/[\w-]{43}$/).textContent();
    await close();
    const opened = await browser.open(link!);
    await opened.page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await opened.page.getByText('This one-time link gets you back into').waitFor();
    expect(await opened.page.getByText('You were invited').count()).toBe(0);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  test('adds a webhook, tests it, and sees what the program answered', async () => {
    const { world } = scene;
    const { page, faults, close } = await asAnn('/dashboard/webhooks');
    await click(page, 'Add webhook');
    await page.getByLabel('Inbox').fill('billing@postern.test');
    await page.getByLabel('URL').fill('https://192.168.0.1/');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('URL').fill(world.url);
    await page.keyboard.press('Enter');
    await page.getByText(/^whsec_/).waitFor();
    await click(page, 'Done');
    await page.getByRole('heading', { name: 'billing@postern.test' }).waitFor();
    world.receiver.answer({ status: 503, body: 'closed on Sundays' });
    await click(page, 'Send test');
    await page.getByText('closed on Sundays').waitFor();
    expect(await page.getByText('Rejected by your endpoint').count()).toBe(1);
    // The button was not disabled meanwhile, which would have taken the focus from it.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Send test');
    expect(faults).toEqual([]);
    await close();
  });

  test('adds a webhook of the whole account, turns it off, and removes it', async () => {
    const { world } = scene;
    const { page, faults, close } = await asAnn('/dashboard/webhooks');
    await click(page, 'Add account webhook');
    const dialog = page.getByRole('dialog', { name: 'Add account webhook' });
    await dialog.getByRole('checkbox', { name: 'email.bounced' }).check();
    await dialog.getByLabel('URL').fill('https://192.168.0.1/');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('URL').fill(`${world.url}/account`);
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: 'Signing secret' })
      .getByText(/^whsec_/)
      .waitFor();
    await click(page, 'Done');
    const row = page.getByRole('listitem').filter({ hasText: `${world.url}/account` });
    await row.getByText('email.received, email.bounced').waitFor();
    await row.getByRole('button', { name: 'Deliveries' }).click();
    await page.getByText('No deliveries yet').waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: 'Turn off' }).click();
    await row.getByText('off', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Turn on' }).click();
    await row.getByText('on', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Rotate' }).click();
    const rotation = page.getByRole('dialog', { name: 'Rotate the signing secret?' });
    await rotation.getByText(`${world.url}/account`).waitFor();
    await rotation.getByRole('button', { name: 'Rotate' }).click();
    const rotated = page.getByRole('dialog', { name: 'New signing secret' });
    await rotated.getByText(/^whsec_/).waitFor();
    await rotated.getByText('The previous one stays valid for').waitFor();
    await click(page, 'Done');
    await row.getByRole('button', { name: 'Remove' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove this webhook?' });
    await removal.getByText(`${world.url}/account`).waitFor();
    await removal.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No account webhooks yet').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('sees once why an email bounced, beside its recipient', async () => {
    const { page, faults, close } = await asAnn('/dashboard/sending');
    await page.getByText('Your order 1042').click();
    const row = page.getByRole('listitem').filter({ hasText: 'Your order 1042' });
    await row.getByText('nobody@no-such-host.example', { exact: true }).waitFor();
    expect(await row.getByText('the domain no-such-host.example does not exist').count()).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });

  test('adds a domain, publishes the records shown, and sees them verified', async () => {
    const { dns } = scene.world;
    const { page, faults, close } = await asAnn('/dashboard/domains');
    await click(page, 'Add domain');
    await page.getByRole('textbox', { name: 'Domain' }).fill('in.example.net');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'in.example.net' }).waitFor();
    await page.getByText('not found').first().waitFor();
    await click(page, 'Copy ownership value');
    const token = await copied(page);
    dns.set('_postern-challenge.in.example.net', 'TXT', { records: [{ type: 'TXT', data: [token] }] });
    dns.set('in.example.net', 'MX', { records: [{ type: 'MX', data: '10 mx.postern.test' }] });
    await click(page, 'Check now');
    await page.getByText('verified', { exact: true }).waitFor();
    await page.getByText('correct', { exact: true }).nth(1).waitFor();
    await click(page, 'Turn on');
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('goes to').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('changes an account, but can’t suspend their own', async () => {
    const { page, close } = await asAnn('/dashboard/accounts');
    await click(page, 'Edit eve@example.org');
    await page.getByRole('combobox', { name: 'Plan' }).selectOption('pro');
    await click(page, 'Save');
    await page.getByRole('listitem').filter({ hasText: 'eve@example.org' }).getByText('pro').waitFor();
    await click(page, 'Edit ann@example.com');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('suspended');
    await click(page, 'Save');
    await page.getByText('You can’t do this to your own account.').waitFor();
    await close();
  });

  test('sees the accounts page by page, each once, even after a double click', async () => {
    await using fresh = await startAppliance();
    const ann = await owner(fresh);
    await Promise.all(Array.from({ length: 60 }, () => fresh.holder('free')));
    const cookie = makeCookie(ann.visitor);
    const { page, close } = await browser.open(`${fresh.url}/dashboard/accounts`, { cookie });
    const rows = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem');
    await page.getByRole('button', { name: 'Load more' }).dblclick();
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
    const texts = await rows.allInnerTexts();
    expect([texts.length, new Set(texts).size]).toEqual([61, 61]);
    await close();
  });

  test('never loads more of one search with the cursor of another', async () => {
    await using fresh = await startAppliance();
    const ann = await owner(fresh);
    await Promise.all(Array.from({ length: 60 }, () => fresh.holder('free')));
    const cookie = makeCookie(ann.visitor);
    const { page, faults, close } = await browser.open(`${fresh.url}/dashboard/accounts`, { cookie });
    const rows = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem');
    const more = page.getByRole('button', { name: 'Load more' });
    await more.waitFor();
    const found = Promise.withResolvers<void>();
    await page.route(/accounts\?q=/, async (route) => {
      await found.promise;
      await route.continue();
    });
    await page.getByRole('searchbox').fill('@');
    // Until the answer comes, the rows are those of the search before.
    await more.waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(50);
    found.resolve();
    await more.click();
    await more.waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(61);
    expect(faults).toEqual([]);
    await close();
  });
});

describe.skipIf(!hasBrowser)('every page is free of WCAG AA violations', () => {
  const looks: [where: string, phone: boolean][] = [
    ['on a desk', false],
    ['on a phone', true],
  ];
  test.each(looks)(
    'as it is shown %s',
    async (_, phone) => {
      const { paths, ann, appliance } = scene;
      const cookie = makeCookie(ann.visitor);
      const { page, faults, violations, close } = await browser.open(`${appliance.url}/dashboard/usage`, {
        phone,
        cookie,
      });
      const names = [...accountPages, ...serverPages].map((name) => `/dashboard/${name}`);
      for (const path of [...names, paths.webhook, paths.domain]) {
        await see(page, path);
        expect([path, await violations()]).toEqual([path, []]);
      }
      expect(faults).toEqual([]);
      await close();
    },
    120_000,
  );
});

test.skipIf(!hasBrowser)(
  'every page keeps its head in sight on a tablet held upright, however long the page is',
  async () => {
    const { page, faults, close } = await asAnn('/dashboard/usage');
    await page.setViewportSize({ width: 768, height: 420 });
    for (const name of [...accountPages, ...serverPages]) {
      await see(page, `/dashboard/${name}`);
      if (name === 'doctor') {
        await click(page, 'Run checks');
        await page.getByText(/checks failed|All checks passed/).waitFor({ timeout: 40_000 });
      }
      const around = await page.evaluate(
        '[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]',
      );
      expect([name, around]).toEqual([name, [0, 0]]);
    }
    expect(faults).toEqual([]);
    await close();
  },
  120_000,
);

function copied(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()');
}

async function see(page: Page, path: string): Promise<void> {
  await goTo(page, path);
  await page.locator('h1').waitFor();
  await page.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' });
}
