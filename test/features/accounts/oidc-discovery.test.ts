/** Discovery documents of an identity provider that can't be used. */
import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../../peers/fake-clock.ts';
import { clientId, clientSecret, startProvider } from '../../peers/identity-provider.ts';
import { type StartOptions, startAppliance } from '../../start.ts';

async function start(issuer: string, options: StartOptions = {}) {
  const settings = { oidc_issuer: issuer, oidc_client_id: clientId, oidc_client_secret: clientSecret };
  const appliance = await startAppliance({
    ...options,
    settings: { ...settings, oidc_owner_group: 'admins' },
  });
  const begin = async () => {
    const reply = await fetch(`${appliance.url}/auth/oidc`, { redirect: 'manual' });
    return [reply.status, reply.headers.get('location')?.replace(/\?(?!sign_in).*/, '')];
  };
  return Object.assign(appliance, { begin });
}

describe('a provider that names no usable address', () => {
  test.each([
    ['authorization_endpoint', undefined],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['token_endpoint', 'file:///etc/passwd'],
    ['jwks_uri', 5],
  ])('%s %p leads back to the sign-in page, and is asked again by the next person', async (name, value) => {
    await using provider = await startProvider();
    await using appliance = await start(provider.issuer);
    const { begin } = appliance;
    provider.lie = { metadata: { [name]: value } };
    expect(await begin()).toEqual([302, '/dashboard?sign_in=unreachable']);
    expect(appliance.logged.join('\n')).toContain(`no usable ${name}`);
    provider.lie = {};
    expect(await begin()).toEqual([302, `${provider.issuer}/authorize`]);
  });
});

test.each([{ groups: 1 }, 5, 'openid groups', null])(
  'scopes that are no list (%p) are ignored',
  async (scopes) => {
    await using provider = await startProvider();
    await using appliance = await start(provider.issuer);
    provider.lie = { metadata: { scopes_supported: scopes } };
    expect(await appliance.begin()).toEqual([302, `${provider.issuer}/authorize`]);
  },
);

test('a clock that was a year ahead does not keep an old discovery document', async () => {
  await using provider = await startProvider();
  const clock = new FakeClock();
  await using appliance = await start(provider.issuer, { clock });
  expect(await appliance.begin()).toEqual([302, `${provider.issuer}/authorize`]);
  clock.set(clock.nowUs() - 365 * 86_400_000_000);
  provider.lie = { metadata: { authorization_endpoint: `${provider.issuer}/moved` } };
  expect(await appliance.begin()).toEqual([302, `${provider.issuer}/authorize`]);
  await clock.leap(3_600_001);
  expect(await appliance.begin()).toEqual([302, `${provider.issuer}/moved`]);
});
