/** Sign-in with OpenID Connect where anyone can sign up: a stranger prepares an account before its victim arrives. */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { createKey } from '../../../src/features/accounts/keys/create.ts';
import { addMember } from '../../../src/features/accounts/members.ts';
import { actAs, OPERATOR } from '../../../src/platform/core/actor.ts';
import { member, owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { type Provider, startProvider } from '../../peers/identity-provider.ts';
import type { RunningAppliance, StartOptions } from '../../start.ts';
import { ann, bob, start, Tab } from './oidc-tab.ts';

const alice = { sub: 'alice-1', email: 'alice@corp.example', email_verified: true };
const open = { signup: 'open', oidc_allowed_domains: 'corp.example' };

function startOpen(provider: Provider, more: Record<string, string> = {}, options: StartOptions = {}) {
  return start(provider, { ...open, ...more }, options);
}

/** A store that outlives its server. */
function keepStore() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-open-'));
  return { dataDir, key: randomBytes(32), [Symbol.dispose]: () => rmSync(dataDir, { recursive: true }) };
}

/** A stranger who used the sign-up page. */
async function stranger(appliance: RunningAppliance, email: string): Promise<Visitor> {
  const visitor = new Visitor(appliance);
  const reply = await visitor.post('/sign-up', { email, name: 'Corp', password });
  if (reply.status !== 200) throw new Error(`no sign-up: ${reply.text}`);
  return visitor;
}

const readAccountId = async (visitor: Visitor) => (await visitor.get('/me')).json.data.account.id as string;

/** Ids of the accounts that a session opens; first the current one. */
async function listOpened(tab: Tab): Promise<string[]> {
  const all = (await tab.visitor.get('/accounts')).json.data as { account_id: string; is_this: boolean }[];
  return all
    .toSorted((one, other) => Number(other.is_this) - Number(one.is_this))
    .map(({ account_id }) => account_id);
}

test('an account that a stranger made with her email is not opened by her first sign-in', async () => {
  await using provider = await startProvider();
  await using appliance = await startOpen(provider);
  const { account } = await owner(appliance, 'business', ann.email);
  const eve = await stranger(appliance, alice.email);
  await eve.post('/members', { email: 'eve@evil.example' });
  provider.person = alice;
  const tab = new Tab(appliance);
  expect(await tab.signIn()).toBe('/dashboard');
  expect(await listOpened(tab)).toEqual([account.id]);
  expect(await tab.me()).toMatchObject({ role: 'member', user: { email: alice.email } });
  // It remains the stranger's, with the password.
  expect((await eve.get('/me')).status).toBe(200);
});

test('a stranger who adds her as a member of the stranger’s account does not keep her from the operator’s', async () => {
  await using provider = await startProvider();
  await using appliance = await startOpen(provider);
  const { account } = await owner(appliance, 'business', ann.email);
  const eve = await stranger(appliance, 'eve@evil.example');
  await eve.post('/members', { email: alice.email });
  provider.person = alice;
  for (const _ of [1, 2]) {
    const tab = new Tab(appliance);
    expect(await tab.signIn()).toBe('/dashboard');
    expect(await listOpened(tab)).toEqual([account.id]);
  }
});

test('where nobody may join, she is told to connect single sign-on, and her email alone reveals nothing', async () => {
  await using provider = await startProvider();
  await using appliance = await startOpen(provider, {
    oidc_allowed_domains: 'other.example,alice@corp.example',
  });
  const eve = await stranger(appliance, alice.email);
  provider.person = alice;
  const tab = new Tab(appliance);
  expect(await tab.signIn()).toBe('/dashboard?sign_in=not_connected');
  expect(await tab.me()).toBeNull();
  provider.person = { ...bob, email: 'nobody@other.example' };
  expect(await tab.signIn()).toBe('/dashboard?sign_in=not_allowed');
  expect((await eve.get('/me')).json.data.user.email).toBe(alice.email);
});

test('members of accounts that the operator made, and of the home account, are still found by email', async () => {
  await using provider = await startProvider();
  await using appliance = await startOpen(provider);
  const { account: home } = await owner(appliance, 'business', ann.email);
  await member(appliance, home, alice.email);
  const { account: made } = await createAccount(appliance.services, { email: 'boss@corp.example' });
  await addMember(appliance.services, made, alice.email);
  provider.person = alice;
  const tab = new Tab(appliance);
  expect(await tab.signIn()).toBe('/dashboard');
  expect(await listOpened(tab)).toEqual([home.id, made.id]);
});

test('the first link ends a session and a key planted without a password, and keeps the operator’s key', async () => {
  await using provider = await startProvider();
  using kept = keepStore();
  let keys: string[];
  let cookie: string | null;
  {
    await using appliance = await start(provider, { passwords: 'off' }, kept);
    const { account } = await createAccount(appliance.services, { email: ann.email });
    const { invite_path } = await addMember(appliance.services, account, alice.email);
    const ofOperator = await actAs(OPERATOR, () =>
      createKey(appliance.services, account, { as: alice.email, name: 'CI' }),
    );
    const planted = new Visitor(appliance);
    await planted.post('/invite', { token: invite_path.split('/').at(-1) });
    const { api_key: key } = (await planted.post('/keys', { name: 'planted' })).json.data;
    keys = [key, ofOperator.api_key];
    cookie = planted.cookie;
  }
  await using appliance = await startOpen(provider, {}, kept);
  const planted = new Visitor(appliance);
  planted.cookie = cookie;
  const listWorking = async () => {
    const replies = await Promise.all(
      keys.map((key) => appliance.request('GET', '/api/v1/account', { key })),
    );
    return [(await planted.get('/me')).json.data !== null, ...replies.map(({ status }) => status === 200)];
  };
  expect(await listWorking()).toEqual([true, true, true]);
  provider.person = alice;
  expect(await new Tab(appliance).signIn()).toBe('/dashboard');
  expect(await listWorking()).toEqual([false, false, true]);
});

test('the first key of an account stays, whether or not the operator also set a password', async () => {
  await using provider = await startProvider();
  await using appliance = await startOpen(provider);
  for (const given of [{}, { password }]) {
    const email = `boss-${Object.keys(given).length}@corp.example`;
    const { api_key: key } = await createAccount(appliance.services, { email, ...given });
    provider.person = { sub: email, email, email_verified: true };
    expect(await new Tab(appliance).signIn()).toBe('/dashboard');
    expect((await appliance.request('GET', '/api/v1/account', { key })).status).toBe(200);
  }
});

test('an account that signed up can be the home account, because the operator chose it', async () => {
  await using provider = await startProvider();
  using kept = keepStore();
  let home: string;
  {
    await using appliance = await startOpen(provider, {}, kept);
    await owner(appliance, 'business', ann.email);
    const boss = await stranger(appliance, 'boss@corp.example');
    await boss.post('/members', { email: alice.email });
    home = await readAccountId(boss);
  }
  await using appliance = await startOpen(provider, { oidc_account: home }, kept);
  provider.person = alice;
  const tab = new Tab(appliance);
  await tab.signIn();
  expect(await listOpened(tab)).toEqual([home]);
});
