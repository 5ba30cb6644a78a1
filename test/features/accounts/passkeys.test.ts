/** Passkeys through the HTTP door: signing in, changing them, and answers that lie. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { owner, type Person, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { Authenticator, type Ceremony, type Kind, type Lies } from '../../peers/authenticator.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Reply, type RunningAppliance, startAppliance } from '../../start.ts';

const clock = new FakeClock();
let appliance: RunningAppliance;
let origin: string;

beforeAll(async () => {
  appliance = await startAppliance({ clock, settings: { trusted_proxies: '127.0.0.0/8', limits: 'off' } });
  origin = `http://localhost:${appliance.httpPort}`;
});
afterAll(() => appliance[Symbol.asyncDispose]());

const key = (kind?: Kind) => new Authenticator(origin, 'localhost', kind);
const verdict = ({ status, json }: Reply) =>
  status === 200 ? '200' : `${status} ${Object.keys(json.error.fields).join(' ')}`.trim();

/** A browser that is not signed in: the cookie that tells it from others, and its session's. */
class Browser {
  readonly visitor: Visitor;
  mark: string | null = null;

  constructor(server: RunningAppliance = appliance, from?: string) {
    this.visitor = new Visitor(server, from);
  }

  async begin(): Promise<Ceremony> {
    this.visitor.cookie = this.mark;
    const reply = await this.visitor.post('/passkeys/sign-in/begin');
    this.mark = this.visitor.cookie;
    return reply.json.data;
  }

  /** Signs in with an answer to what was asked. */
  finish({ pending }: Pick<Ceremony, 'pending'>, answer: object): Promise<Reply> {
    this.visitor.cookie = this.mark;
    return this.visitor.post('/passkeys/sign-in', { pending, answer });
  }

  async signIn(by: Authenticator, lies?: Lies): Promise<Reply> {
    const asked = await this.begin();
    return this.finish(asked, by.get(asked, lies));
  }
}

async function add({ visitor }: Pick<Person, 'visitor'>, by: Authenticator, lies?: Lies): Promise<Reply> {
  const { data } = (await visitor.post('/passkeys/new', { current_password: password })).json;
  return visitor.post('/passkeys', { pending: data.pending, answer: by.create(data, lies), name: 'Laptop' });
}

async function ownerWithPasskey(kind?: Kind): Promise<Person & { by: Authenticator }> {
  const person = await owner(appliance);
  const by = key(kind);
  expect(verdict(await add(person, by))).toBe('200');
  return { ...person, by };
}

describe('signing in', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'works with a key of %s, without an email',
    async (kind) => {
      const { by, email } = await ownerWithPasskey(kind);
      const browser = new Browser();
      expect(verdict(await browser.signIn(by))).toBe('200');
      expect((await browser.visitor.get('/me')).json.data.user.email).toBe(email);
    },
  );
});
