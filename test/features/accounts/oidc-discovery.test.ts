/** Discovery documents of an identity provider that can't be used. */
import { describe, expect, test } from 'bun:test';
import { clientId, clientSecret, startProvider } from '../../peers/identity-provider.ts';
import { startAppliance } from '../../start.ts';

describe('a provider that names no usable address', () => {
  test.each([
    ['authorization_endpoint', undefined],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['token_endpoint', 'file:///etc/passwd'],
    ['jwks_uri', 5],
  ])('%s %p leads back to the sign-in page, and is asked again by the next person', async (name, value) => {
    await using provider = await startProvider();
    const settings = { oidc_client_id: clientId, oidc_client_secret: clientSecret };
    await using appliance = await startAppliance({ settings: { ...settings, oidc_issuer: provider.issuer } });
    const begin = async () => {
      const reply = await fetch(`${appliance.url}/auth/oidc`, { redirect: 'manual' });
      return [reply.status, reply.headers.get('location')?.replace(/\?(?!sign_in).*/, '')];
    };
    provider.lie = { metadata: { [name]: value } };
    expect(await begin()).toEqual([302, '/dashboard?sign_in=unreachable']);
    expect(appliance.logged.join('\n')).toContain(`no usable ${name}`);
    provider.lie = {};
    expect(await begin()).toEqual([302, `${provider.issuer}/authorize`]);
  });
});
