/** Signing in, staying signed in, and signing out: passwords, cookies, sessions, links. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { member, newEmail, owner, password, Visitor } from './visitor.ts';

const clock = new FakeClock();
const DAY_MS = 86_400_000;
let appliance: RunningAppliance;
let setUpPath: string;

beforeAll(async () => {
  const settings = { trusted_proxies: '127.0.0.0/8', signup: 'open', limit_sign_ups_per_hour: '2' };
  appliance = await startAppliance({ clock, settings, logLevel: 'info' });
  setUpPath = appliance.setUpPath!;
});
afterAll(() => appliance[Symbol.asyncDispose]());

const someone = (from?: string) => new Visitor(appliance, from);
const status = async (visitor: Visitor) => (await visitor.get('/usage')).status;

describe('the first start', () => {
  test('creates a link that sets up the operator once', async () => {
    const token = setUpPath.split('/').at(-1);
    const ann = someone();
    expect((await ann.get('/setup/wrong')).status).toBe(404);
    expect((await ann.get(`/setup/${token}`)).json.data).toEqual({ email: null });
    const short = await ann.post('/setup', { token, email: 'ann@example.com', password: 'short' });
    expect([short.status, Object.keys(short.json.error.fields)]).toEqual([422, ['password']]);
    const input = { token, email: 'Ann@Example.com ', name: 'Ann', password };
    expect((await ann.post('/setup', input)).status).toBe(200);
    const { data } = (await ann.get('/me')).json;
    expect([data.user.email, data.role, data.is_operator]).toEqual(['ann@example.com', 'owner', true]);
    expect((await someone().post('/setup', { ...input, email: 'eve@example.com' })).status).toBe(404);
    expect((await someone().get(`/setup/${token}`)).status).toBe(404);
  });

  test('writes the link to the log, but not to the log that the pages show', () => {
    expect(appliance.logged.join('\n')).not.toContain(setUpPath);
  });

  test('asks only for a password when the command line created the account', async () => {
    await using other = await startAppliance();
    await createAccount(other.services, { email: 'bob@example.com' });
    const token = other.setUpPath!.split('/').at(-1);
    const bob = new Visitor(other);
    expect((await bob.get(`/setup/${token}`)).json.data).toEqual({ email: 'bob@example.com' });
    expect((await bob.post('/setup', { token, email: 'eve@example.com', password })).status).toBe(200);
    expect((await bob.get('/me')).json.data.user.email).toBe('bob@example.com');
  });
});

describe('signing in', () => {
  test('sets a cookie that no script can read and no other site can send', async () => {
    const { email } = await owner(appliance);
    const reply = await someone().signIn(` ${email.toUpperCase()} `);
    expect(reply.status).toBe(200);
    const set = reply.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^postern_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
    expect(reply.text).not.toContain(set.split(/[=;]/)[1]!);
  });

  test('sets a cookie over https that no other host can set', async () => {
    const { email } = await owner(appliance);
    const origin = appliance.url.replace('http:', 'https:');
    const reply = await someone().ask('POST', '/sign-in', { email, password }, { origin });
    expect(reply.headers.get('set-cookie')).toMatch(/^__Host-postern_session=.*; Path=\/; .*; Secure$/);
    await using behind = await startAppliance({ settings: { base_url: 'https://mail.example.com' } });
    const person = await owner(behind);
    expect(person.visitor.cookie).toStartWith('__Host-');
    expect(await status(person.visitor)).toBe(200);
    // A cookie set by a subdomain or a plain http page is not even examined.
    person.visitor.cookie = `postern_session=${person.visitor.token}`;
    expect(await status(person.visitor)).toBe(401);
  });

  test('does not reveal which accounts exist', async () => {
    const { email } = await owner(appliance);
    const noPassword = (await createAccount(appliance.services, { email: newEmail() })).account.email!;
    const replies = [
      await someone().signIn(email, 'wrong password'),
      await someone().signIn('nobody@example.org'),
      await someone().signIn(noPassword),
      await someone().signIn(email, 'x'.repeat(1_500)),
    ];
    for (const { status, json, headers } of replies) {
      const { code, message, fields } = json.error;
      expect([status, code, message, fields, headers.get('set-cookie')]).toEqual([
        401,
        'authentication_required',
        'The email or the password is wrong.',
        {},
        null,
      ]);
    }
  });

  test('ends the browser’s old session, and ignores a session id that was planted', async () => {
    const { email, visitor } = await owner(appliance);
    const before = visitor.cookie;
    const victim = someone();
    victim.cookie = `postern_session=${'a'.repeat(43)}`;
    await victim.signIn(email);
    expect(victim.token).not.toBe('a'.repeat(43));
    await visitor.signIn(email);
    expect(visitor.cookie).not.toBe(before);
    const old = someone();
    old.cookie = before;
    expect(await status(old)).toBe(401);
  });

  test('is limited per address', async () => {
    const eve = someone('198.51.100.7');
    const replies = await Promise.all(Array.from({ length: 31 }, () => eve.get('/invite/x')));
    expect(replies.map((reply) => reply.status).filter((code) => code === 429)).toHaveLength(1);
    expect((await eve.signIn('ann@example.com')).status).toBe(429);
    expect((await someone('198.51.100.8').signIn('ann@example.com')).status).toBe(200);
    await clock.advance(901_000);
    expect((await eve.signIn('ann@example.com')).status).toBe(200);
  });

  test('is limited per person, from however many addresses', async () => {
    await using strict = await startAppliance({
      clock,
      settings: { limit_wrong_passwords_per_hour: '3', trusted_proxies: '127.0.0.0/8' },
    });
    // From an address where they signed in before, strangers' guesses do not lock them out.
    const { email } = await owner(strict);
    for (let tries = 0; tries < 3; tries++) {
      expect((await new Visitor(strict, `198.51.100.${tries}`).signIn(email, 'wrong')).status).toBe(401);
    }
    const refused = await new Visitor(strict, '198.51.100.9').signIn(email);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await new Visitor(strict).signIn('else@example.org')).status).toBe(401);
    expect((await new Visitor(strict).signIn(email)).status).toBe(200);
    await clock.advance(3_601_000);
    expect((await new Visitor(strict, '198.51.100.9').signIn(email)).status).toBe(200);
  });

  test('is limited per person even for simultaneous attempts, and successful ones do not count', async () => {
    await using strict = await startAppliance({
      clock,
      settings: { limit_wrong_passwords_per_hour: '3', trusted_proxies: '127.0.0.0/8' },
    });
    const { email } = await owner(strict);
    for (let times = 0; times < 4; times++) {
      expect((await new Visitor(strict, '198.51.100.9').signIn(email)).status).toBe(200);
    }
    const atOnce = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => new Visitor(strict, `198.51.100.${nth}`).signIn(email, 'wrong')),
    );
    expect(atOnce.map(({ status }) => status).sort()).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
  });

  test('accepts JSON from our own page only', async () => {
    const { email } = await owner(appliance);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const input = { email, password };
    expect((await someone().ask('POST', '/sign-in', 'email=a', form)).status).toBe(415);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await someone().ask('POST', '/sign-in', input, foreign)).status).toBe(403);
  });
});

describe('a session', () => {
  test('ends after a week without use, and after 30 days however it is used', async () => {
    const { visitor } = await owner(appliance);
    const idle = (await owner(appliance)).visitor;
    for (let day = 0; day < 29; day += 5) {
      await clock.leap(5 * DAY_MS);
      if (day < 25) expect(await status(visitor)).toBe(200);
      // The use of a session is recorded after the response.
      while (appliance.services.store.writesWaiting > 0) await new Promise(setImmediate);
    }
    expect(await status(idle)).toBe(401);
    expect(await status(visitor)).toBe(401);
  });

  test('ends on sign-out, which removes its cookie', async () => {
    const { visitor } = await owner(appliance);
    const copy = someone();
    copy.cookie = visitor.cookie;
    expect((await visitor.post('/sign-out')).status).toBe(200);
    expect([visitor.cookie, await status(copy)]).toEqual([null, 401]);
  });

  test('can end other sessions, one or all', async () => {
    const { visitor, email } = await owner(appliance);
    const [phone, desk] = [someone(), someone()];
    await phone.signIn(email);
    await desk.signIn(email);
    const list = (await visitor.get('/sessions')).json.data as { id: string; is_this: boolean }[];
    expect(list.map(({ is_this }) => is_this)).toEqual([false, false, true]);
    const stranger = (await owner(appliance)).visitor;
    expect((await stranger.ask('DELETE', `/sessions/${list[0]!.id}`)).status).toBe(404);
    expect((await visitor.ask('DELETE', `/sessions/${list[0]!.id}`)).status).toBe(200);
    expect([await status(desk), await status(phone)]).toEqual([401, 200]);
    expect((await visitor.post('/sessions/end-all', { keep_this: true })).json.data).toEqual({ ended: 1 });
    expect([await status(phone), await status(visitor)]).toEqual([401, 200]);
    await visitor.post('/sessions/end-all', { keep_this: false });
    expect([visitor.cookie, await status(stranger)]).toEqual([null, 200]);
  });

  test('of a suspended account can only sign out', async () => {
    const { account, visitor } = await owner(appliance);
    const change = { account_no: account.no, changes: { status: 'suspended' } } as const;
    await appliance.services.store.write(changeAccountOp, change);
    const reply = await visitor.get('/keys');
    expect([reply.status, reply.json.error.code]).toEqual([403, 'account_forbidden']);
    expect((await visitor.post('/sign-out')).status).toBe(200);
  });
});

describe('a password', () => {
  test('is changed by a person who knows it, which ends every other session', async () => {
    const { visitor, email } = await owner(appliance);
    const other = someone();
    await other.signIn(email);
    const before = visitor.cookie;
    const wrong = await visitor.post('/password', { current_password: 'wrong', password: 'another one' });
    expect([wrong.status, Object.keys(wrong.json.error.fields)]).toEqual([422, ['current_password']]);
    const input = { current_password: password, password: 'another one' };
    expect((await visitor.post('/password', input)).status).toBe(200);
    expect(visitor.cookie).not.toBe(before);
    expect([await status(visitor), await status(other)]).toEqual([200, 401]);
    expect((await someone().signIn(email)).status).toBe(401);
    expect((await someone().signIn(email, 'another one')).status).toBe(200);
  });
});

describe('an invitation', () => {
  async function invited(email: string) {
    const { visitor, account } = await owner(appliance);
    const { json } = await visitor.post('/members', { email });
    return { token: json.data.invite_path.split('/').at(-1) as string, account };
  }

  test('sets a password, once', async () => {
    const email = newEmail();
    const { token, account } = await invited(email);
    const mia = someone();
    expect((await mia.get(`/invite/${token}`)).json.data).toMatchObject({
      email,
      role: 'member',
      can_join: false,
    });
    expect((await mia.post('/invite', { token, password })).status).toBe(200);
    const me = (await mia.get('/me')).json.data;
    expect([me.user.email, me.role, me.account.id]).toEqual([email, 'member', account.id]);
    expect((await someone().post('/invite', { token, password: 'stolen later' })).status).toBe(404);
  });

  test('expires after 7 days', async () => {
    const { token } = await invited(newEmail());
    await clock.leap(7 * DAY_MS);
    expect((await someone().get(`/invite/${token}`)).status).toBe(404);
    expect((await someone().post('/invite', { token, password })).status).toBe(404);
  });

  test('lets a person signed in with that email switch between both accounts', async () => {
    const { visitor, account, email } = await owner(appliance);
    const invitation = await invited(email);
    expect((await visitor.get(`/invite/${invitation.token}`)).json.data.can_join).toBe(true);
    expect((await visitor.post('/invite/join', { token: invitation.token })).status).toBe(200);
    expect((await visitor.get('/me')).json.data).toMatchObject({
      account: { id: invitation.account.id },
      role: 'member',
    });
    expect((await visitor.get('/accounts')).json.data).toHaveLength(2);
    expect((await visitor.post('/accounts/switch', { account_id: account.id })).status).toBe(200);
    expect((await visitor.get('/me')).json.data).toMatchObject({
      account: { id: account.id },
      role: 'owner',
    });
    // The next sign-in proves both.
    const again = someone();
    await again.signIn(email);
    expect((await again.get('/accounts')).json.data).toHaveLength(2);
  });

  test('for another person’s email gives no access to their account', async () => {
    const victim = await owner(appliance);
    const mallory = await owner(appliance);
    const { json } = await mallory.visitor.post('/members', { email: victim.email });
    const token = json.data.invite_path.split('/').at(-1);
    // The attacker owns the account, so they have the link and can set a password for the victim's email.
    const posing = someone();
    await posing.post('/invite', { token, password: 'mallory knows it' });
    expect((await posing.get('/accounts')).json.data).toHaveLength(1);
    const switched = await posing.post('/accounts/switch', { account_id: victim.account.id });
    expect(switched.status).toBe(404);
    const joined = await mallory.visitor.post('/invite/join', { token });
    expect(joined.status).toBe(404);
    expect((await someone().signIn(victim.email)).status).toBe(200);
  });

  test('can’t be accepted by a session of another email', async () => {
    const { token } = await invited(newEmail());
    const { visitor } = await owner(appliance);
    const reply = await visitor.post('/invite/join', { token });
    expect([reply.status, reply.json.error.code]).toEqual([409, 'conflict']);
  });
});

describe('signing up', () => {
  test('creates a free account that can’t send, and does not reveal which accounts exist', async () => {
    const { email } = await owner(appliance);
    const eve = someone('203.0.113.5');
    expect((await eve.get('/door')).json.data).toMatchObject({ signed_in: false, signup: true });
    expect((await eve.post('/sign-up', { email, password: 'of my own' })).status).toBe(200);
    const me = (await eve.get('/me')).json.data;
    expect([me.account.plan, me.role, me.is_operator]).toEqual(['free', 'owner', false]);
    expect((await eve.get('/accounts')).json.data).toHaveLength(1);
    // The first account is untouched.
    expect((await someone().signIn(email)).status).toBe(200);
    expect((await eve.post('/sign-up', { email: newEmail(), password })).status).toBe(200);
    expect((await eve.post('/sign-up', { email: newEmail(), password })).status).toBe(429);
  });

  test('does not create many accounts for one email', async () => {
    await using open = await startAppliance({ settings: { signup: 'open' } });
    const email = newEmail();
    for (let one = 0; one < 3; one++) {
      expect((await new Visitor(open).post('/sign-up', { email, password })).status).toBe(200);
    }
    expect((await new Visitor(open).post('/sign-up', { email, password })).status).toBe(409);
  });

  test('is closed unless the operator opens it', async () => {
    await using closed = await startAppliance();
    const eve = new Visitor(closed);
    expect((await eve.get('/door')).json.data.signup).toBe(false);
    expect((await eve.post('/sign-up', { email: newEmail(), password })).status).toBe(404);
  });
});

test('a removed member loses access at once', async () => {
  const { account, visitor } = await owner(appliance);
  const mia = await member(appliance, account);
  const members = (await visitor.get('/members')).json.data as { user_id: string; email: string }[];
  const { user_id } = members.find(({ email }) => email === mia.email)!;
  expect((await visitor.ask('DELETE', `/members/${user_id}`)).status).toBe(200);
  expect(await status(mia.visitor)).toBe(401);
});

test('none of these requests caused a server error', () => {
  expect(appliance.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
