/** Claims that an identity provider returns only from its userinfo endpoint. */
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

/** Signs in. Returns the role of the person. */
async function signIn(appliance: RunningAppliance): Promise<string | undefined> {
  const open = (url: string, cookie = '') => fetch(url, { redirect: 'manual', headers: { cookie } });
  const begun = await open(`${appliance.url}/auth/oidc`);
  const [pending = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const given = await open(begun.headers.get('location') ?? '');
  const done = await open(given.headers.get('location') ?? '', pending);
  const visitor = new Visitor(appliance);
  visitor.cookie = done.headers.get('set-cookie')?.split(';')[0] ?? null;
  return (await visitor.get('/me')).json.data?.role;
}

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
