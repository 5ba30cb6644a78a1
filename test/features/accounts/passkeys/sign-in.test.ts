/** Signing in by a passkey through the HTTP door, and answers that lie. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import type { Services } from '../../../../src/app/services.ts';
import { accountJobs } from '../../../../src/features/accounts/jobs.ts';
import type { Job } from '../../../../src/platform/job.ts';
import { owner, password, Visitor } from '../../../doors/dashboard/visitor.ts';
import type { Ceremony, Lies } from '../../../peers/authenticator.ts';
import { FakeClock } from '../../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../../start.ts';
import { countRows } from '../../../store-state.ts';
import { add, Browser, newKey, ownerWithPasskey, verdict } from './people.ts';

const clock = new FakeClock();
let appliance: RunningAppliance;

beforeAll(async () => {
  appliance = await startAppliance({ clock, settings: { trusted_proxies: '127.0.0.0/8', limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

describe('signing in', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'works with a key of %s, without an email',
    async (kind) => {
      const { by, email } = await ownerWithPasskey(appliance, kind);
      const browser = new Browser(appliance);
      expect(verdict(await browser.signIn(by))).toBe('200');
      expect((await browser.visitor.get('/me')).json.data.user.email).toBe(email);
    },
  );

  test('asks for any passkey, so that nobody learns who has which', async () => {
    await ownerWithPasskey(appliance);
    const { options } = await new Browser(appliance).begin();
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options.allowCredentials ?? []).toEqual([]);
  });

  test('opens exactly those accounts that the session had proven when the passkey was added', async () => {
    const ann = await owner(appliance);
    await owner(appliance, 'free', ann.email);
    const both = new Visitor(appliance);
    await both.signIn(ann.email);
    const by = newKey(appliance);
    expect(verdict(await add({ visitor: both }, by))).toBe('200');
    await owner(appliance, 'pro', ann.email);
    const browser = new Browser(appliance);
    await browser.signIn(by);
    expect((await browser.visitor.get('/accounts')).json.data).toHaveLength(2);
  });

  test('by passkey needs no code from an authenticator app, though the password still does', async () => {
    const { by, email, visitor } = await ownerWithPasskey(appliance);
    const { secret } = (await visitor.post('/second-factor/new')).json.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: clock.nowUs() / 1000,
    });
    await visitor.post('/second-factor', { secret, code, current_password: password });
    expect(verdict(await new Visitor(appliance).signIn(email))).toBe('401 code');
    expect(verdict(await new Browser(appliance).signIn(by))).toBe('200');
  });

  test('creates a session like any other, which replaces the previous one', async () => {
    const { by, visitor } = await ownerWithPasskey(appliance);
    const browser = new Browser(appliance);
    const reply = await browser.signIn(by);
    expect(reply.headers.get('set-cookie')).toMatch(
      /^postern_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    expect((await visitor.get('/sessions')).json.data).toHaveLength(2);
    const [entry] = (await visitor.get('/audit')).json.data;
    expect(entry).toMatchObject({ action: 'sign_in', details: { method: 'passkey' } });
    expect(verdict(await visitor.post('/sessions/end-all', { keep_this: true }))).toBe('200');
    expect((await browser.visitor.get('/usage')).status).toBe(401);
  });
});

describe('an answer is refused', () => {
  const lies: [what: string, Lies][] = [
    ['from another origin', { origin: 'https://evil.example' }],
    ['from another port', { origin: 'http://localhost:1' }],
    ['for another host name', { rpId: 'evil.example' }],
    ['to another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['that is for creating one', { type: 'webauthn.create' }],
    ['that a page of another site asked for', { crossOrigin: true }],
    ['without user verification', { flags: 0x01 }],
    ['without anyone present', { flags: 0x04 }],
    ['for another user', { handle: Buffer.alloc(32, 1).toString('base64url') }],
    ['without a user', { handle: null }],
    ['of an unknown passkey', { id: Buffer.alloc(32, 7).toString('base64url') }],
    ['of an empty passkey', { id: '' }],
  ];

  test.each(lies)('%s', async (_, lie) => {
    const { by } = await ownerWithPasskey(appliance);
    const refused = await new Browser(appliance).signIn(by, lie);
    expect([refused.status, refused.json.error.message]).toEqual([
      401,
      'This passkey does not sign in here, or it took too long. Try again, or sign in another way.',
    ]);
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(verdict(await new Browser(appliance).signIn(by))).toBe('200');
  });

  test('when another passkey signed it', async () => {
    const { by } = await ownerWithPasskey(appliance);
    const other = newKey(appliance);
    other.handle = by.handle;
    const id = by.id.toString('base64url');
    expect(verdict(await new Browser(appliance).signIn(other, { id }))).toBe('401');
  });

  test('when its counter does not go up, because the passkey may have been copied', async () => {
    const { by } = await ownerWithPasskey(appliance);
    expect(verdict(await new Browser(appliance).signIn(by, { counter: 5 }))).toBe('200');
    for (const counter of [5, 4, 0])
      expect(verdict(await new Browser(appliance).signIn(by, { counter }))).toBe('401');
    expect(verdict(await new Browser(appliance).signIn(by, { counter: 6 }))).toBe('200');
  });

  test('when it is sent a second time, even at the same moment', async () => {
    const { by } = await ownerWithPasskey(appliance);
    const browser = new Browser(appliance);
    const asked = await browser.begin();
    const answer = by.get(asked);
    const copy = new Browser(appliance);
    copy.mark = browser.mark;
    const both = await Promise.all([browser.finish(asked, answer), copy.finish(asked, answer)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await browser.finish(asked, answer)).status).toBe(409);
  });

  test('from a browser other than the one that asked, and after five minutes', async () => {
    const { by } = await ownerWithPasskey(appliance);
    const browser = new Browser(appliance);
    const asked = await browser.begin();
    const thief = new Browser(appliance);
    expect(verdict(await thief.finish(asked, by.get(asked)))).toBe('401');
    await thief.begin();
    expect(verdict(await thief.finish(asked, by.get(asked)))).toBe('401');
    const late = await browser.begin();
    await clock.advance(301_000);
    expect(verdict(await browser.finish(late, by.get(late)))).toBe('401');
  });

  test('when its challenge was for something else', async () => {
    const { by, visitor } = await ownerWithPasskey(appliance);
    const confirm = (await visitor.post('/passkeys/confirm')).json.data as Ceremony;
    const browser = new Browser(appliance);
    await browser.begin();
    expect(verdict(await browser.finish(confirm, by.get(confirm)))).toBe('401');
    const asked = await browser.begin();
    const passkey = { pending: asked.pending, answer: by.get(asked) };
    expect(verdict(await visitor.post('/passkeys/new', { passkey }))).toBe('422 passkey');
  });

  test('when the challenge was made up or changed', async () => {
    const { by } = await ownerWithPasskey(appliance);
    const browser = new Browser(appliance);
    const asked = await browser.begin();
    const answer = by.get(asked);
    for (const pending of ['', 'AAAA', `${asked.pending.slice(0, -2)}AA`, 'x'.repeat(2_000)])
      expect(verdict(await browser.finish({ pending }, answer))).toBe('401');
  });

  test('but not when two browsers or two tabs of one person sign in side by side', async () => {
    const { by } = await ownerWithPasskey(appliance);
    const [desk, phone] = [new Browser(appliance), new Browser(appliance)];
    const [first, second, third] = [await desk.begin(), await phone.begin(), await desk.begin()];
    expect(verdict(await phone.finish(second, by.get(second)))).toBe('200');
    expect(verdict(await desk.finish(third, by.get(third)))).toBe('200');
    expect(verdict(await desk.finish(first, by.get(first)))).toBe('200');
  });

  test('and recorded in the log of the passkey’s owner', async () => {
    const { by, visitor } = await ownerWithPasskey(appliance);
    await new Browser(appliance).signIn(by, { flags: 0x01 });
    const [entry] = (await visitor.get('/audit')).json.data;
    expect(entry).toMatchObject({ action: 'sign_in.failed', details: { reason: 'wrong_passkey' } });
  });

  test('whatever its shape, without a server error', async () => {
    const { by, visitor } = await ownerWithPasskey(appliance);
    const browser = new Browser(appliance);
    const asked = await browser.begin();
    const right = by.get(asked);
    const forms = [null, 1, '', '%%%', 'A', 'AAAA', 'A'.repeat(9_000), [], {}];
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
      for (const form of forms) {
        const answer = { ...right, response: { ...right.response, [field]: form } };
        const { status } = await browser.finish(asked, answer);
        expect([field, form, status === 401 || status === 422 || (field === 'userHandle' && !form)]).toEqual([
          field,
          form,
          true,
        ]);
      }
    }
    for (const json of [
      'null',
      '[]',
      '1',
      '{"challenge":{}}',
      '{"type":"webauthn.get","crossOrigin":1}',
      '{',
    ]) {
      const clientDataJSON = Buffer.from(json).toString('base64url');
      const answer = { ...right, response: { ...right.response, clientDataJSON } };
      expect([json, (await browser.finish(asked, answer)).status]).toEqual([json, 401]);
    }
    for (const answer of [
      null,
      1,
      'x',
      [],
      {},
      { ...right, type: 'password' },
      { ...right, id: 'A'.repeat(2_000) },
    ])
      expect((await browser.visitor.post('/passkeys/sign-in', { pending: '', answer })).status).toBe(422);
    expect((await visitor.get('/me')).status).toBe(200);
  });
});

describe('attempts', () => {
  test('are limited by address, and only beginning one does not count', async () => {
    await using limited = await startAppliance({
      clock,
      settings: { trusted_proxies: '127.0.0.0/8', limit_sign_ins_per_quarter_hour: '3' },
    });
    const by = newKey(limited);
    const browser = new Browser(limited, '198.51.100.7');
    for (let tries = 0; tries < 40; tries++) expect((await browser.begin()).pending).toBeString();
    for (let tries = 0; tries < 3; tries++) expect((await browser.signIn(by)).status).toBe(401);
    expect((await browser.signIn(by)).status).toBe(429);
    expect((await new Browser(limited, '198.51.100.8').signIn(by)).status).toBe(401);
  });

  test('that are begun and never finished leave nothing in the store', async () => {
    await ownerWithPasskey(appliance);
    const before = countRows(appliance, 'passkey_challenge');
    for (let tries = 0; tries < 50; tries++) await new Browser(appliance).begin();
    expect(countRows(appliance, 'passkey_challenge')).toBe(before);
    await clock.advance(600_000);
    for (const job of accountJobs) await appliance.run(job as Job<Services>);
    expect(countRows(appliance, 'passkey_challenge')).toBe(0);
  });
});
