/** Adding, renaming and removing passkeys, through the HTTP door. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberCommands } from '../../../../src/doors/operator/member.ts';
import { findSignInOptions } from '../../../../src/features/accounts/passkeys/place.ts';
import {
  canSignIn,
  isCredentialKnown,
  listByCredential,
  listPasskeys,
} from '../../../../src/features/accounts/passkeys/sql.ts';
import { owner, password, Visitor } from '../../../doors/dashboard/visitor.ts';
import { type Authenticator, encode, type Lies } from '../../../peers/authenticator.ts';
import { FakeClock } from '../../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../../start.ts';
import { explainPlan, recordStatements } from '../../../store-state.ts';
import {
  acceptBy,
  add,
  Browser,
  findId,
  invite,
  lists,
  newKey,
  ownerWithPasskey,
  prove,
  renewLink,
  verdict,
} from './people.ts';

const clock = new FakeClock();
let appliance: RunningAppliance;

beforeAll(async () => {
  appliance = await startAppliance({ clock, settings: { trusted_proxies: '127.0.0.0/8', limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

describe('adding a passkey', () => {
  test('needs the password, and is refused with a wrong or missing one', async () => {
    const { visitor } = await owner(appliance);
    expect(verdict(await visitor.post('/passkeys/new', {}))).toBe('422 current_password');
    const wrong = { current_password: 'wrong' };
    expect(verdict(await visitor.post('/passkeys/new', wrong))).toBe('422 current_password');
    expect((await new Visitor(appliance).post('/passkeys/new', {})).status).toBe(401);
  });

  test('accepts another passkey of the same person instead of the password', async () => {
    const { visitor, by } = await ownerWithPasskey(appliance);
    const stranger = await ownerWithPasskey(appliance);
    const begin = (proof: object) => visitor.post('/passkeys/new', proof);
    expect(verdict(await begin(await prove(visitor, stranger.by)))).toBe('422 passkey');
    expect(verdict(await begin(await prove(visitor, by, { flags: 0x01 })))).toBe('422 passkey');
    const right = await prove(visitor, by);
    const begun = await begin(right);
    expect(verdict(begun)).toBe('200');
    expect((await begin(right)).status).toBe(409);
    const other = newKey(appliance);
    const answer = other.create(begun.json.data);
    const registration = { pending: begun.json.data.pending, answer, name: 'Phone' };
    expect(verdict(await visitor.post('/passkeys', registration))).toBe('200');
    expect((await visitor.post('/passkeys', registration)).status).toBe(409);
    expect(await lists({ visitor })).toMatchObject([{ name: 'Laptop' }, { name: 'Phone' }]);
  });

  test('lists the passkeys that the person has, so that a device does not store two', async () => {
    const { visitor, by } = await ownerWithPasskey(appliance);
    const { options } = (await visitor.post('/passkeys/new', { current_password: password })).json.data;
    expect(options.excludeCredentials).toEqual([
      { id: by.id.toString('base64url'), transports: ['internal'], type: 'public-key' },
    ]);
    expect(options.user.id).toBe(by.handle);
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  });

  test('refuses a passkey that anybody has already registered', async () => {
    const { by } = await ownerWithPasskey(appliance);
    const mallory = await owner(appliance);
    expect((await add(mallory, by)).status).toBe(409);
    // The same id with a key of Mallory's own is refused too.
    const forged = newKey(appliance);
    Object.assign(forged, { id: by.id });
    expect((await add(mallory, forged)).status).toBe(409);
    expect(await lists(mallory)).toEqual([]);
    forged.handle = by.handle;
    expect((await new Browser(appliance).signIn(forged)).status).toBe(401);
  });

  test('is bound to the session that began it', async () => {
    const [ann, eve] = [await owner(appliance), await owner(appliance)];
    const begun = (await ann.visitor.post('/passkeys/new', { current_password: password })).json.data;
    const registration = { pending: begun.pending, answer: newKey(appliance).create(begun), name: 'x' };
    expect(verdict(await eve.visitor.post('/passkeys', registration))).toBe('422 passkey');
    const again = new Visitor(appliance);
    await again.signIn(ann.email);
    expect(verdict(await again.post('/passkeys', registration))).toBe('422 passkey');
    expect(await lists(eve)).toEqual([]);
  });

  const lies: [what: string, Lies][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['another host name', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['another type', { type: 'webauthn.get' }],
    ['a page of another site', { crossOrigin: true }],
    ['no user verification', { flags: 0x01 }],
    ['another id than the one it has', { id: Buffer.alloc(32, 3).toString('base64url') }],
    ['no CBOR', { attestation: Buffer.from('{"fmt":"none"}') }],
    ['nothing', { attestation: Buffer.alloc(0) }],
    ['CBOR that is cut off', { attestation: Buffer.from([0xa3, 0x63, 0x66]) }],
    ['CBOR of 2^32 entries', { attestation: Buffer.from([0xba, 0xff, 0xff, 0xff, 0xff]) }],
    ['CBOR of 2^64 bytes', { attestation: Buffer.from([0x5b, 255, 255, 255, 255, 255, 255, 255, 255]) }],
    ['CBOR in CBOR without end', { attestation: Buffer.alloc(20_000, 0x81) }],
    ['CBOR that is another thing', { attestation: encode('text') }],
    ['authenticator data that is a number', { attestation: encode(new Map([['authData', 1]])) }],
    ['short authenticator data', { attestation: encode(new Map([['authData', Buffer.alloc(10)]])) }],
  ];
  test.each(lies)('refuses an answer with %s', async (_, lie) => {
    const ann = await owner(appliance);
    expect(verdict(await add(ann, newKey(appliance), lie))).toBe('422 passkey');
    expect(await lists(ann)).toEqual([]);
  });

  test('ignores the certificates of the authenticator’s maker', async () => {
    const ann = await owner(appliance);
    const statement = new Map<unknown, unknown>([
      ['alg', -7],
      ['sig', Buffer.alloc(70)],
      ['x5c', Buffer.from('no certificate')],
    ]);
    expect(verdict(await add(ann, newKey(appliance), { fmt: 'packed', statement }))).toBe('200');
    expect(verdict(await add(ann, newKey(appliance), { fmt: 'made-up', statement }))).toBe('200');
  });

  test('refuses more than 20 for one person, and a name that is empty or long', async () => {
    const ann = await owner(appliance);
    const { data } = (await ann.visitor.post('/passkeys/new', { current_password: password })).json;
    for (const name of ['', ' \u200b ', 'x'.repeat(61)]) {
      const registration = { pending: data.pending, answer: newKey(appliance).create(data), name };
      expect(verdict(await ann.visitor.post('/passkeys', registration))).toBe('422 name');
    }
    for (let registration = 0; registration < 20; registration++)
      expect((await add(ann, newKey(appliance))).status).toBe(200);
    expect((await add(ann, newKey(appliance))).status).toBe(409);
  });
});

describe('a passkey', () => {
  test('can be renamed and removed only by its owner', async () => {
    const { visitor, by } = await ownerWithPasskey(appliance);
    const eve = await ownerWithPasskey(appliance);
    const [{ id }] = await lists({ visitor });
    const proof = { current_password: password };
    expect((await eve.visitor.ask('PATCH', `/passkeys/${id}`, { name: 'mine' })).status).toBe(404);
    expect((await eve.visitor.post(`/passkeys/${id}/remove`, proof)).status).toBe(404);
    expect((await visitor.ask('PATCH', `/passkeys/${id}`, { name: ' My\u202e  key ' })).status).toBe(200);
    expect(await lists({ visitor })).toMatchObject([{ name: 'My key', other_host: null, is_synced: false }]);
    expect(verdict(await visitor.post(`/passkeys/${id}/remove`, {}))).toBe('422 current_password');
    expect(verdict(await visitor.post(`/passkeys/${id}/remove`, proof))).toBe('200');
    expect(verdict(await new Browser(appliance).signIn(by))).toBe('401');
    const log = (await visitor.get('/audit')).json.data as { action: string; details: object }[];
    expect(log.slice(0, 1)).toMatchObject([{ action: 'passkey.removed', details: { passkey: 'My key' } }]);
    expect(log.some(({ action }) => action === 'passkey.added')).toBe(true);
  });

  test('is removed by a person who signs out meanwhile, or the answer says that it was not', async () => {
    const { visitor, email } = await ownerWithPasskey(appliance);
    const [{ id }] = await lists({ visitor });
    const elsewhere = new Visitor(appliance);
    elsewhere.cookie = visitor.cookie;
    const [removed] = await Promise.all([
      visitor.post(`/passkeys/${id}/remove`, { current_password: password }),
      elsewhere.post('/sign-out'),
    ]);
    await visitor.signIn(email);
    expect(removed.status).toBe((await lists({ visitor })).length === 0 ? 200 : 401);
  });

  test('for another host name is listed but no longer signs in', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    try {
      const moved = await startAppliance({ clock, dataDir });
      const ann = await owner(moved);
      const by = newKey(moved);
      expect(verdict(await add(ann, by))).toBe('200');
      await moved[Symbol.asyncDispose]();
      const settings = { base_url: 'https://mail.example.com' };
      await using now = await startAppliance({ clock, dataDir, settings });
      const visitor = new Visitor(now);
      await visitor.signIn(ann.email);
      expect(await lists({ visitor })).toMatchObject([{ other_host: 'localhost' }]);
      const browser = new Browser(now);
      expect(verdict(await browser.signIn(by))).toBe('401');
      const [{ id }] = await lists({ visitor });
      expect((await visitor.post(`/passkeys/${id}/remove`, { current_password: password })).status).toBe(200);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('the last way in', () => {
  async function withoutPassword() {
    const ann = await owner(appliance);
    const { token, email } = await invite(ann);
    const by = newKey(appliance);
    const { visitor } = await acceptBy(new Visitor(appliance), by, token);
    return { ann, by, visitor, email };
  }

  async function addAnother(visitor: Visitor, by: Authenticator): Promise<Authenticator> {
    const { data } = (await visitor.post('/passkeys/new', await prove(visitor, by))).json;
    const other = newKey(appliance);
    const registration = { pending: data.pending, answer: other.create(data), name: 'Phone' };
    expect(verdict(await visitor.post('/passkeys', registration))).toBe('200');
    return other;
  }

  test('can’t be removed, and removing a passkey asks for one to confirm', async () => {
    const { by, visitor } = await withoutPassword();
    const [{ id }] = await lists({ visitor });
    expect(verdict(await visitor.post(`/passkeys/${id}/remove`, {}))).toBe('422 passkey');
    const refused = await visitor.post(`/passkeys/${id}/remove`, await prove(visitor, by));
    expect([refused.status, refused.json.error.message]).toEqual([
      409,
      expect.stringMatching(/only way to sign in/),
    ]);
    const other = await addAnother(visitor, by);
    expect(verdict(await visitor.post(`/passkeys/${id}/remove`, await prove(visitor, other)))).toBe('200');
    expect(verdict(await new Browser(appliance).signIn(by))).toBe('401');
    expect(verdict(await new Browser(appliance).signIn(other))).toBe('200');
  });

  test('stays when two browsers remove the last two passkeys at once', async () => {
    const { by, visitor } = await withoutPassword();
    const other = await addAnother(visitor, by);
    const [first, second] = await lists({ visitor });
    const proofs = [await prove(visitor, by), await prove(visitor, other)];
    const both = await Promise.all([
      visitor.post(`/passkeys/${first.id}/remove`, proofs[0]),
      visitor.post(`/passkeys/${second.id}/remove`, proofs[1]),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await lists({ visitor })).toHaveLength(1);
  });

  test('is restored by an owner who resets it and sends a link', async () => {
    const { ann, by, visitor, email } = await withoutPassword();

    expect((await visitor.ask('DELETE', `/members/${await findId(ann, email)}/second-factor`)).status).toBe(
      403,
    );
    expect(
      (await ann.visitor.ask('DELETE', `/members/${await findId(ann, email)}/second-factor`)).status,
    ).toBe(200);
    expect((await visitor.get('/usage')).status).toBe(401);
    const own = await findId(ann, ann.email);
    expect((await ann.visitor.ask('DELETE', `/members/${own}/second-factor`)).status).toBe(409);
    expect(verdict(await new Browser(appliance).signIn(by))).toBe('401');
    const log = (await ann.visitor.get('/audit')).json.data as { action: string; details: object }[];
    expect(log).toContainEqual(
      expect.objectContaining({ action: 'second_factor.reset', details: { passkeys: '1 removed' } }),
    );

    const again = newKey(appliance);
    expect(verdict((await acceptBy(new Visitor(appliance), again, await renewLink(ann, email))).reply)).toBe(
      '200',
    );
    expect(verdict(await new Browser(appliance).signIn(again))).toBe('200');
  });
});

test('the operator’s command removes passkeys too, and says when it leaves nobody able to sign in', async () => {
  const { email, visitor, account } = await ownerWithPasskey(appliance);
  const bob = await invite({ visitor });
  await acceptBy(new Visitor(appliance), newKey(appliance), bob.token);
  const reset = memberCommands.find(({ name }) => name === 'member reset-second-factor')!;
  const run = (of: string) =>
    reset.run({ services: appliance.services, base_url: '' }, { a: account.id, email: of });
  const [owned, invited] = [await run(email), await run(bob.email)];
  expect(owned).toMatchObject({ email, passkeys_removed: 1, can_sign_in: true });
  expect(invited).toMatchObject({ email: bob.email, passkeys_removed: 1, can_sign_in: false });
  expect(reset.show(invited as never, '')).toContain('postern member link');
  const again = await run(email).catch(String);
  expect(again).toContain('no passkey');
});

test('every read of passkeys uses an index', () => {
  const { reading, statements } = recordStatements(appliance);
  listPasskeys(reading, 1);
  listByCredential(reading, 'localhost', Buffer.alloc(1), 1);
  isCredentialKnown(reading, Buffer.alloc(1));
  canSignIn(reading, 1, findSignInOptions(appliance.services));
  expect(statements.size).toBe(4);
  for (const statement of statements)
    expect(explainPlan(appliance, statement)).not.toMatch(/SCAN (?!CONSTANT)/);
});
