/** Accepting an invitation with OpenID Connect. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { addMember, renewInvite } from '../../../src/features/accounts/members.ts';
import { owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { type Provider, startProvider } from '../../peers/identity-provider.ts';
import type { RunningAppliance } from '../../start.ts';
import { ann, bob, start, Tab } from './oidc-tab.ts';

const browser = haveBrowser() ? await openBrowser() : null;
afterAll(() => browser?.close());

/** An invitation to a new account that signed up, and its owner. */
async function invite(appliance: RunningAppliance, email: string) {
  const visitor = new Visitor(appliance);
  await visitor.post('/sign-up', { email: `boss-of-${email}`, name: 'Harbour', password });
  return {
    visitor,
    account: (await visitor.get('/me')).json.data.account.id as string,
    ...(await add(visitor, email)),
  };
}

async function add(visitor: Visitor, email: string) {
  const { invite_path } = (await visitor.post('/members', { email })).json.data;
  return { path: invite_path as string, token: (invite_path as string).split('/').at(-1)! };
}

/** The audit log, as this owner sees it. */
async function readLogAs(provider: Provider, appliance: RunningAppliance, person: Provider['person']) {
  provider.person = person;
  const tab = new Tab(appliance);
  await tab.signIn();
  return (await tab.visitor.get('/audit')).json.data as { action: string }[];
}

const begin = (tab: Tab, token: string) => tab.begin('/invite/single-sign-on', { token });
const isUsable = async (appliance: RunningAppliance, token: string) =>
  (await new Visitor(appliance).get(`/invite/${token}`)).status === 200;

describe.each(['open', 'closed'])('with sign-up %s, an invitation', (signup) => {
  test('is accepted with single sign-on, which from then on opens all of the person’s accounts', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider, { signup, oidc_allowed_domains: 'example.com' });
    const { account: home, visitor } = await owner(appliance, 'business', ann.email);
    const others = signup === 'open' ? await invite(appliance, bob.email) : null;
    const { token } = others ?? (await add(visitor, bob.email));
    provider.person = bob;
    const tab = new Tab(appliance);
    expect((await tab.visitor.get(`/invite/${token}`)).json.data).toMatchObject({
      may_use_single_sign_on: true,
    });
    expect(await tab.open(await begin(tab, token))).toBe('/dashboard');
    expect(await tab.me()).toMatchObject({ account: { id: others?.account ?? home.id }, role: 'member' });
    expect(await isUsable(appliance, token)).toBe(false);
    const again = new Tab(appliance);
    await again.signIn();
    const opened = (await again.visitor.get('/accounts')).json.data.map(
      (one: { account_id: string }) => one.account_id,
    );
    expect(opened.toSorted()).toEqual([home.id, ...(others ? [others.account] : [])].toSorted());
    const actions = (await (others ?? { visitor }).visitor.get('/audit')).json.data.map(
      ({ action, actor }: { action: string; actor: { name: string } }) => `${actor.name} ${action}`,
    );
    expect(actions).toContain(`${bob.email} single_sign_on.connected`);
    expect(actions).toContain(`${bob.email} sign_in`);
    expect(provider.faults).toEqual([]);
  });

  test('of another email stays usable, and the page says so', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider, { signup });
    const { visitor } = await owner(appliance, 'business', ann.email);
    const { path, token } = await add(visitor, bob.email);
    provider.person = { ...bob, email: 'mallory@example.com' };
    const tab = new Tab(appliance);
    expect(await tab.open(await begin(tab, token))).toBe(`${path}?sign_in=other_email`);
    expect(await tab.me()).toBeNull();
    expect(await isUsable(appliance, token)).toBe(true);
    const [entry] = (await visitor.get('/audit')).json.data;
    expect(entry).toMatchObject({
      action: 'sign_in.failed',
      target: 'mallory@example.com',
      details: { reason: 'other_email' },
    });
    provider.person = bob;
    expect(await tab.open(await begin(tab, token))).toBe('/dashboard');
  });
});

test('an invitation that two people accept at once admits the first only', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { signup: 'open' });
  const { path, token } = await invite(appliance, bob.email);
  const tabs = [new Tab(appliance), new Tab(appliance)];
  provider.person = bob;
  const back = await Promise.all(tabs.map((tab) => begin(tab, token)));
  const led = await Promise.all(tabs.map((tab, at) => tab.open(back[at]!)));
  expect(led.toSorted()).toEqual(['/dashboard', `${path}?sign_in=expired`]);
});

test('an invitation is not accepted by anyone but the person its member is linked to, and stays valid', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  const { visitor } = await owner(appliance, 'business', ann.email);
  const { token } = await add(visitor, bob.email);
  provider.person = bob;
  const tab = new Tab(appliance);
  await tab.open(await begin(tab, token));
  const { id } = (await tab.me()).user;
  const renewed = (await visitor.post(`/members/${id}/link`)).json.data.invite_path as string;
  provider.person = { ...bob, sub: 'another bob' };
  const other = new Tab(appliance);
  expect(await other.open(await begin(other, renewed.split('/').at(-1)!))).toBe(
    `${renewed}?sign_in=other_person`,
  );
  provider.person = bob;
  expect(await other.open(await begin(other, renewed.split('/').at(-1)!))).toBe('/dashboard');
});

test('accepting ends the password, the session and the key that a stranger made as the person', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { signup: 'open' });
  const { visitor: boss, token } = await invite(appliance, bob.email);
  const planted = new Visitor(appliance);
  await planted.post('/invite', { token, password });
  const { id } = (await planted.get('/me')).json.data.user;
  const { api_key: key } = (await planted.post('/keys', { name: 'planted' })).json.data;
  const renewed = (await boss.post(`/members/${id}/link`)).json.data.invite_path as string;
  provider.person = bob;
  const tab = new Tab(appliance);
  expect(await tab.open(await begin(tab, renewed.split('/').at(-1)!))).toBe('/dashboard');
  expect((await planted.get('/me')).json.data).toBeNull();
  expect((await planted.signIn(bob.email)).status).toBe(401);
  expect((await appliance.request('GET', '/api/v1/account', { key })).status).toBe(401);
});

test('an invitation is not accepted by a replayed answer, by another browser, or at the request of another site', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  const { visitor } = await owner(appliance, 'business', ann.email);
  const { path, token } = await add(visitor, bob.email);
  provider.person = bob;
  const [tab, other] = [new Tab(appliance), new Tab(appliance)];
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const asked = await tab.visitor.ask('POST', '/invite/single-sign-on', { token }, foreign);
  expect(asked.status).toBe(403);
  const back = await begin(tab, token);
  expect(await other.open(back)).toBe('/dashboard?sign_in=expired');
  const kept = new Map(tab.cookies);
  provider.person = { ...bob, email: 'mallory@example.com' };
  expect(await tab.open(back)).toBe(`${path}?sign_in=other_email`);
  tab.cookies = kept;
  expect(await tab.open(back)).toBe(`${path}?sign_in=expired`);
  expect(await isUsable(appliance, token)).toBe(true);
  expect((await tab.visitor.post('/invite/single-sign-on', { token: 'unknown' })).status).toBe(404);
});

test('an email that may not sign in is not offered single sign-on', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { oidc_allowed_domains: 'corp.example' });
  const { visitor } = await owner(appliance, 'business', ann.email);
  const { token } = await add(visitor, bob.email);
  const { data } = (await new Visitor(appliance).get(`/invite/${token}`)).json;
  expect(data).toMatchObject({ may_use_single_sign_on: false });
});

test('with passwords off, accepting and a first sign-in end the sessions that a link began', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { passwords: 'off' });
  const { account } = await createAccount(appliance.services, { email: ann.email });
  const { user, invite_path } = await addMember(appliance.services, account, bob.email);
  provider.person = bob;
  const readToken = (path: string) => path.split('/').at(-1)!;
  const renew = async () => readToken((await renewInvite(appliance.services, account, user.id)).invite_path);
  const useLink = async (token: string) => {
    const visitor = new Visitor(appliance);
    expect((await visitor.post('/invite', { token })).status).toBe(200);
    return visitor;
  };
  let planted = await useLink(readToken(invite_path));
  expect(await new Tab(appliance).signIn()).toBe('/dashboard');
  expect((await planted.get('/me')).json.data).toBeNull();
  planted = await useLink(await renew());
  const tab = new Tab(appliance);
  expect(await tab.open(await begin(tab, await renew()))).toBe('/dashboard');
  expect((await planted.get('/me')).json.data).toBeNull();
  expect(await tab.me()).toMatchObject({ user: { email: bob.email } });
  const log = (await readLogAs(provider, appliance, ann)).map(({ action }) => action);
  expect(log.filter((action) => action === 'sessions.ended')).toHaveLength(2);
});

test.each(['open', 'closed'])(
  'with %s sign-up, accepting once more ends a password set since',
  async (signup) => {
    await using provider = await startProvider();
    await using appliance = await start(provider, { signup });
    const { visitor } = await owner(appliance, 'business', ann.email);
    const { token } = await add(visitor, bob.email);
    provider.person = bob;
    const tab = new Tab(appliance);
    await tab.open(await begin(tab, token));
    const { id } = (await tab.me()).user;
    const renew = async () =>
      ((await visitor.post(`/members/${id}/link`)).json.data.invite_path as string).split('/').at(-1)!;
    const planted = new Visitor(appliance);
    await planted.post('/invite', { token: await renew(), password });
    expect(await tab.open(await begin(tab, await renew()))).toBe('/dashboard');
    expect((await planted.get('/me')).json.data).toBeNull();
    expect((await planted.signIn(bob.email)).status).toBe(401);
  },
);

test('where anyone can sign up, a stranger who poses as a member links that person to no other account', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { signup: 'open' });
  const { visitor: eve, token } = await invite(appliance, bob.email);
  const other = new Visitor(appliance);
  await other.post('/sign-up', { email: 'eve@example.com', name: 'Trap', password });
  const { token: further } = await add(other, bob.email);
  provider.person = bob;
  const tab = new Tab(appliance);
  await tab.open(await begin(tab, token));
  const { id } = (await tab.me()).user;
  const path = (await eve.post(`/members/${id}/link`)).json.data.invite_path as string;
  const posing = new Visitor(appliance);
  await posing.post('/invite', { token: path.split('/').at(-1)!, password });
  expect((await posing.post('/invite/join', { token: further })).status).toBe(200);
  expect((await posing.get('/single-sign-on')).json.data.connected_at).toBeNull();
});

test.skipIf(!browser)(
  'in Chromium, the page of an invitation leads to the provider and into the account',
  async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    const { visitor } = await owner(appliance, 'business', ann.email);
    const { path } = await add(visitor, bob.email);
    provider.person = { ...bob, email: 'mallory@example.com' };
    const open = await browser!.open(`${appliance.url}${path}`);
    const button = open.page.getByRole('button', { name: 'Continue with single sign-on' });
    await button.click();
    await open.page.waitForSelector('text=The invitation still works');
    expect(await open.violations()).toEqual([]);
    provider.person = bob;
    await button.click();
    await open.page.waitForSelector('text=No mail yet');
    await open.close();
  },
);
