/** Claims of an identity provider: from its userinfo endpoint, of a wrong type, and errors in their place. */
import { expect, test } from 'bun:test';
import { owner, Visitor } from '../../doors/dashboard/visitor.ts';
import { clientId, clientSecret, type Provider, startProvider } from '../../peers/identity-provider.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const bob = { sub: 'bob-1', email: 'bob@example.com', email_verified: true, groups: ['admins'] };

async function start(provider: Provider): Promise<RunningAppliance> {
  const settings = {
    oidc_issuer: provider.issuer,
    oidc_client_id: clientId,
    oidc_client_secret: clientSecret,
    oidc_allowed_domains: 'example.com',
    oidc_owner_group: 'admins',
    limits: 'off',
  };
  const appliance = await startAppliance({ settings });
  await owner(appliance, 'business', 'ann@example.com');
  return appliance;
}

/** Signs in. Returns where it leads, and the role of the person. */
async function follow(appliance: RunningAppliance) {
  const open = (url: string, cookie = '') => fetch(url, { redirect: 'manual', headers: { cookie } });
  const begun = await open(`${appliance.url}/auth/oidc`);
  const [pending = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const given = await open(begun.headers.get('location') ?? '');
  const done = await open(given.headers.get('location') ?? '', pending);
  const visitor = new Visitor(appliance);
  visitor.cookie = done.headers.get('set-cookie')?.split(';')[0] ?? null;
  const role: string | undefined = (await visitor.get('/me')).json.data?.role;
  return { location: done.headers.get('location'), role };
}

const signIn = async (appliance: RunningAppliance) => (await follow(appliance)).role;

test('groups that the ID token lacks are requested from the userinfo endpoint', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  const metadata = { userinfo_endpoint: `${provider.issuer}/userinfo` };
  Object.assign(provider, { person: bob, lie: { metadata, claims: { groups: undefined } } });
  expect(await signIn(appliance)).toBe('owner');
  provider.person = { ...bob, groups: ['staff'] };
  expect(await signIn(appliance)).toBe('member');
  // If the two answers differ, the signed one counts.
  provider.lie = { metadata, claims: { groups: ['admins'] } };
  expect(await signIn(appliance)).toBe('owner');
});

test('nobody becomes an owner by what the userinfo endpoint says about another person', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  const metadata = { userinfo_endpoint: `${provider.issuer}/userinfo` };
  Object.assign(provider, { person: bob, lie: { metadata, claims: { sub: 'eve', groups: undefined } } });
  expect(await signIn(appliance)).toBeUndefined();
});

test.each([
  ['an email that only its case makes another', { email: 'bo\u212a@example.com' }, 'unverified'],
  ['a subject that can’t be stored as it is', { sub: '\ud800' }, 'refused'],
])('%s signs nobody in', async (_, claims, problem) => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  provider.person = { ...bob, email: 'bok@example.com' };
  expect(await signIn(appliance)).toBe('owner');
  provider.person = { ...bob, sub: 'another', email: 'bok@example.com' };
  provider.lie = { claims };
  expect((await follow(appliance)).location).toBe(`/dashboard?sign_in=${problem}`);
});

test('a group that is not text grants nothing and does not refuse the sign-in', async () => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  provider.person = bob;
  for (const groups of [[['admins']], [{ toString: 1 }, null, 5], { 0: 'admins', length: 1 }]) {
    provider.lie = { claims: { groups } };
    expect(await signIn(appliance)).toBe('member');
  }
});

test.each([
  [401, { error: 'invalid_client', error_description: 'The secret\u001b[2J has expired.' }, 'refused'],
  [400, { error: 'invalid_grant' }, 'refused'],
  [404, {}, 'refused'],
  [503, {}, 'unreachable'],
])('a token endpoint that answers %d %j is described in the log', async (status, body, problem) => {
  await using provider = await startProvider();
  await using appliance = await start(provider);
  Object.assign(provider, { person: bob, lie: { token: { status, body } } });
  expect(await follow(appliance)).toMatchObject({ location: `/dashboard?sign_in=${problem}` });
  const { detail } = JSON.parse(appliance.logged.at(-1)!);
  const { error = String(status), error_description: description = error } = body as Record<string, string>;
  expect(detail).toContain(error);
  expect(detail).toContain(description.replace('\u001b', ' '));
});
