/** A person with several accounts: a credential that their sign-in has not proven for an account must not open it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import {
  acceptBy,
  add,
  Browser,
  invite,
  lists,
  newKey,
  prove,
  renewLink,
  verdict,
} from './passkeys/people.ts';

const clock = new FakeClock();
const evesPassword = 'of eve, who owns it';
let appliance: RunningAppliance;

beforeAll(async () => {
  appliance = await startAppliance({ clock, settings: { trusted_proxies: '127.0.0.0/8', limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

/**
 * Bob owns one account and is a member of Eve's, with one password and one passkey. Then Eve took Bob's new link in her
 * account, and so set a password there that only she knows. His passkey still opens both.
 */
async function bobAndEve() {
  const bob = await owner(appliance);
  const by = newKey(appliance);
  expect(verdict(await add(bob, by))).toBe('200');
  const eve = await owner(appliance);
  const { token } = await invite(eve, bob.email);
  expect(verdict(await bob.visitor.post('/invite/join', { token }))).toBe('200');
  const pretender = new Visitor(appliance);
  const link = await renewLink(eve, bob.email);
  expect(verdict(await pretender.post('/invite', { token: link, password: evesPassword }))).toBe('200');
  const browser = new Browser(appliance);
  expect(verdict(await browser.signIn(by))).toBe('200');
  return { bob: { ...bob, by, visitor: browser.visitor }, eve, pretender };
}

async function switchTo(visitor: Visitor, { account }: { account: { id: string } }): Promise<void> {
  expect(verdict(await visitor.post('/accounts/switch', { account_id: account.id }))).toBe('200');
}

const listAccounts = async (visitor: Visitor) =>
  ((await visitor.get('/accounts')).json.data as { account_id: string }[]).map((one) => one.account_id);

async function addApp(visitor: Visitor, current: string) {
  const { secret } = (await visitor.post('/second-factor/new')).json.data;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = totp.generate({ timestamp: clock.nowUs() / 1000 });
  return visitor.post('/second-factor', { secret, code, current_password: current });
}

test('joining another account carries over only credentials that open all accounts of the session', async () => {
  const { bob, eve, pretender } = await bobAndEve();
  const planted = newKey(appliance);
  const begun = (await pretender.post('/passkeys/new', { current_password: evesPassword })).json.data;
  const registration = { pending: begun.pending, answer: planted.create(begun), name: 'x' };
  expect(verdict(await pretender.post('/passkeys', registration))).toBe('200');

  const carol = await owner(appliance);
  const { token } = await invite(carol, bob.email);
  await switchTo(bob.visitor, eve);
  expect(verdict(await bob.visitor.post('/invite/join', { token }))).toBe('200');

  const byPasskey = new Browser(appliance);
  expect(verdict(await byPasskey.signIn(planted))).toBe('200');
  expect(await listAccounts(byPasskey.visitor)).toEqual([eve.account.id]);
  const byPassword = new Visitor(appliance);
  expect(verdict(await byPassword.signIn(bob.email, evesPassword))).toBe('200');
  expect(await listAccounts(byPassword)).toEqual([eve.account.id]);
  const own = new Browser(appliance);
  expect(verdict(await own.signIn(bob.by))).toBe('200');
  expect(await listAccounts(own.visitor)).toContain(carol.account.id);
});

test('joining carries over the password that the session was opened with', async () => {
  const bob = await owner(appliance);
  // The same password, with a hash of its own.
  const ann = await owner(appliance);
  const invited = await invite(ann, bob.email);
  expect(verdict(await new Visitor(appliance).post('/invite', { token: invited.token, password }))).toBe(
    '200',
  );
  const both = new Visitor(appliance);
  await both.signIn(bob.email);
  expect(await listAccounts(both)).toHaveLength(2);
  const carol = await owner(appliance);
  const { token } = await invite(carol, bob.email);
  expect(verdict(await both.post('/invite/join', { token }))).toBe('200');
  const again = new Visitor(appliance);
  await again.signIn(bob.email);
  expect(await listAccounts(again)).toHaveLength(3);
});

describe('confirmed by a password,', () => {
  test('a new one is set only where that password was right', async () => {
    const { bob, eve } = await bobAndEve();
    await switchTo(bob.visitor, eve);
    const change = { current_password: evesPassword, password: 'a third one, longer' };
    expect(verdict(await bob.visitor.post('/password', change))).toBe('200');
    const third = new Visitor(appliance);
    expect(verdict(await third.signIn(bob.email, 'a third one, longer'))).toBe('200');
    expect(await listAccounts(third)).toEqual([eve.account.id]);
    const first = new Visitor(appliance);
    expect(verdict(await first.signIn(bob.email))).toBe('200');
    expect(await listAccounts(first)).toEqual([bob.account.id]);
    // The session that changed the password continues.
    expect(await listAccounts(bob.visitor)).toHaveLength(2);
  });

  test('an authenticator app is added, renewed and removed only where that password was right', async () => {
    const { bob, eve } = await bobAndEve();
    const state = async () => (await bob.visitor.get('/second-factor')).json.data;
    await switchTo(bob.visitor, eve);
    expect(verdict(await addApp(bob.visitor, evesPassword))).toBe('200');
    await switchTo(bob.visitor, bob);
    expect(await state()).toMatchObject({ added_at: null, recovery_codes: 0 });
    await clock.advance(60_000);
    expect(verdict(await addApp(bob.visitor, password))).toBe('200');
    const before = await state();
    await switchTo(bob.visitor, eve);
    const proof = { current_password: evesPassword };
    expect(verdict(await bob.visitor.post('/second-factor/recovery-codes', proof))).toBe('200');
    expect(verdict(await bob.visitor.post('/second-factor/remove', proof))).toBe('200');
    expect(await state()).toMatchObject({ added_at: null });
    await switchTo(bob.visitor, bob);
    expect(await state()).toEqual(before);
  });

  test('a passkey is added only where that password was right', async () => {
    const { bob, eve } = await bobAndEve();
    await switchTo(bob.visitor, eve);
    const { data } = (await bob.visitor.post('/passkeys/new', { current_password: evesPassword })).json;
    const by = newKey(appliance);
    const registration = { pending: data.pending, answer: by.create(data), name: 'Phone' };
    // It belongs to the account where it was begun.
    await switchTo(bob.visitor, bob);
    expect(verdict(await bob.visitor.post('/passkeys', registration))).toBe('422 passkey');
    await switchTo(bob.visitor, eve);
    expect(verdict(await bob.visitor.post('/passkeys', registration))).toBe('200');
    const browser = new Browser(appliance);
    await browser.signIn(by);
    expect(await listAccounts(browser.visitor)).toEqual([eve.account.id]);
  });
});

test('confirmed by a passkey, another one is added to every account that the first one opens', async () => {
  const { bob, eve, pretender } = await bobAndEve();
  const { data } = (await bob.visitor.post('/passkeys/new', await prove(bob.visitor, bob.by))).json;
  const by = newKey(appliance);
  const registration = { pending: data.pending, answer: by.create(data), name: 'Phone' };
  expect(verdict(await bob.visitor.post('/passkeys', registration))).toBe('200');
  const browser = new Browser(appliance);
  await browser.signIn(by);
  expect(await listAccounts(browser.visitor)).toEqual([bob.account.id, eve.account.id]);
  expect(await lists({ visitor: pretender })).toHaveLength(2);
});

test('an invalid link says where to get another one, whatever it is used for', async () => {
  const ann = await owner(appliance);
  const { token } = await invite(ann);
  const visitor = new Visitor(appliance);
  const begun = (await visitor.post('/invite/passkey/begin', { token })).json.data;
  await acceptBy(visitor, newKey(appliance), token);
  const answer = newKey(appliance).create(begun);
  for (const [path, body] of [
    ['/invite', { token, password }],
    ['/invite/passkey/begin', { token }],
    ['/invite/passkey', { token, pending: begun.pending, answer, name: 'x' }],
  ] as const) {
    const { status, json } = await new Visitor(appliance).post(path, body);
    expect([path, status, json.error.message]).toEqual([
      path,
      404,
      'This link was used or is older than 7 days. Ask an owner of the account for a new one.',
    ]);
  }
  const joining = await ann.visitor.post('/invite/join', { token });
  expect(joining.json.error.message).toStartWith('This link was used');
});
