/**
 * A sign-in that somebody else began, planted in a person's browser. Over plain http, and under a path, other sites of the
 * host and its domain can set our cookies, and any site can open the provider's page and ours.
 */
import { afterAll, expect, test } from 'bun:test';
import { freePort } from '../../../scripts/measure/processes.ts';
import { owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { startProvider } from '../../peers/identity-provider.ts';
import type { RunningAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';
import { ann, bob, start, Tab } from './oidc-tab.ts';

const browser = haveBrowser() ? await openBrowser() : null;
afterAll(() => browser?.close());

const EXPIRED = '/dashboard?sign_in=expired';
const confirmed = { current_password: password };

async function signUp(appliance: RunningAppliance, email: string): Promise<Tab> {
  const tab = new Tab(appliance);
  await tab.visitor.post('/sign-up', { email, name: 'Harbour', password });
  tab.cookies.set('postern_session', tab.visitor.token);
  return tab;
}

/** What Eve began, up to the provider's page that she has her victim open. */
interface Bait {
  /** What the page kept for Eve. */
  pending: string;
  location: string;
}

/** Eve has a member with Bob's email in an account of her own, and begins to connect it. */
async function connectHers(appliance: RunningAppliance): Promise<Bait> {
  const eve = await signUp(appliance, bob.email);
  return (await eve.visitor.post('/single-sign-on', confirmed)).json.data;
}

/** Eve has invited Bob's email to her account, and begins to accept it. */
async function acceptHers(appliance: RunningAppliance): Promise<Bait> {
  const eve = await signUp(appliance, 'eve@example.com');
  const { invite_path } = (await eve.visitor.post('/members', { email: bob.email })).json.data;
  const token = (invite_path as string).split('/').at(-1)!;
  return (await new Visitor(appliance).post('/invite/single-sign-on', { token })).json.data;
}

test.each([
  ['connecting', connectHers],
  ['accepting', acceptHers],
])('%s is not finished by a cookie that another site has set', async (_, begin) => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { signup: 'open' });
  await owner(appliance, 'business', ann.email);
  const { pending, location } = await begin(appliance);
  provider.person = bob;
  const victim = new Tab(appliance);
  for (const name of [
    'postern_oidc',
    '__Secure-postern_oidc',
    '__Host-postern_oidc',
    'postern.single-sign-on',
  ])
    victim.cookies.set(name, pending);
  expect(await victim.open(await victim.open(location))).toBe(EXPIRED);
  // A state without its mark leads to the cookie, which is not for this purpose.
  const back = (await victim.open(location)).replace('state=page.', 'state=');
  expect(await victim.open(back)).toBe(EXPIRED);
  expect(countRows(appliance, 'identity')).toBe(0);
});

test('connecting is finished only by the session that began it', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { signup: 'open' });
  await owner(appliance, 'business', ann.email);
  const { pending, location } = await connectHers(appliance);
  provider.person = bob;
  const victim = await signUp(appliance, bob.email);
  const nobody = new Tab(appliance);
  for (const tab of [victim, nobody]) {
    tab.pending = pending;
    expect(await tab.open(await tab.open(location))).toBe('/dashboard/sign-in?sign_in=expired');
  }
  expect(countRows(appliance, 'identity')).toBe(0);
});

test('what a cookie kept finishes nothing for a page', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  await owner(appliance, 'business', ann.email);
  provider.person = ann;
  const tab = new Tab(appliance);
  const { searchParams } = new URL(await tab.begin());
  tab.pending = tab.cookies.get('postern_oidc')!;
  expect(await tab.finish(searchParams.toString())).toBe(EXPIRED);
  expect(await tab.me()).toBeNull();
});

test('no other site can have our server finish', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { signup: 'open' });
  const tab = await signUp(appliance, bob.email);
  provider.person = bob;
  const { pending, location } = (await tab.visitor.post('/single-sign-on', confirmed)).json.data;
  const given = await fetch(location, { redirect: 'manual' });
  const answer = new URL(given.headers.get('location')!).search.slice(1);
  for (const headers of [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'same-site' },
  ]) {
    const refused = await tab.visitor.ask('POST', '/single-sign-on/finish', { pending, answer }, headers);
    expect(refused.status).toBe(403);
  }
  const done = await tab.visitor.post('/single-sign-on/finish', { pending, answer });
  expect(done.json.data).toEqual({ location: '/dashboard/sign-in?sign_in=connected' });
});

test.each([
  ['that is empty', ''],
  ['of one name', 'x'],
  ['with two states', 'state=page.&state=page.x&code='],
  ['that is not UTF-8', '%ff=%'],
  ['that is long', `state=page.${'x'.repeat(9_000)}`],
])('an answer %s connects nothing', async (_, answer) => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { signup: 'open' });
  const tab = await signUp(appliance, bob.email);
  tab.pending = (await tab.visitor.post('/single-sign-on', confirmed)).json.data.pending;
  expect(await tab.finish(answer)).toBe('/dashboard/sign-in?sign_in=expired');
  const through = await tab.open(`${appliance.url}/auth/oidc/callback?${answer}`);
  expect(through).toMatch(/\?sign_in=expired$/);
});

test.skipIf(!browser)(
  'in Chromium, under a path, a planted invitation links nobody, and one that the person accepts does',
  async () => {
    await using provider = await startProvider();
    const port = await freePort();
    const root = `http://127.0.0.1:${port}/mail`;
    const settings = { signup: 'open', http_listen: `127.0.0.1:${port}`, base_url: root };
    await using appliance = await start(provider, settings);
    await owner(appliance, 'business', ann.email);
    const eve = await signUp(appliance, 'eve@example.com');
    const { invite_path } = (await eve.visitor.post('/members', { email: bob.email })).json.data;
    const token = (invite_path as string).split('/').at(-1)!;
    const { data } = (await new Visitor(appliance).post('/invite/single-sign-on', { token })).json;
    provider.person = bob;
    const open = await browser!.open(`${root}/dashboard`);
    await open.context.addCookies([
      { name: 'postern_oidc', value: data.pending, domain: '127.0.0.1', path: '/' },
    ]);
    await open.page.goto(data.location);
    await open.page.getByText('took too long or was used before').waitFor();
    expect(countRows(appliance, 'identity')).toBe(0);
    await open.page.goto(`${root}/invite/${token}`);
    await open.page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await open.page.getByText('No mail yet').waitFor();
    expect(countRows(appliance, 'identity')).toBe(1);
    await open.close();
  },
);
