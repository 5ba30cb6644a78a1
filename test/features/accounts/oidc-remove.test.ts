/** A person sees their connection to the identity provider under Profile, and removes it. */
import { afterAll, expect, test } from 'bun:test';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { makeCookie } from '../../doors/dashboard/scene.ts';
import { member, owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { type Provider, startProvider } from '../../peers/identity-provider.ts';
import type { RunningAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';
import { ann, bob, start, Tab } from './oidc-tab.ts';

const browser = haveBrowser() ? await openBrowser() : null;
afterAll(() => browser?.close());

const confirmed = { current_password: password };
const remove = (visitor: Visitor, given: object = confirmed) => visitor.post('/single-sign-on/remove', given);
const readState = async (visitor: Visitor) => (await visitor.get('/single-sign-on')).json.data;
const isSignedIn = async (visitor: Visitor) => (await visitor.get('/me')).json.data !== null;

/** A browser that is signed in with the password. */
async function byPassword(appliance: RunningAppliance, email = bob.email): Promise<Tab> {
  const tab = new Tab(appliance);
  await tab.visitor.signIn(email);
  tab.cookies.set('postern_session', tab.visitor.token);
  return tab;
}

/** Somebody who signed up, connected single sign-on, and signed in with either in a browser of its own. */
async function connect(provider: Provider, settings: Record<string, string> = { signup: 'open' }) {
  const appliance = await start(provider, settings);
  const { account } = await owner(appliance, 'business', ann.email);
  if (settings.signup === 'open')
    await new Visitor(appliance).post('/sign-up', { email: bob.email, name: 'Bob', password });
  else await member(appliance, account, bob.email);
  provider.person = bob;
  const tab = await byPassword(appliance);
  const back = await tab.begin('/single-sign-on', confirmed);
  expect(await tab.open(back)).toBe('/dashboard/sign-in?sign_in=connected');
  const through = new Tab(appliance);
  expect(await through.signIn()).toBe('/dashboard');
  return { appliance, tab, through };
}

test('a person sees what is connected, and removing it ends the sessions that began by it', async () => {
  await using provider = await startProvider();
  const { appliance, tab, through } = await connect(provider);
  await using _ = appliance;
  expect(await readState(tab.visitor)).toEqual({
    is_on: true,
    issuer: provider.issuer,
    email: bob.email,
    connected_at: expect.any(String),
    by_email: false,
  });
  expect((await remove(tab.visitor)).status).toBe(200);
  expect(await isSignedIn(tab.visitor)).toBe(true);
  expect(await isSignedIn(through.visitor)).toBe(false);
  expect(await readState(tab.visitor)).toMatchObject({ email: null, connected_at: null });
  const [entry] = (await tab.visitor.get('/audit')).json.data;
  expect(entry).toMatchObject({
    action: 'single_sign_on.removed',
    target: bob.email,
    actor: { kind: 'user', name: bob.email },
    details: { sessions: '1' },
  });
  expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=not_connected');
  expect((await remove(tab.visitor)).status).toBe(404);
  // Somebody with another identity connects that one.
  provider.person = { ...bob, sub: 'bob-2' };
  expect(await tab.open(await tab.begin('/single-sign-on', confirmed))).toBe(
    '/dashboard/sign-in?sign_in=connected',
  );
});

test('a session that began by it and removes it ends too', async () => {
  await using provider = await startProvider();
  const { appliance, tab, through } = await connect(provider);
  await using _ = appliance;
  expect((await remove(through.visitor)).status).toBe(200);
  expect(await isSignedIn(through.visitor)).toBe(false);
  expect(await isSignedIn(tab.visitor)).toBe(true);
});

test('a session that began by it ends even if the password was changed in it', async () => {
  await using provider = await startProvider();
  const { appliance, through } = await connect(provider);
  await using _ = appliance;
  const changed = 'another horse battery';
  const body = { current_password: password, password: changed };
  expect((await through.visitor.post('/password', body)).status).toBe(200);
  const own = new Visitor(appliance);
  await own.signIn(bob.email, changed);
  expect((await remove(own, { current_password: changed })).status).toBe(200);
  expect(await isSignedIn(through.visitor)).toBe(false);
});

test('it is not removed without the password, or at the request of another site', async () => {
  await using provider = await startProvider();
  const { appliance, tab } = await connect(provider);
  await using _ = appliance;
  expect((await remove(tab.visitor, {})).json.error.fields).toHaveProperty('current_password');
  expect((await remove(tab.visitor, { current_password: 'wrong one here' })).status).toBe(422);
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const refused = await tab.visitor.ask('POST', '/single-sign-on/remove', confirmed, foreign);
  expect(refused.status).toBe(403);
  expect((await remove(new Visitor(appliance))).status).toBe(401);
  expect(countRows(appliance, 'identity')).toBe(1);
});

test('signing out while the password is compared removes nothing, or the answer says that it did', async () => {
  await using provider = await startProvider();
  const { appliance, tab } = await connect(provider);
  await using _ = appliance;
  const elsewhere = new Visitor(appliance);
  elsewhere.cookie = tab.visitor.cookie;
  const [removed] = await Promise.all([remove(tab.visitor), elsewhere.post('/sign-out')]);
  expect(removed.status).toBe(countRows(appliance, 'identity') === 0 ? 200 : 401);
});

test('it stays where it is the only way to sign in, and the message says what to do', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { oidc_allowed_domains: 'example.com' });
  await owner(appliance, 'business', ann.email);
  provider.person = bob;
  const tab = new Tab(appliance);
  await tab.signIn();
  const refused = await remove(tab.visitor, {});
  expect(refused.status).toBe(409);
  expect(refused.json.error.message).toStartWith(
    `Single sign-on is your only way to sign in to ${ann.email}. Add a passkey first`,
  );
  expect(await readState(tab.visitor)).toMatchObject({ email: bob.email });
  expect(await isSignedIn(tab.visitor)).toBe(true);
});

test('it stays in every account if it is the only way into one of them', async () => {
  await using provider = await startProvider();
  const { appliance, through } = await connect(provider);
  await using _ = appliance;
  const harbour = new Visitor(appliance);
  await harbour.post('/sign-up', { email: 'boss@example.com', name: 'Harbour', password });
  const { invite_path } = (await harbour.post('/members', { email: bob.email })).json.data;
  const token = (invite_path as string).split('/').at(-1)!;
  await through.open(await through.begin('/invite/single-sign-on', { token }));
  const all = (await through.visitor.get('/accounts')).json.data as { account_id: string; name: string }[];
  const own = all.find(({ name }) => name === 'Bob')!;
  await through.visitor.post('/accounts/switch', { account_id: own.account_id });
  expect((await remove(through.visitor)).json.error.message).toContain('sign in to Harbour.');
  expect(countRows(appliance, 'identity')).toBe(2);
  expect(await isSignedIn(through.visitor)).toBe(true);
});

test('with passwords off, a password is no other way', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { passwords: 'off' });
  await createAccount(appliance.services, { email: ann.email, password });
  provider.person = ann;
  const tab = new Tab(appliance);
  expect(await tab.signIn()).toBe('/dashboard');
  expect((await remove(tab.visitor)).status).toBe(409);
});

test('where nobody can sign up, the next sign-in by email connects it again, and the page knows', async () => {
  await using provider = await startProvider();
  const { appliance, tab } = await connect(provider, {});
  await using _ = appliance;
  expect(await readState(tab.visitor)).toMatchObject({ by_email: true });
  await remove(tab.visitor);
  const again = new Tab(appliance);
  expect(await again.signIn()).toBe('/dashboard');
  expect(await readState(again.visitor)).toMatchObject({ email: bob.email });
});

test('the email is the one of the last sign-in, and another one does not connect again by itself', async () => {
  await using provider = await startProvider();
  const { appliance, tab } = await connect(provider, {});
  await using _ = appliance;
  provider.person = { ...bob, email: 'bob.new@example.com' };
  expect(await new Tab(appliance).signIn()).toBe('/dashboard');
  expect(await readState(tab.visitor)).toMatchObject({ email: 'bob.new@example.com', by_email: false });
  await remove(tab.visitor);
  expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=not_allowed');
});

test.skipIf(!browser)('in Chromium, the profile shows the connection, and removes it', async () => {
  await using provider = await startProvider();
  const { appliance, tab } = await connect(provider);
  await using _ = appliance;
  const cookie = makeCookie(tab.visitor);
  const open = await browser!.open(`${appliance.url}/dashboard/sign-in`, { cookie, phone: true });
  const { page } = open;
  const part = page.getByRole('list', { name: 'Single sign-on' });
  await part.getByText(`${bob.email} · Connected`).waitFor();
  await part.getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current password', { exact: true }).fill('wrong one here');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByText('is not your current password').waitFor();
  await dialog.getByLabel('Current password', { exact: true }).fill(password);
  expect(await open.violations()).toEqual([]);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await part.getByText('Not connected yet').waitFor();
  await open.close();
});
