/** The cookie that binds a sign-in with OpenID Connect to a browser, as a hostile neighbour would set it. */
import { expect, test } from 'bun:test';
import { clientId, clientSecret, startProvider } from '../../peers/identity-provider.ts';
import { startAppliance } from '../../start.ts';
import { owner } from './visitor.ts';

const settings = { oidc_client_id: clientId, oidc_client_secret: clientSecret, limits: 'off' };

test.each([
  ['https://mail.example.com', '__Host-postern_oidc', '/'],
  ['https://mail.example.com/inboxes', '__Secure-postern_oidc', '/inboxes/auth/oidc'],
])('a sign-in begun at %s is remembered as %s for %s', async (baseUrl, name, path) => {
  await using provider = await startProvider();
  const behind = { ...settings, base_url: baseUrl, oidc_issuer: provider.issuer };
  await using appliance = await startAppliance({ settings: behind });
  const begun = await fetch(`${appliance.url}${new URL(`${baseUrl}/`).pathname}auth/oidc`, {
    redirect: 'manual',
  });
  const set = begun.headers.get('set-cookie') ?? '';
  expect(set.slice(0, set.indexOf('='))).toBe(name);
  expect(set).toEndWith(`; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=600; Secure`);
});

test('a cookie that another host of the domain can set signs nobody in as its owner', async () => {
  await using provider = await startProvider();
  const baseUrl = 'https://mail.example.com';
  const behind = { ...settings, base_url: baseUrl, oidc_issuer: provider.issuer };
  await using appliance = await startAppliance({ settings: behind });
  await owner(appliance, 'business', 'eve@example.com');
  provider.person = { sub: 'eve', email: 'eve@example.com', email_verified: true };
  // Eve begins a sign-in, and has somebody else's browser finish it.
  const begun = await fetch(`${appliance.url}/auth/oidc`, { redirect: 'manual' });
  const given = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  const back = (given.headers.get('location') ?? '').replace(baseUrl, appliance.url);
  const pending = /=([^;]+)/.exec(begun.headers.get('set-cookie') ?? '')?.[1];
  const finish = (name: string) =>
    fetch(back, { redirect: 'manual', headers: { cookie: `${name}=${pending}` } });
  for (const name of ['postern_oidc', '__Secure-postern_oidc']) {
    const refused = await finish(name);
    expect([name, refused.headers.get('location')]).toEqual([name, '/dashboard?sign_in=expired']);
  }
  // Only a response of mail.example.com itself can set this one (RFC 6265bis 4.1.3.2).
  expect((await finish('__Host-postern_oidc')).headers.get('location')).toBe('/dashboard');
});
