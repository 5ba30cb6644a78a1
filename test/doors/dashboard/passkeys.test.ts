/** Passkeys in a real browser, with Chromium's virtual authenticator (DevTools, domain WebAuthn). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { cookieOf } from './scene.ts';
import { owner, type Person, password } from './visitor.ts';

let browser: TestBrowser | null = null;
let appliance: RunningAppliance;

beforeAll(async () => {
  if (haveBrowser()) browser = await openBrowser();
  appliance = await startAppliance({ settings: { limits: 'off' } });
});
afterAll(async () => {
  await browser?.close();
  await appliance[Symbol.asyncDispose]();
});

interface WithKey extends OpenPage {
  cdp: CDPSession;
  authenticator: string;
}

/** As localhost: an address of numbers has no passkeys. */
async function open(path: string, person?: Person, server = appliance): Promise<WithKey> {
  const url = `http://localhost:${server.httpPort}${path}`;
  const opened = await browser!.open(url, person ? { cookie: cookieOf(person.visitor) } : {});
  const cdp = await opened.context.newCDPSession(opened.page);
  await cdp.send('WebAuthn.enable');
  return { ...opened, cdp, authenticator: await plugIn(cdp) };
}

async function plugIn(cdp: CDPSession, isUserVerified = true): Promise<string> {
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified, automaticPresenceSimulation: true },
    },
  });
  return authenticatorId;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function addInPage(page: Page, name: string): Promise<void> {
  await button(page, 'Add passkey').click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByLabel('Current password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('Passkey added').waitFor();
}

async function signOutAndBack(page: Page): Promise<void> {
  await button(page, 'Sign out').first().click();
  await button(page, 'Sign in with a passkey').click();
  await page.getByRole('navigation').first().waitFor();
}

describe.skipIf(!haveBrowser())('in a browser, a person', () => {
  test('adds a passkey, signs in with it without an email, renames and removes it', async () => {
    const ann = await owner(appliance);
    const opened = await open('/dashboard/sign-in', ann);
    const { page } = opened;
    await addInPage(page, 'Laptop');
    await page.getByText('Not used yet.').waitFor();
    await signOutAndBack(page);
    await page.goto(`http://localhost:${appliance.httpPort}/dashboard/sign-in`);
    await page.getByText(ann.email).first().waitFor();
    await page.getByText('Last used').waitFor();
    const list = page.getByRole('list', { name: 'Passkeys' });
    await list.getByRole('button', { name: 'Rename' }).click();
    const rename = page.getByRole('dialog', { name: 'Rename passkey' });
    await rename.getByRole('textbox', { name: 'Name' }).fill('Old laptop');
    await rename.getByRole('button', { name: 'Rename' }).click();
    await list.getByText('Old laptop').waitFor();
    expect(await opened.violations()).toEqual([]);
    await list.getByRole('button', { name: 'Remove' }).click();
    const remove = page.getByRole('dialog', { name: 'Remove Old laptop?' });
    await remove.getByRole('button', { name: 'Confirm with a passkey instead' }).click();
    expect(await opened.violations()).toEqual([]);
    await remove.getByRole('button', { name: 'Remove', exact: true }).click();
    await list.getByText('None yet').waitFor();
    expect(opened.faults).toEqual([]);
    await opened.close();
  }, 60_000);
});
