/** Easily guessed passwords, refused wherever one is set. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { setPassword } from '../../../src/features/accounts/members.ts';
import { isPassword } from '../../../src/features/accounts/password.ts';
import type { Reply, RunningAppliance } from '../../start.ts';
import { startAppliance } from '../../start.ts';
import { password as known, newEmail, owner, Visitor } from './visitor.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { signup: 'open', limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const COMMON = /most common passwords/;
const OWN = /your email or the name of the account/;

/** Why each is refused for grace.hopper@example.org in an account named Compilers Ltd. */
const refused: [password: string, reason: RegExp][] = [
  ['short', /at least 8 characters/],
  ['          ', /must not be blank/],
  ['\u200b\u200b\u00a0\u3000\u200b\u200b\t\t', /must not be blank/],
  ['password', COMMON],
  ['PassWord1', COMMON],
  [' iloveyou ', COMMON],
  ['qwertyuiop', COMMON],
  ['123456  ', /at least 8 characters/],
  ['\u200b123456\u200b', /at least 8 characters/],
  ['ｐａｓｓｗｏｒｄ', COMMON],
  ['pass\u200bword', COMMON],
  ['aaaaaaaa', COMMON],
  ['\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164', COMMON],
  ['grace.hopper@example.org', OWN],
  ['Grace.Hopper@Example.ORG', OWN],
  ['grace.hopper', OWN],
  ['compilers ltd', OWN],
  ['CompilersLtd', OWN],
];
const email = 'grace.hopper@example.org';
const name = 'Compilers Ltd';

function expectRefused(reply: Reply, reason: RegExp): void {
  expect([reply.status, reply.json.error.code]).toEqual([422, 'validation_error']);
  expect(reply.json.error.fields.password?.[0]).toMatch(reason);
  expect(reply.json.error.message).toMatch(reason);
  expect(reply.headers.get('set-cookie')).toBeNull();
}

describe('an easily guessed password is refused', () => {
  test('at set-up, which succeeds with a better one', async () => {
    const token = appliance.setUpPath!.split('/').at(-1)!;
    const setUp = (password: string) =>
      new Visitor(appliance).post('/setup', { token, email, name, password });
    for (const [password, reason] of refused) expectRefused(await setUp(password), reason);
    expect((await setUp(known)).status).toBe(200);
  });

  test('at sign-up', async () => {
    const signUp = (password: string) => new Visitor(appliance).post('/sign-up', { email, name, password });
    for (const [password, reason] of refused) expectRefused(await signUp(password), reason);
    expect((await signUp('Compilers Ltd, since 1952')).status).toBe(200);
  });

  test('through an invitation link, which stays valid', async () => {
    const { account, visitor } = await owner(appliance);
    const { invite_path } = (await visitor.post('/members', { email })).json.data;
    const token = invite_path.split('/').at(-1);
    const accept = (password: string) => new Visitor(appliance).post('/invite', { token, password });
    for (const [password, reason] of refused.slice(0, 10)) expectRefused(await accept(password), reason);
    // An account without a name of its own is named by its owner's email.
    expectRefused(await accept(account.name.toUpperCase()), OWN);
    expect((await accept(known)).status).toBe(200);
  });

  test('in a password change, and the old one stays valid', async () => {
    const mine = newEmail();
    const { visitor } = await owner(appliance, 'free', mine);
    const change = (password: string) => visitor.post('/password', { current_password: known, password });
    expectRefused(await change('football1'), COMMON);
    expectRefused(await change(mine), OWN);
    expect((await new Visitor(appliance).signIn(mine)).status).toBe(200);
    expect((await change('neither football nor one')).status).toBe(200);
  });

  test('by the operator’s commands', async () => {
    const { account } = await appliance.holder();
    const readReason = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (failure) => failure.fields?.password?.[0] ?? failure,
      );
    for (const [password, reason] of refused) {
      expect(await readReason(createAccount(appliance.services, { email, name, password }))).toMatch(reason);
    }
    const member = { email: account.email!, password: account.email! };
    expect(await readReason(setPassword(appliance.services, account, member))).toMatch(OWN);
    expect(await readReason(setPassword(appliance.services, account, { ...member, password: known }))).toBe(
      'done',
    );
  });
});

test('a password set before the list existed still signs in', async () => {
  const hash = await Bun.password.hash('password1', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 });
  expect(await isPassword('password1', hash, '192.0.2.1', false)).toBe(true);
});
