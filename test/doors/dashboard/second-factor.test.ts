/** The second factor: an authenticator app, and recovery codes for when it is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { hashPassword } from '../../../src/features/accounts/password.ts';
import { setTotpOp } from '../../../src/features/accounts/second-factor/writes.ts';
import { setPasswordOp } from '../../../src/features/accounts/writes.ts';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Reply, type RunningAppliance, startAppliance } from '../../start.ts';
import { spoilTotpSecrets } from '../../store-state.ts';
import { member, owner, type Person, password, Visitor } from './visitor.ts';

const clock = new FakeClock();
const STEP_MS = 30_000;
let appliance: RunningAppliance;

beforeAll(async () => {
  appliance = await startAppliance({ clock, settings: { trusted_proxies: '127.0.0.0/8', limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** Returns the code that an app shows, some steps from now. */
function showCode(secret: string, stepsFromNow = 0): string {
  const timestamp = clock.nowUs() / 1000 + stepsFromNow * STEP_MS;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

interface WithApp extends Person {
  secret: string;
  recoveryCodes: string[];
}

async function addApp({ visitor }: Person): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await visitor.post('/second-factor/new')).json.data;
  const body = { secret, code: showCode(secret), current_password: password };
  const { recovery_codes } = (await visitor.post('/second-factor', body)).json.data;
  // The code of this step can't be used again.
  await clock.advance(STEP_MS);
  return { secret, recoveryCodes: recovery_codes };
}

async function ownerWithApp(): Promise<WithApp> {
  const person = await owner(appliance);
  return { ...person, ...(await addApp(person)) };
}

const signIn = (email: string, code?: string, given = password) =>
  new Visitor(appliance).post('/sign-in', { email, password: given, ...(code !== undefined && { code }) });
const verdict = ({ status, json }: Reply) =>
  status === 200 ? '200' : `${status} ${Object.keys(json.error.fields).join(' ')}`.trim();

describe('adding an app', () => {
  test('needs the password and a code of the app, and shows recovery codes once', async () => {
    const ann = await owner(appliance);
    const { secret, uri } = (await ann.visitor.post('/second-factor/new')).json.data;
    expect(uri).toStartWith('otpauth://totp/');
    expect(uri).toContain(`secret=${secret}`);
    const add = (change: object) =>
      ann.visitor.post('/second-factor', {
        secret,
        code: showCode(secret),
        current_password: password,
        ...change,
      });
    expect(verdict(await add({ current_password: 'wrong' }))).toBe('422 current_password');
    expect(verdict(await add({ code: '000000' }))).toBe('422 code');
    expect(verdict(await add({ secret: 'AAAA' }))).toBe('422 secret');
    expect((await ann.visitor.get('/second-factor')).json.data).toEqual({
      added_at: null,
      recovery_codes: 0,
    });
    const added = await add({});
    expect(added.json.data.recovery_codes).toHaveLength(10);
    for (const code of added.json.data.recovery_codes) expect(code).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
    const state = (await ann.visitor.get('/second-factor')).json.data;
    expect(state).toEqual({ added_at: expect.any(String), recovery_codes: 10 });
    expect(JSON.stringify(state)).not.toContain(secret);
  });
});

describe('signing in with an app', () => {
  test('asks for a code after the right password, and for nothing after a wrong one', async () => {
    const { email, secret } = await ownerWithApp();
    expect(verdict(await signIn(email))).toBe('401 code');
    expect(verdict(await signIn(email, undefined, 'wrong'))).toBe('401');
    expect(verdict(await signIn(email, showCode(secret), 'wrong'))).toBe('401');
    expect(verdict(await signIn(email, '000000'))).toBe('401 code');
    expect(verdict(await signIn(email, showCode(secret)))).toBe('200');
  });

  test('accepts each code once, even from two browsers at the same time', async () => {
    const { email, secret } = await ownerWithApp();
    const code = showCode(secret);
    const both = await Promise.all([signIn(email, code), signIn(email, code)]);
    expect(both.map(verdict).sort()).toEqual(['200', '401 code']);
    expect(verdict(await signIn(email, code))).toBe('401 code');
    await clock.advance(STEP_MS);
    expect(verdict(await signIn(email, code))).toBe('401 code');
    expect(verdict(await signIn(email, showCode(secret)))).toBe('200');
  });

  test('allows for a clock that is one step off, and no more', async () => {
    const { email, secret } = await ownerWithApp();
    for (const [steps, wanted] of [
      [-2, '401 code'],
      [2, '401 code'],
      [-1, '401 code'],
      [1, '200'],
    ] as const) {
      // The code of the previous step was used to add the app.
      expect([steps, verdict(await signIn(email, showCode(secret, steps)))]).toEqual([steps, wanted]);
    }
  });

  test('accepts each recovery code once, however it is typed', async () => {
    const { email, visitor, recoveryCodes } = await ownerWithApp();
    const [first = '', second = ''] = recoveryCodes;
    expect(verdict(await signIn(email, ` ${first.toUpperCase().replaceAll('-', ' ')} `))).toBe('200');
    expect(verdict(await signIn(email, first))).toBe('401 code');
    expect((await visitor.get('/second-factor')).json.data.recovery_codes).toBe(9);
    const renewed = await visitor.post('/second-factor/recovery-codes', { current_password: password });
    expect(verdict(await signIn(email, second))).toBe('401 code');
    expect(verdict(await signIn(email, renewed.json.data.recovery_codes[9]))).toBe('200');
  });

  test('opens every account of the person, and none by the password alone', async () => {
    const ann = await owner(appliance);
    await owner(appliance, 'free', ann.email);
    const again = new Visitor(appliance);
    await again.signIn(ann.email);
    const { secret } = await addApp({ ...ann, visitor: again });
    await owner(appliance, 'pro', ann.email).catch(() => {});
    expect(verdict(await signIn(ann.email))).toBe('401 code');
    const inAll = new Visitor(appliance);
    expect(
      (await inAll.post('/sign-in', { email: ann.email, password, code: showCode(secret) })).status,
    ).toBe(200);
    expect((await inAll.get('/accounts')).json.data).toHaveLength(3);
  });

  test('limits guesses of codes like wrong passwords', async () => {
    const settings = { limit_wrong_passwords_per_hour: '3', trusted_proxies: '127.0.0.0/8' };
    await using limited = await startAppliance({ clock, settings });
    const ann = await owner(limited);
    const { secret } = (await ann.visitor.post('/second-factor/new')).json.data;
    const added = { secret, code: showCode(secret), current_password: password };
    expect((await ann.visitor.post('/second-factor', added)).status).toBe(200);
    await clock.advance(STEP_MS);
    const from = (address: string, code?: string) =>
      new Visitor(limited, address).post('/sign-in', { email: ann.email, password, code });
    // To be asked for the code is not a wrong guess.
    const phone = '198.51.100.8';
    for (let times = 0; times < 4; times++) expect(verdict(await from(phone))).toBe('401 code');
    await clock.advance(STEP_MS);
    expect((await from(phone, showCode(secret))).status).toBe(200);
    await clock.advance(STEP_MS);
    const thief = '198.51.100.7';
    for (const code of ['000000', '000001', '000002']) expect((await from(thief, code)).status).toBe(401);
    expect((await from(thief, showCode(secret))).status).toBe(429);
    // Where she signed in before, she is not locked out.
    expect((await from('192.0.2.1', showCode(secret))).status).toBe(200);
  });

  test('limits guesses of passwords and codes, even from an address that uses another account of the same email', async () => {
    await using strict = await startAppliance({
      clock,
      settings: { limit_wrong_passwords_per_hour: '3', signup: 'open', trusted_proxies: '127.0.0.0/8' },
    });
    const { email } = await owner(strict);
    const signIn = (given: string) => new Visitor(strict, '198.51.100.9').signIn(email, given);
    const own = 'mallory knows it';
    const signedUp = await new Visitor(strict, '198.51.100.9').post('/sign-up', { email, password: own });
    expect([signedUp.status, (await signIn(own)).status]).toEqual([200, 200]);
    for (let tries = 0; tries < 3; tries++) expect((await signIn(`guess ${tries}`)).status).toBe(401);
    expect((await signIn(password)).status).toBe(401);
    expect((await signIn(own)).status).toBe(200);
  });

  test('is recorded with the kind of code, even a wrong one', async () => {
    const { email, visitor, secret } = await ownerWithApp();
    await signIn(email, '000000');
    await signIn(email, showCode(secret));
    const log = (await visitor.get('/audit')).json.data as { action: string; details: object }[];
    const found = log.map(({ action, details }) => ({ action, details }));
    expect(found).toContainEqual({
      action: 'sign_in',
      details: { method: 'password', second_factor: 'code' },
    });
    expect(found).toContainEqual(expect.objectContaining({ action: 'second_factor.added' }));
    expect(found.some(({ details }) => JSON.stringify(details).includes('wrong_code'))).toBe(true);
    expect(JSON.stringify(log)).not.toContain(secret);
  });
});

describe('a link that a person with the same email opens', () => {
  /** A member with an app, and a link that sets their password. */
  async function linked() {
    const ann = await owner(appliance);
    const bob = await member(appliance, ann.account);
    const app = await addApp(bob);
    const list = (await ann.visitor.get('/members')).json.data as { user_id: string; email: string }[];
    const { user_id: id } = list.find(({ email }) => email === bob.email)!;
    const { invite_path } = (await ann.visitor.post(`/members/${id}/link`)).json.data;
    return { ann, bob, ...app, token: invite_path.split('/').at(-1) as string };
  }

  test('does not join without the second factor', async () => {
    const { bob, token, secret } = await linked();
    // A session of the same email elsewhere proves nothing: that account's owner chose the address.
    const { account } = await createAccount(appliance.services, { email: bob.email, plan: 'free' });
    const hash = await hashPassword('a password of nobody', { email: bob.email });
    await appliance.services.store.write(setPasswordOp, {
      account_no: account.no,
      email: bob.email,
      password_hash: hash,
    });
    const posing = new Visitor(appliance);
    expect((await posing.signIn(bob.email, 'a password of nobody')).status).toBe(200);
    expect((await posing.get(`/invite/${token}`)).json.data.can_join).toBe(false);
    expect((await posing.post('/invite/join', { token })).status).toBe(409);
    expect((await posing.get('/accounts')).json.data).toHaveLength(1);
    // Nor does an app of their own.
    const { secret: other } = (await posing.post('/second-factor/new')).json.data;
    const body = { secret: other, code: showCode(other), current_password: 'a password of nobody' };
    expect((await posing.post('/second-factor', body)).status).toBe(200);
    expect((await posing.post('/invite/join', { token })).status).toBe(409);
    expect(verdict(await signIn(bob.email, showCode(secret)))).toBe('200');
  });

  test('switches a session that has both accounts to the other one', async () => {
    const { bob, secret, token } = await linked();
    await owner(appliance, 'free', bob.email).catch(() => {});
    const both = new Visitor(appliance);
    const proven = { email: bob.email, password, code: showCode(secret) };
    expect((await both.post('/sign-in', proven)).status).toBe(200);
    const accounts = (await both.get('/accounts')).json.data as { account_id: string; is_this: boolean }[];
    expect(accounts).toHaveLength(2);
    const other = accounts.find(({ account_id }) => account_id !== bob.account.id)!;
    await both.post('/accounts/switch', { account_id: other.account_id });
    expect((await both.get(`/invite/${token}`)).json.data.can_join).toBe(true);
    expect((await both.post('/invite/join', { token })).status).toBe(200);
    expect((await both.get('/me')).json.data.account.id).toBe(bob.account.id);
    expect((await both.get('/accounts')).json.data).toHaveLength(2);
    expect((await new Visitor(appliance).get(`/invite/${token}`)).status).toBe(404);
  });
});

test('with a lost server.key, recovery codes still sign in, and codes of the app do not', async () => {
  const { email, secret, recoveryCodes } = await ownerWithApp();
  spoilTotpSecrets(appliance);
  expect(verdict(await signIn(email, showCode(secret)))).toBe('401 code');
  expect(verdict(await signIn(email, recoveryCodes[0]))).toBe('200');
});

test('adding an app is refused once the session has ended, so that no recovery codes are shown', async () => {
  const input = {
    session_no: 1_000_000,
    userNos: [1],
    secret: new Uint8Array(),
    step: 1,
    recoveryHashes: [],
  };
  await expect(appliance.services.store.write(setTotpOp, input)).rejects.toThrow();
});

describe('losing the phone', () => {
  test('an owner can reset the second factor of a member of their account, and a member can’t', async () => {
    const ann = await owner(appliance);
    const bob = await member(appliance, ann.account);
    const { secret } = await addApp(bob);
    const list = (await ann.visitor.get('/members')).json.data as { user_id: string; email: string }[];
    const { user_id: id } = list.find(({ email }) => email === bob.email)!;
    const reset = `/members/${id}/second-factor`;
    expect((await bob.visitor.ask('DELETE', reset)).status).toBe(403);
    expect((await (await owner(appliance)).visitor.ask('DELETE', reset)).status).toBe(404);
    expect(verdict(await signIn(bob.email))).toBe('401 code');
    expect((await ann.visitor.ask('DELETE', reset)).status).toBe(200);
    expect(verdict(await signIn(bob.email))).toBe('200');
    expect(verdict(await signIn(bob.email, showCode(secret)))).toBe('200');
    expect((await ann.visitor.ask('DELETE', reset)).status).toBe(409);
  });

  test('a new link sets the password, and signs nobody in without the code', async () => {
    const ann = await owner(appliance);
    const bob = await member(appliance, ann.account);
    const { secret } = await addApp(bob);
    const list = (await ann.visitor.get('/members')).json.data as { user_id: string; email: string }[];
    const { user_id: id } = list.find(({ email }) => email === bob.email)!;
    const { invite_path } = (await ann.visitor.post(`/members/${id}/link`)).json.data;
    const token = invite_path.split('/').at(-1);
    const other = new Visitor(appliance);
    expect((await other.post('/invite', { token, password: 'another good one 1' })).status).toBe(200);
    expect([other.cookie, (await other.get('/usage')).status]).toEqual([null, 401]);
    expect(verdict(await signIn(bob.email, undefined, 'another good one 1'))).toBe('401 code');
    expect(verdict(await signIn(bob.email, showCode(secret), 'another good one 1'))).toBe('200');
  });

  test('removing the app needs the password', async () => {
    const { email, visitor } = await ownerWithApp();
    expect(verdict(await visitor.post('/second-factor/remove', { current_password: 'wrong' }))).toBe(
      '422 current_password',
    );
    expect((await visitor.post('/second-factor/remove', { current_password: password })).status).toBe(200);
    expect(verdict(await signIn(email))).toBe('200');
  });
});

test.skipIf(!haveBrowser())(
  'a person adds an app and signs in with it in the browser',
  async () => {
    const browser = await openBrowser();
    await using own = await startAppliance({ settings: { limits: 'off' } });
    const ann = await owner(own);
    const [name = '', value = ''] = ann.visitor.cookie?.split('=') ?? [];
    const open = await browser.open(`${own.url}/dashboard/sign-in`, { cookie: { name, value } });
    const { page } = open;
    const now = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await page.getByRole('button', { name: 'Add app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
    await dialog.getByRole('img', { name: 'QR code with the secret' }).waitFor();
    const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(now(secret));
    await dialog.getByLabel('Current password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Add app' }).click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    const recovery = (await codes.locator('li').first().textContent()) ?? '';
    await codes.getByRole('button', { name: 'I’ve saved them' }).click();
    await page.getByText('Recovery codes left: 10.').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await page.getByRole('textbox', { name: 'Email' }).fill(ann.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'Code' }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('is wrong or was used').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(recovery);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').first().waitFor();
    expect(await open.violations()).toEqual([]);
    await open.close();
    await browser.close();
  },
  60_000,
);
