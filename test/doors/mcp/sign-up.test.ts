/** An agent signs up to a web app by itself: the page in a browser, the mail through the tools of MCP alone. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { type SignUpApp, startSignUp } from '../../peers/sign-up.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { Agent } from './agent.ts';

describe.skipIf(!haveBrowser())('an agent with a browser', () => {
  let browser: TestBrowser;
  let appliance: RunningAppliance;
  let app: SignUpApp;
  let agent: Agent;
  beforeAll(async () => {
    appliance = await startAppliance();
    const { key } = await appliance.holder('free');
    [browser, app, agent] = await Promise.all([
      openBrowser(),
      startSignUp({ smtp: { port: appliance.smtpPort } }),
      Agent.overHttp(appliance.url, key),
    ]);
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
    await browser.close();
    await appliance[Symbol.asyncDispose]();
  });

  async function openForm(label: string) {
    const { json } = await agent.use('create_inbox', { label });
    const { page, close } = await browser.open(app.url);
    const { address } = json.inbox as { address: string };
    await page.getByLabel('Email address').fill(address);
    return { address, page, [Symbol.asyncDispose]: close };
  }

  test('signs up with the code of a mail', async () => {
    await using form = await openForm('Harbour');
    const { page, address } = form;
    await page.getByRole('button', { name: 'Email me a code' }).click();
    const { json } = await agent.use('wait_for_code', { inbox: address });
    await page.getByLabel('Code').fill(json.code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.locator('#who').textContent()).toBe(address);
    expect(app.signedIn).toContain(address);
  });

  test('asks for a new code after a wrong one, and gets the new one and not the previous one', async () => {
    await using form = await openForm('Harbour, second try');
    const { page, address } = form;
    await page.getByRole('button', { name: 'Email me a code' }).click();
    const first = await agent.use('wait_for_code', { inbox: address });
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('That code is wrong.');
    await page.getByRole('button', { name: 'Send a new code' }).click();
    const second = await agent.use('wait_for_code', { inbox: address });
    expect(second.json.code).not.toBe(first.json.code);
    await page.getByLabel('Code').fill(second.json.code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.locator('#who').textContent()).toBe(address);
  });

  test('signs up with the link of a mail, which works once', async () => {
    await using form = await openForm('Harbour, by link');
    const { page, address } = form;
    await page.getByRole('button', { name: 'Email me a link' }).click();
    const { json } = await agent.use('wait_for_link', { inbox: address });
    expect(json.link).toStartWith(`${app.url}verify?token=`);
    await page.goto(json.link);
    expect(await page.locator('#who').textContent()).toBe(address);
    await page.goto(json.link);
    expect(await page.getByRole('alert').textContent()).toBe('This link has been used.');
  });
});
