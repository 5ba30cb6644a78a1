/** A passkey instead of a password: for invited people, the first operator, and on servers without passwords. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { SetUp } from '../../../../src/doors/dashboard/set-up.ts';
import { createAccount } from '../../../../src/features/accounts/create.ts';
import { addMember } from '../../../../src/features/accounts/members.ts';
import { findSignInOptions } from '../../../../src/features/accounts/passkeys/place.ts';
import { settingsFrom } from '../../../../src/platform/core/settings.ts';
import { member, owner, password, Visitor } from '../../../doors/dashboard/visitor.ts';
import { Authenticator } from '../../../peers/authenticator.ts';
import { FakeClock } from '../../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../../start.ts';
import { acceptBy, Browser, invite, newKey, ownerWithPasskey, prove, renewLink, verdict } from './people.ts';

const clock = new FakeClock();
let appliance: RunningAppliance;

beforeAll(async () => {
  appliance = await startAppliance({ clock, settings: { trusted_proxies: '127.0.0.0/8', limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

describe('an invited person', () => {
  test('chooses a passkey, and has no password', async () => {
    const ann = await owner(appliance);
    const { email, token } = await invite(ann);
    expect((await new Visitor(appliance).get(`/invite/${token}`)).json.data.may_use_passkey).toBe(true);
    const by = newKey(appliance);
    const { visitor, reply, registration } = await acceptBy(new Visitor(appliance), by, token);
    expect(verdict(reply)).toBe('200');
    expect((await visitor.get('/me')).json.data).toMatchObject({
      user: { email },
      account: { id: ann.account.id },
    });
    expect((await visitor.get('/passkeys')).json.data).toMatchObject({ has_password: false });
    expect((await new Visitor(appliance).post('/invite/passkey', registration)).status).toBe(404);
    expect((await acceptBy(new Visitor(appliance), newKey(appliance), token)).reply.status).toBe(404);
    expect(verdict(await new Browser(appliance).signIn(by))).toBe('200');
    const listed = (await ann.visitor.get('/members')).json.data as { email: string }[];
    expect(listed.find((one) => one.email === email)).toMatchObject({ has_way_in: true, passkeys: 1 });
  });

  test('can’t use the challenge of another link', async () => {
    const ann = await owner(appliance);
    const [one, other] = [await invite(ann), await invite(ann)];
    const visitor = new Visitor(appliance);
    const { data } = (await visitor.post('/invite/passkey/begin', { token: one.token })).json;
    const registration = {
      token: other.token,
      pending: data.pending,
      answer: newKey(appliance).create(data),
      name: 'x',
    };
    expect(verdict(await visitor.post('/invite/passkey', registration))).toBe('422 passkey');
  });

  test('who had a password loses it and all sessions, just as when choosing a new password', async () => {
    const ann = await owner(appliance);
    const bob = await member(appliance, ann.account);

    const { reply } = await acceptBy(
      new Visitor(appliance),
      newKey(appliance),
      await renewLink(ann, bob.email),
    );
    expect(verdict(reply)).toBe('200');
    expect((await bob.visitor.get('/usage')).status).toBe(401);
    expect(verdict(await new Visitor(appliance).signIn(bob.email))).toBe('401');
    const log = JSON.stringify((await ann.visitor.get('/audit')).json.data);
    expect(log).toContain('"action":"password.changed"');
  });

  test('who has a second factor can’t replace it by a link', async () => {
    const ann = await owner(appliance);
    const bob = await member(appliance, ann.account);
    const { secret } = (await bob.visitor.post('/second-factor/new')).json.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: clock.nowUs() / 1000,
    });
    await bob.visitor.post('/second-factor', { secret, code, current_password: password });

    const token = await renewLink(ann, bob.email);
    expect((await new Visitor(appliance).get(`/invite/${token}`)).json.data.may_use_passkey).toBe(false);
    const by = newKey(appliance);
    expect((await acceptBy(new Visitor(appliance), by, token)).reply.status).toBe(409);
    expect(verdict(await new Browser(appliance).signIn(by))).toBe('401');
    // The link still works.
    expect(
      (await new Visitor(appliance).post('/invite', { token, password: 'another good one 1' })).status,
    ).toBe(200);
  });

  test('who joins while signed in with the same email can open both accounts with one passkey', async () => {
    const bob = await ownerWithPasskey(appliance);
    const ann = await owner(appliance);
    const { token } = await invite(ann, bob.email);
    expect((await bob.visitor.post('/invite/join', { token })).status).toBe(200);
    const browser = new Browser(appliance);
    await browser.signIn(bob.by);
    expect((await browser.visitor.get('/accounts')).json.data).toHaveLength(2);
  });
});

describe('the first operator', () => {
  const setUp = async (server: RunningAppliance, by: Authenticator, email: string, finalEmail = email) => {
    const visitor = new Visitor(server);
    const token = server.setUpPath!.split('/').at(-1);
    const begun = await visitor.post('/setup/passkey/begin', { token, email });
    if (begun.status !== 200) return { visitor, reply: begun };
    const { data } = begun.json;
    const registration = {
      token,
      email: finalEmail,
      name: 'Ann',
      pending: data.pending,
      passkey_name: 'Laptop',
    };
    return {
      visitor,
      reply: await visitor.post('/setup/passkey', { ...registration, answer: by.create(data) }),
    };
  };

  test('can set up with only a passkey, once', async () => {
    await using own = await startAppliance({ clock });
    const by = newKey(own);
    expect(verdict((await setUp(own, by, 'no address')).reply)).toBe('422 email');
    expect(verdict((await setUp(own, by, 'ann@example.com', 'eve@example.com')).reply)).toBe('422 passkey');
    const { visitor, reply } = await setUp(own, by, 'Ann@Example.com');
    expect(verdict(reply)).toBe('200');
    const { data } = (await visitor.get('/me')).json;
    expect([data.user.email, data.is_operator]).toEqual(['ann@example.com', true]);
    expect((await setUp(own, by, 'eve@example.com')).reply.status).toBe(404);
    expect(verdict(await new Browser(own).signIn(by))).toBe('200');
    // The next start must not offer another set-up.
    expect(new SetUp(own.services.store, findSignInOptions(own.services)).open()).toBeNull();
    const elsewhere = { ...findSignInOptions(own.services), rp_id: 'mail.example.com' };
    expect(new SetUp(own.services.store, elsewhere).open()).toStartWith('/setup/');
  });
});

describe('with POSTERN_PASSWORDS=off', () => {
  const off = { passwords: 'off', base_url: 'https://mail.example.com/mail', limits: 'off' };
  const secureKey = () => new Authenticator('https://mail.example.com', 'mail.example.com');

  test('a server starts where passkeys work, and needs a provider elsewhere', () => {
    const faults = (toml: Record<string, string>) => {
      try {
        settingsFrom({ toml: { passwords: 'off', ...toml } });
        return 'none';
      } catch (thrown) {
        return String(thrown);
      }
    };
    for (const baseUrl of [
      'https://mail.example.com',
      'https://mail.example.com/mail',
      'http://localhost:8025',
    ])
      expect(faults({ base_url: baseUrl })).toBe('none');
    for (const baseUrl of ['http://mail.example.com', 'https://192.0.2.7', 'https://[2001:db8::1]'])
      expect(faults({ base_url: baseUrl })).toContain('would let nobody in');
    expect(faults({})).toContain('would let nobody in');
  });

  test('invited people use passkeys, and stored passwords no longer work', async () => {
    await using own = await startAppliance({ clock, settings: off });
    const { account } = await createAccount(own.services, { email: 'ann@example.com', plan: 'business' });
    const { invite_path } = await addMember(own.services, account, 'bob@example.com');
    const by = secureKey();
    const token = invite_path.split('/').at(-1)!;
    const visitor = new Visitor(own);
    const { reply } = await acceptBy(visitor, by, token);
    expect(verdict(reply)).toBe('200');
    const { data } = (await visitor.get('/passkeys')).json;
    expect(data).toMatchObject({
      place: { origin: 'https://mail.example.com', problem: null },
      has_password: false,
    });
    expect((await new Visitor(own).signIn('bob@example.com')).status).toBe(403);
    const [{ id }] = data.passkeys;
    expect((await visitor.post(`/passkeys/${id}/remove`, await prove(visitor, by))).status).toBe(409);
    const signedIn = new Browser(own);
    expect((await signedIn.signIn(by)).headers.get('set-cookie')).toStartWith('__Secure-postern_session=');
  });

  test('the operator’s link works once, even when it only signs in', async () => {
    await using own = await startAppliance({ clock, settings: off });
    const token = own.setUpPath!.split('/').at(-1);
    const ann = new Visitor(own);
    expect(verdict(await ann.post('/setup', { token, email: 'ann@example.com' }))).toBe('200');
    expect((await ann.get('/me')).json.data.is_operator).toBe(true);
    const again = await new Visitor(own).post('/setup', { token, email: 'ann@example.com' });
    expect([again.status, again.json.error.message]).toEqual([
      404,
      expect.stringContaining('restart Postern'),
    ]);
    // The next start has another one, until there is a lasting way in.
    expect(own.services.setUp.open()).toStartWith('/setup/');
  });

  test('with no other proof to ask for, a new passkey opens only the account that is open', async () => {
    await using own = await startAppliance({ clock, settings: off });
    const visitor = new Visitor(own);
    for (const email of ['ann@example.com', 'eve@example.com']) {
      const { account } = await createAccount(own.services, { email, plan: 'business' });
      const { invite_path } = await addMember(own.services, account, 'bob@example.com');
      const token = invite_path.split('/').at(-1);
      const joins = email === 'ann@example.com' ? '/invite' : '/invite/join';
      expect(verdict(await visitor.post(joins, { token }))).toBe('200');
    }
    expect((await visitor.get('/accounts')).json.data).toHaveLength(2);
    const { data } = (await visitor.post('/passkeys/new', {})).json;
    const by = secureKey();
    const registration = { pending: data.pending, answer: by.create(data), name: 'Laptop' };
    const [other] = (await visitor.get('/accounts')).json.data.filter(
      (one: { is_this: boolean }) => !one.is_this,
    );
    await visitor.post('/accounts/switch', { account_id: other.account_id });
    expect(verdict(await visitor.post('/passkeys', registration))).toBe('422 passkey');
    const begun = (await visitor.post('/passkeys/new', {})).json.data;
    const again = { pending: begun.pending, answer: by.create(begun), name: 'Laptop' };
    expect(verdict(await visitor.post('/passkeys', again))).toBe('200');
    const browser = new Browser(own);
    await browser.signIn(by);
    expect((await browser.visitor.get('/accounts')).json.data).toMatchObject([
      { account_id: other.account_id },
    ]);
  });

  test('someone who signed in by a link can add a passkey within 15 minutes, and not later', async () => {
    await using own = await startAppliance({ clock, settings: off });
    const { account } = await createAccount(own.services, { email: 'ann@example.com', plan: 'business' });
    const { invite_path } = await addMember(own.services, account, 'bob@example.com');
    const visitor = new Visitor(own);
    await visitor.post('/invite', { token: invite_path.split('/').at(-1) });
    expect(verdict(await visitor.post('/passkeys/new', {}))).toBe('200');
    await clock.advance(901_000);
    expect((await visitor.post('/passkeys/new', {})).status).toBe(409);
  });
});

test('where passkeys can’t work, the browser is asked for none, and the page learns why', async () => {
  for (const [baseUrl, problem] of [
    ['http://mail.example.com', 'no_https'],
    ['https://192.0.2.7', 'ip_address'],
    ['https://[2001:db8::1]:8443', 'ip_address'],
  ]) {
    await using own = await startAppliance({ clock, settings: { base_url: baseUrl! } });
    const visitor = new Visitor(own);
    expect((await visitor.get('/door')).json.data.passkeys).toEqual({ origin: null, problem });
    expect((await visitor.post('/passkeys/sign-in/begin')).status).toBe(409);
  }
});
