/** A member who is signed in connects single sign-on. */
import { afterAll, expect, test } from 'bun:test';
import { makeCookie } from '../../doors/dashboard/scene.ts';
import { owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { type Provider, startProvider } from '../../peers/identity-provider.ts';
import type { RunningAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';
import { ann, bob, start, Tab } from './oidc-tab.ts';

const browser = haveBrowser() ? await openBrowser() : null;
afterAll(() => browser?.close());

const PAGE = '/dashboard/sign-in';
const DONE = `${PAGE}?sign_in=connected`;
const confirmed = { current_password: password };
const readState = async (tab: Tab) => (await tab.visitor.get('/single-sign-on')).json.data;

/** A person who signed up with a password, where nobody may join the operator's account. */
async function startSignedUp(provider: Provider) {
  const appliance = await start(provider, { signup: 'open' });
  await owner(appliance, 'business', ann.email);
  const visitor = new Visitor(appliance);
  await visitor.post('/sign-up', { email: bob.email, name: 'Bob', password });
  provider.person = bob;
  return { appliance, visitor };
}

/** A browser that is signed in with the password. */
async function signIn(appliance: RunningAppliance, email = bob.email): Promise<Tab> {
  const tab = new Tab(appliance);
  await tab.visitor.signIn(email);
  tab.cookies.set('postern_session', tab.visitor.token);
  return tab;
}

const begin = (tab: Tab) => tab.begin('/single-sign-on', confirmed);

test('a person who signed up connects single sign-on with their password, and then signs in either way', async () => {
  await using provider = await startProvider();
  const { appliance } = await startSignedUp(provider);
  await using _ = appliance;
  expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=not_connected');
  const tab = await signIn(appliance);
  expect(await readState(tab)).toMatchObject({ is_on: true, connected_at: null });
  expect(await tab.open(await begin(tab))).toBe(DONE);
  expect(await readState(tab)).toMatchObject({ connected_at: expect.any(String) });
  const [entry] = (await tab.visitor.get('/audit')).json.data;
  expect(entry).toMatchObject({
    action: 'single_sign_on.connected',
    target: bob.email,
    actor: { kind: 'user', name: bob.email },
  });
  const { account } = await tab.me();
  const other = new Tab(appliance);
  expect(await other.signIn()).toBe('/dashboard');
  expect(await other.me()).toMatchObject({ account, role: 'owner' });
  expect((await new Visitor(appliance).signIn(bob.email)).status).toBe(200);
  const again = await tab.visitor.post('/single-sign-on', confirmed);
  expect(again.status).toBe(409);
});

test('connecting needs the password again, and a request of our own page', async () => {
  await using provider = await startProvider();
  const { appliance } = await startSignedUp(provider);
  await using _ = appliance;
  const { visitor } = await signIn(appliance);
  expect((await visitor.post('/single-sign-on', {})).json.error.fields).toHaveProperty('current_password');
  expect((await visitor.post('/single-sign-on', { current_password: 'wrong one here' })).status).toBe(422);
  for (const headers of [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'same-site' },
  ]) {
    const reply = await visitor.ask('POST', '/single-sign-on', confirmed, headers);
    expect(reply.status).toBe(403);
    expect(reply.headers.get('set-cookie')).toBeNull();
  }
  expect((await new Visitor(appliance).post('/single-sign-on', confirmed)).status).toBe(401);
});

test('an answer about another email connects nothing', async () => {
  await using provider = await startProvider();
  const { appliance } = await startSignedUp(provider);
  await using _ = appliance;
  const tab = await signIn(appliance);
  for (const [person, problem] of [
    [{ ...bob, email: 'mallory@example.com' }, 'other_email'],
    [{ ...bob, email_verified: false }, 'unverified'],
  ] as const) {
    provider.person = person;
    expect(await tab.open(await begin(tab))).toBe(`${PAGE}?sign_in=${problem}`);
    expect(await readState(tab)).toMatchObject({ connected_at: null });
  }
  provider.person = { sub: 'mallory-1', email: 'mallory@example.com', email_verified: true };
  expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=not_allowed');
});

test.each<[string, Provider['lie']]>([
  ['for another audience', { claims: { aud: 'other' } }],
  ['of another issuer', { claims: { iss: 'https://evil.example' } }],
  ['with another nonce', { claims: { nonce: 'other' } }],
  ['that has expired', { claims: { iat: 1, exp: 2 } }],
  ['without a signature', { alg: 'none' }],
  ['signed by another key', { signedByAnother: true }],
  ['with a list as its subject', { claims: { sub: ['bob-1'] } }],
  ['without a subject', { claims: { sub: '' } }],
  ['with a list as its email', { claims: { email: [bob.email] } }],
  ['that is no JSON object', { token: { status: 200, body: [] } }],
  ['that is an error', { token: { status: 400, body: { error: 'invalid_grant' } } }],
  ['that is huge', { isHuge: true }],
])('an answer %s connects nothing, and the next right one does', async (_, lie) => {
  await using provider = await startProvider();
  const { appliance } = await startSignedUp(provider);
  await using _appliance = appliance;
  const tab = await signIn(appliance);
  provider.lie = lie;
  expect(await tab.open(await begin(tab))).toMatch(/sign-in\?sign_in=(refused|unverified|unreachable)$/);
  expect(countRows(appliance, 'identity')).toBe(0);
  provider.lie = {};
  expect(await tab.open(await begin(tab))).toBe(DONE);
});

test('of two people who connect to one member from two browsers, the second is refused', async () => {
  await using provider = await startProvider();
  const { appliance } = await startSignedUp(provider);
  await using _ = appliance;
  const tabs = [await signIn(appliance), await signIn(appliance)];
  const back = await Promise.all(tabs.map(begin));
  const led = [];
  for (const [at, tab] of tabs.entries()) {
    provider.person = { ...bob, sub: `bob-${at}` };
    led.push(await tab.open(back[at]!));
  }
  expect(led).toEqual([DONE, `${PAGE}?sign_in=other_person`]);
});

test('two browsers of one person may connect at the same moment', async () => {
  await using provider = await startProvider();
  const { appliance } = await startSignedUp(provider);
  await using _ = appliance;
  const tabs = [await signIn(appliance), await signIn(appliance)];
  const back = await Promise.all(tabs.map(begin));
  expect(await Promise.all(tabs.map((tab, at) => tab.open(back[at]!)))).toEqual([DONE, DONE]);
  expect(countRows(appliance, 'identity')).toBe(1);
});

test('an answer connects only while the session that asked for it lives, and only once', async () => {
  await using provider = await startProvider();
  const { appliance } = await startSignedUp(provider);
  await using _ = appliance;
  const tab = await signIn(appliance);
  const back = await begin(tab);
  await tab.visitor.post('/sign-out');
  const next = await signIn(appliance);
  expect(await tab.open(back)).toBe(`${PAGE}?sign_in=expired`);
  expect(await readState(next)).toMatchObject({ connected_at: null });
  const used = await begin(next);
  const kept = new Map(next.cookies);
  expect(await next.open(used)).toBe(DONE);
  next.cookies = kept;
  expect(await next.open(used)).toBe(`${PAGE}?sign_in=expired`);
});

test('it is connected in every account that the password proved, and in no other', async () => {
  await using provider = await startProvider();
  const { appliance, visitor } = await startSignedUp(provider);
  await using _ = appliance;
  const elsewhere = new Visitor(appliance);
  const another = 'another horse entirely';
  await elsewhere.post('/sign-up', { email: bob.email, name: 'Elsewhere', password: another });
  const second = new Visitor(appliance);
  await second.post('/sign-up', { email: bob.email, name: 'Second', password });
  const tab = await signIn(appliance);
  await tab.open(await begin(tab));
  const connected = { connected_at: expect.any(String) };
  expect((await visitor.get('/single-sign-on')).json.data).toMatchObject(connected);
  expect((await second.get('/single-sign-on')).json.data).toMatchObject(connected);
  expect((await elsewhere.get('/single-sign-on')).json.data).toMatchObject({ connected_at: null });
});

test('without a provider there is nothing to connect', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { oidc_issuer: '' });
  const { visitor } = await owner(appliance);
  expect((await visitor.get('/single-sign-on')).json.data).toMatchObject({
    is_on: false,
    issuer: null,
    connected_at: null,
  });
  expect((await visitor.post('/single-sign-on', confirmed)).status).toBe(404);
});

test.skipIf(!browser)(
  'in Chromium, the profile connects single sign-on, and shows why it did not',
  async () => {
    await using provider = await startProvider();
    const { appliance, visitor } = await startSignedUp(provider);
    await using _ = appliance;
    const open = await browser!.open(`${appliance.url}${PAGE}`, { cookie: makeCookie(visitor), phone: true });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    for (const [email, until] of [
      ['mallory@example.com', /has another email for you/],
      [bob.email, /· Connected /],
    ] as const) {
      provider.person = { ...bob, email };
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await dialog.getByText(`must be ${bob.email}`).waitFor();
      expect(await open.violations()).toEqual([]);
      await dialog.getByLabel('Current password', { exact: true }).fill(password);
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
      const shown = page.getByText(until);
      await shown.waitFor();
      const { y, height } = (await shown.boundingBox())!;
      expect(y + height).toBeLessThan(page.viewportSize()!.height);
      expect(await open.violations()).toEqual([]);
    }
    await open.close();
  },
);
