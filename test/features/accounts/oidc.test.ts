import { afterAll, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { renewInvite, setPassword } from '../../../src/features/accounts/members.ts';
import { listUsers } from '../../../src/features/accounts/sql.ts';
import { settingsFrom } from '../../../src/platform/core/settings.ts';
import { member, owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { clientId, type Provider, startProvider } from '../../peers/identity-provider.ts';
import { startAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';
import { ann, bob, start, Tab } from './oidc-tab.ts';
import { add, Browser, newKey } from './passkeys/people.ts';

const browser = haveBrowser() ? await openBrowser() : null;
afterAll(() => browser?.close());

describe('a person', () => {
  test('who is known by email keeps their accounts and roles, and is then recognised by the provider’s id', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    const { account } = await owner(appliance, 'business', ann.email);
    Object.assign(provider, { person: ann, lie: { claims: { azp: clientId } } });
    const tab = new Tab(appliance);
    expect(await tab.signIn()).toBe('/dashboard');
    expect(await tab.me()).toMatchObject({
      account: { id: account.id },
      role: 'owner',
      user: { email: ann.email },
    });
    // Their address changed at the provider.
    provider.person = { ...ann, email: 'ann.new@example.com' };
    const again = new Tab(appliance);
    expect(await again.signIn()).toBe('/dashboard');
    expect(await again.me()).toMatchObject({ account: { id: account.id } });
    const [entry] = (await again.visitor.get('/audit')).json.data;
    expect(entry).toMatchObject({
      action: 'sign_in',
      details: { method: 'oidc' },
      actor: { name: ann.email },
    });
    expect(provider.faults).toEqual([]);
  });

  test('who is unknown here becomes a member of the operator’s account if their domain is allowed', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider, { oidc_allowed_domains: 'example.com' });
    const { account } = await owner(appliance, 'business', ann.email);
    provider.person = bob;
    const tab = new Tab(appliance);
    expect(await tab.signIn()).toBe('/dashboard');
    expect(await tab.me()).toMatchObject({ account: { id: account.id }, role: 'member', is_operator: false });
    provider.person = { ...bob, sub: 'x', email: 'bob@example.com.evil.test' };
    expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=not_allowed');
  });

  test('who is unknown here is refused if no domains are allowed', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    await owner(appliance, 'business', ann.email);
    provider.person = bob;
    expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=not_allowed');
  });

  test('is an owner or a member according to their group, but the last owner stays one', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider, {
      oidc_allowed_domains: 'example.com',
      oidc_owner_group: 'admins',
    });
    await owner(appliance, 'business', ann.email);
    provider.person = { ...bob, groups: ['staff', 'admins'] };
    const tab = new Tab(appliance);
    await tab.signIn();
    expect(await tab.me()).toMatchObject({ role: 'owner' });
    provider.person = { ...bob, groups: ['staff'] };
    await tab.signIn();
    expect(await tab.me()).toMatchObject({ role: 'member' });
    provider.person = ann;
    await tab.signIn();
    expect(await tab.me()).toMatchObject({ role: 'owner' });
  });

  test('with an email that the provider has not verified takes over no account', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    await owner(appliance, 'business', ann.email);
    for (const emailVerified of [false, undefined, 'true' as unknown as boolean]) {
      provider.person = { ...ann, email_verified: emailVerified };
      const tab = new Tab(appliance);
      expect(await tab.signIn()).toBe('/dashboard?sign_in=unverified');
      expect(await tab.me()).toBeNull();
    }
  });

  test('who received someone else’s email address at the provider is not mistaken for them', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider, { oidc_allowed_domains: 'example.com' });
    await owner(appliance, 'business', ann.email);
    provider.person = ann;
    expect(await new Tab(appliance).signIn()).toBe('/dashboard');
    provider.person = { ...ann, sub: 'someone else' };
    expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=other_person');
  });

  test('who signs in invalidates the password of whoever signed up with their email before, where anyone can sign up', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider, { signup: 'open' });
    const squatter = await owner(appliance, 'free', ann.email);
    const { secret } = (await squatter.visitor.post('/second-factor/new')).json.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await squatter.visitor.post('/second-factor', { secret, code, current_password: password });
    expect(countRows(appliance, 'totp')).toBe(1);
    const by = newKey(appliance);
    await add(squatter, by);
    provider.person = ann;
    expect(await new Tab(appliance).signIn()).toBe('/dashboard');
    expect((await squatter.visitor.get('/me')).json.data).toBeNull();
    expect((await squatter.visitor.signIn(ann.email)).status).toBe(401);
    expect(countRows(appliance, 'totp')).toBe(0);
    expect((await new Browser(appliance).signIn(by)).status).toBe(401);
  });

  test('keeps a password where nobody can sign up', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    const { visitor, account } = await owner(appliance, 'business', ann.email);
    await member(appliance, account, bob.email);
    provider.person = ann;
    await new Tab(appliance).signIn();
    expect((await visitor.signIn(ann.email)).status).toBe(200);
  });
});

describe('a hostile answer', () => {
  const now = Math.floor(Date.now() / 1000);
  const lies: [string, Provider['lie']][] = [
    ['for another audience', { claims: { aud: 'other' } }],
    ['issued to another client', { claims: { azp: 'other' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['with another nonce', { claims: { nonce: 'other' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { iat: now - 4_000, exp: now - 3_600 } }],
    ['without a signature', { alg: 'none' }],
    ['signed by a symmetric key', { alg: 'HS256' }],
    ['signed by another key', { signedByAnother: true }],
  ];
  for (const [what, lie] of lies) {
    test(`${what} signs nobody in`, async () => {
      await using provider = await startProvider();
      await using appliance = await start(provider);
      await owner(appliance, 'business', ann.email);
      Object.assign(provider, { person: ann, lie });
      const tab = new Tab(appliance);
      expect(await tab.signIn()).toBe('/dashboard?sign_in=refused');
      expect(await tab.me()).toBeNull();
    });
  }

  test('that is huge is aborted', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    await owner(appliance, 'business', ann.email);
    Object.assign(provider, { person: ann, lie: { isHuge: true } });
    expect(await new Tab(appliance).signIn()).toBe('/dashboard?sign_in=unreachable');
  });

  test('is accepted only once, from the browser that began, with its own state', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    await owner(appliance, 'business', ann.email);
    provider.person = ann;
    const [tab, other] = [new Tab(appliance), new Tab(appliance)];
    const back = await tab.begin();
    expect(await other.open(back)).toBe('/dashboard?sign_in=expired');
    await other.begin();
    expect(await other.open(back)).toBe('/dashboard?sign_in=expired');
    expect(await tab.open(back)).toBe('/dashboard');
    expect(await tab.open(back)).toBe('/dashboard?sign_in=expired');
    const denied = new Tab(appliance);
    const { searchParams } = new URL(await denied.begin());
    const refusal = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state')! });
    expect(await denied.open(`${appliance.url}/auth/oidc/callback?${refusal}`)).toBe(
      '/dashboard?sign_in=refused',
    );
  });

  test('never leads anywhere but to the dashboard', async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    await owner(appliance, 'business', ann.email);
    provider.person = ann;
    const tab = new Tab(appliance);
    const elsewhere = await tab.open(
      `${appliance.url}/auth/oidc?return=https://evil.example&next=//evil.example`,
    );
    expect(elsewhere.startsWith(provider.issuer)).toBe(true);
    expect(elsewhere).not.toContain('evil');
    expect(await tab.open(await tab.open(elsewhere))).toBe('/dashboard');
  });
});

test('of two sign-ins in one browser the earlier is refused, and does not end the later', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  await owner(appliance, 'business', ann.email);
  provider.person = ann;
  const tabs = new Tab(appliance);
  const [earlier, later] = [await tabs.begin(), await tabs.begin()];
  expect(await tabs.open(earlier)).toBe('/dashboard?sign_in=expired');
  expect(await tabs.open(later)).toBe('/dashboard');
});

test('while the provider is down, passwords still work and the page says what to do', async () => {
  const provider = await startProvider();
  await using appliance = await start(provider);
  provider.stop();
  const { visitor } = await owner(appliance, 'business', ann.email);
  expect(await new Tab(appliance).open(`${appliance.url}/auth/oidc`)).toBe('/dashboard?sign_in=unreachable');
  expect((await visitor.signIn(ann.email)).status).toBe(200);
  expect(appliance.logged.join('\n')).toContain('OpenID Connect failed');
});

test('the redirect URI is below the path of the base URL', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { base_url: 'http://127.0.0.1:1/mail' });
  const location = new URL(await new Tab(appliance).open(`${appliance.url}/auth/oidc`));
  expect(location.searchParams.get('redirect_uri')).toBe('http://127.0.0.1:1/mail/auth/oidc/callback');
});

test('the settings accept an issuer only by https or on this machine, and require a client id', () => {
  const findFault = (toml: Record<string, string>) => () => settingsFrom({ toml });
  expect(findFault({ oidc_issuer: 'http://idp.example', oidc_client_id: 'x' })).toThrow(
    'must be a URL that begins',
  );
  expect(findFault({ oidc_issuer: 'https://idp.example' })).toThrow('POSTERN_OIDC_CLIENT_ID');
  expect(findFault({ oidc_issuer: 'https://idp.example', oidc_client_id: 'x' })).not.toThrow();
});

test('with passwords off, people sign in only by the provider or by a link from the operator, and nobody can set a password', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { passwords: 'off' });
  const { account } = await createAccount(appliance.services, { email: ann.email, password });
  const visitor = new Visitor(appliance);
  expect((await visitor.signIn(ann.email)).json.error.code).toBe('account_forbidden');
  const set = setPassword(appliance.services, account, { email: ann.email, password });
  await expect(set).rejects.toMatchObject({ code: 'account_forbidden' });
  const [user] = listUsers(appliance.services.store, account.no);
  const { invite_path } = await renewInvite(appliance.services, account, user!.id);
  const token = invite_path.split('/').at(-1);
  expect((await visitor.post('/invite', { token })).status).toBe(200);
  expect((await visitor.get('/me')).json.data).toMatchObject({ role: 'owner' });
  expect((await visitor.post('/invite', { token })).status).toBe(404);
  const change = await visitor.post('/password', { current_password: password, password: 'another horse' });
  expect(change.status).toBe(403);
  provider.person = ann;
  expect(await new Tab(appliance).signIn()).toBe('/dashboard');
});

test('with passwords off, each start logs a link for the operator until they have signed in by the provider', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider, { passwords: 'off' });
  await createAccount(appliance.services, { email: ann.email, password });
  const { setUp } = appliance.services;
  const token = setUp.open()?.split('/').at(-1) ?? '';
  const visitor = new Visitor(appliance);
  expect((await visitor.post('/setup', { token })).status).toBe(200);
  expect((await visitor.get('/me')).json.data).toMatchObject({ is_operator: true });
  expect(setUp.open()).not.toBeNull();
  provider.person = ann;
  await new Tab(appliance).signIn();
  expect(setUp.open()).toBeNull();
});

test('passwords can’t be turned off where nobody could sign in without one, or where anyone may sign up', () => {
  const findFault = (toml: Record<string, string>) => () => settingsFrom({ toml });
  const provider = { oidc_issuer: 'https://idp.example', oidc_client_id: 'x' };
  expect(findFault({ passwords: 'off' })).toThrow('would let nobody in');
  expect(findFault({ passwords: 'off', signup: 'open', ...provider })).toThrow('needs passwords');
  expect(findFault({ passwords: 'off', ...provider })).not.toThrow();
});

test('without a provider the sign-in page for it does not exist', async () => {
  await using appliance = await startAppliance();
  expect((await fetch(`${appliance.url}/auth/oidc`)).status).toBe(404);
  expect((await fetch(`${appliance.url}/auth/oidc/callback?code=x&state=y`)).status).toBe(404);
});

test.skipIf(!browser)(
  'in Chromium, the button leads to the provider and back into the dashboard',
  async () => {
    await using provider = await startProvider();
    await using appliance = await start(provider);
    await owner(appliance, 'business', ann.email);
    provider.person = ann;
    const open = await browser!.open(`${appliance.url}/dashboard`);
    await open.page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
    await open.page.waitForSelector('text=No mail yet');
    expect(await open.violations()).toEqual([]);
    provider.person = { ...ann, email_verified: false };
    await open.page.context().clearCookies();
    await open.page.goto(`${appliance.url}/auth/oidc`);
    await open.page.waitForSelector('text=has not verified your email');
    expect(open.faults.filter((fault) => !fault.startsWith(`asked ${provider.issuer}`))).toEqual([]);
    await open.close();
  },
);
