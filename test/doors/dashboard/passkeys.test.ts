/** Passkeys in a real browser, with Chromium's virtual authenticator (DevTools, domain WebAuthn). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import type { CDPSession, Page } from 'playwright-core';
import { freePort } from '../../../scripts/measure/processes.ts';
import { haveBrowser, type OpenPage, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
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

/**
 * Opens a page at localhost, because an IP address can't have passkeys. `offers` allows passkeys in the email field:
 * Chromium's authenticator answers that offer by itself, before anybody could press the button.
 */
async function open(path: string, person?: Person, server = appliance, offers = false): Promise<WithKey> {
  const url = `http://localhost:${server.httpPort}${path}`;
  const opened = await browser!.open(url, person ? { cookie: makeCookie(person.visitor) } : {});
  const never = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false';
  if (!offers) await opened.page.addInitScript(never);
  const cdp = await opened.context.newCDPSession(opened.page);
  await cdp.send('WebAuthn.enable');
  return { ...opened, cdp, authenticator: await plugIn(cdp) };
}

async function plugIn(cdp: CDPSession): Promise<string> {
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
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
    // A keyboard user continues where they were.
    await page.waitForFunction(`document.activeElement?.textContent === 'Add passkey'`);
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
    await list.getByText('No passkeys yet').waitFor();
    expect(opened.faults).toEqual([]);
    await opened.close();
  }, 60_000);

  test('chooses a passkey that the browser offers in the field for the email', async () => {
    const ann = await owner(appliance);
    const opened = await open('/dashboard/sign-in', ann, appliance, true);
    const { page } = opened;
    await addInPage(page, 'Laptop');
    const asked = page.waitForRequest((request) => request.url().endsWith('/passkeys/sign-in'));
    await button(page, 'Sign out').first().click();
    await asked;
    await page.getByRole('navigation').first().waitFor();
    expect(opened.faults).toEqual([]);
    await opened.close();
  }, 60_000);

  test('learns what went wrong when adding or using one fails, and needs a device that verifies them', async () => {
    const ann = await owner(appliance);
    const opened = await open('/dashboard/sign-in', ann);
    const { page, cdp } = opened;
    await addInPage(page, 'Laptop');
    await button(page, 'Add passkey').click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await dialog.getByLabel('Current password', { exact: true }).fill('wrong');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByText('is not your current password').waitFor();
    await dialog.getByLabel('Current password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByText('This device already has a passkey for you.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Sign out').first().click();
    await cdp.send('WebAuthn.setUserVerified', {
      authenticatorId: opened.authenticator,
      isUserVerified: false,
    });
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('Cancelled, or no passkey for this address was found.').waitFor();
    expect(await opened.violations()).toEqual([]);
    await cdp.send('WebAuthn.setUserVerified', {
      authenticatorId: opened.authenticator,
      isUserVerified: true,
    });
    await button(page, 'Sign in with a passkey').click();
    await page.getByRole('navigation').first().waitFor();
    expect(opened.faults).toEqual([]);
    await opened.close();
  }, 60_000);

  test('whose passkey was removed learns that it does not sign in', async () => {
    const ann = await owner(appliance);
    const opened = await open('/dashboard/sign-in', ann);
    const { page } = opened;
    await addInPage(page, 'Laptop');
    const { data } = (await ann.visitor.get('/passkeys')).json;
    await ann.visitor.post(`/passkeys/${data.passkeys[0].id}/remove`, { current_password: password });
    await button(page, 'Sign out').first().click();
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('This passkey does not sign in here').waitFor();
    await opened.close();
  }, 60_000);

  test('signs in by a passkey where a code from an app is requested', async () => {
    const ann = await owner(appliance);
    const opened = await open('/dashboard/sign-in', ann);
    const { page } = opened;
    await addInPage(page, 'Laptop');
    const { secret } = (await ann.visitor.post('/second-factor/new')).json.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await ann.visitor.post('/second-factor', { secret, code, current_password: password });
    await button(page, 'Sign out').first().click();
    await page.getByRole('textbox', { name: 'Email' }).fill(ann.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    await page.locator('input[autocomplete=one-time-code]:focus').waitFor({ timeout: 3_000 });
    await button(page, 'Sign in with a passkey').click();
    await page.getByRole('navigation').first().waitFor();
    await opened.close();
  }, 60_000);

  test('who is invited creates a passkey in place of a password, and signs in again with it', async () => {
    const ann = await owner(appliance);
    const { data } = (await ann.visitor.post('/members', { email: 'bob@example.org' })).json;
    const opened = await open(data.invite_path);
    const { page } = opened;
    await page.getByText('You were invited').waitFor();
    expect(await opened.violations()).toEqual([]);
    await button(page, 'Create a passkey instead').click();
    await page.getByRole('navigation').first().waitFor();
    await page.goto(`http://localhost:${appliance.httpPort}/dashboard/sign-in`);
    await page.getByRole('list', { name: 'Passkeys' }).getByText('Chrome on Linux').waitFor();
    await page.getByRole('list', { name: 'Passkeys' }).getByRole('button', { name: 'Remove' }).click();
    const remove = page.getByRole('dialog', { name: 'Remove Chrome on Linux?' });
    await remove.getByRole('button', { name: 'Remove', exact: true }).click();
    await remove.getByText('This passkey is the only way to sign in.').waitFor();
    await remove.getByRole('button', { name: 'Cancel' }).click();
    await signOutAndBack(page);
    expect(opened.faults).toEqual([]);
    await opened.close();
  }, 60_000);

  test('who lost it learns what to do, even where passwords are off', async () => {
    const port = await freePort();
    const settings = {
      base_url: `http://localhost:${port}`,
      http_listen: `127.0.0.1:${port}`,
      passwords: 'off',
    };
    await using own = await startAppliance({ settings });
    const opened = await open('/dashboard', undefined, own);
    const { page } = opened;
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('Cancelled, or no passkey for this address was found.').waitFor();
    await page.getByText('Ask an owner of your account for a link from Members.').waitFor();
    await page.getByText('postern member link').waitFor();
    expect(await opened.violations()).toEqual([]);
    await opened.close();
  }, 60_000);

  test('sets up the server with a passkey, under a path and without passwords', async () => {
    const port = await freePort();
    const settings = {
      base_url: `http://localhost:${port}/mail`,
      http_listen: `127.0.0.1:${port}`,
      passwords: 'off',
      limits: 'off',
    };
    await using own = await startAppliance({ settings });
    const opened = await open(`/mail${own.setUpPath}`, undefined, own);
    const { page } = opened;
    await page.getByRole('textbox', { name: 'Email' }).fill('ann@example.com');
    expect(await page.getByLabel('Password').count()).toBe(0);
    await button(page, 'Create a passkey').click();
    await page.getByRole('navigation').first().waitFor();
    expect(new URL(page.url()).pathname).toStartWith('/mail/dashboard');
    await page.goto(`http://localhost:${port}/mail/dashboard/sign-in`);
    await signOutAndBack(page);
    expect(opened.faults).toEqual([]);
    await opened.close();
  }, 60_000);

  test('at an address where passkeys do not work is shown where they do', async () => {
    const ann = await owner(appliance);
    const opened = await browser!.open(`${appliance.url}/dashboard/sign-in`, {
      cookie: makeCookie(ann.visitor),
    });
    const { page } = opened;
    await page.getByText('Passkeys work at').waitFor();
    const link = page.getByRole('link', { name: `http://localhost:${appliance.httpPort}/dashboard` });
    await link.waitFor();
    expect(await button(page, 'Add passkey').count()).toBe(0);
    expect(await opened.violations()).toEqual([]);
    await button(page, 'Sign out').first().click();
    await page.getByLabel('Password', { exact: true }).waitFor();
    expect(await button(page, 'Sign in with a passkey').count()).toBe(0);
    await opened.close();
  }, 60_000);
});
