/**
 * An identity provider (OpenID Connect) that is strict about what a client must do, and answers wrongly if a test wants so:
 * `await using provider = await startProvider(); provider.person = {…}; provider.lie = { claims: { aud: 'other' } }`.
 */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

export interface ProviderPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

/** What will be wrong with its next answers. */
export interface Lie {
  /** Replaces the right claims. */
  claims?: Record<string, unknown>;
  /** Header of the ID token. */
  alg?: string;
  signedByAnother?: boolean;
  isHuge?: boolean;
  /** Replaces the answer of the token endpoint. */
  token?: { status: number; body: unknown };
  /** Replaces parts of its metadata. */
  metadata?: Record<string, unknown>;
}

export interface Provider extends AsyncDisposable {
  issuer: string;
  person: ProviderPerson;
  lie: Lie;
  /** Problems with clients' requests; must stay empty. */
  faults: string[];
  stop(): void;
}

export const clientId = 'postern';
export const clientSecret = 'a secret of the client';

interface Grant {
  challenge: string;
  redirectUri: string;
  nonce: string;
}

/** Shared by all providers of a process: creating one takes a tenth of a second. */
let keys: ReturnType<typeof makeKey>[] | undefined;
const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const takeKey = (place: 0 | 1) => {
  keys ??= [makeKey(), makeKey()];
  return keys[place]!;
};
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

class State {
  readonly key = takeKey(0);
  readonly other = takeKey(1);
  readonly grants = new Map<string, Grant>();
  readonly faults: string[] = [];
  issuer = '';
  person: ProviderPerson = { sub: 'ann' };
  lie: Lie = {};

  fault(text: string): Response {
    this.faults.push(text);
    return Response.json({ error: 'invalid_request' }, { status: 400 });
  }

  authorize({ searchParams: asked }: URL): Response {
    for (const name of ['state', 'nonce', 'code_challenge']) {
      if (!asked.get(name)) return this.fault(`no ${name}`);
    }
    if (asked.get('code_challenge_method') !== 'S256') return this.fault('no S256');
    if (asked.get('client_id') !== clientId) return this.fault('another client');
    const code = randomBytes(16).toString('hex');
    const redirectUri = asked.get('redirect_uri') ?? '';
    this.grants.set(code, {
      challenge: asked.get('code_challenge')!,
      redirectUri,
      nonce: asked.get('nonce')!,
    });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: asked.get('state')! }).toString();
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const basic = Buffer.from((request.headers.get('authorization') ?? '').slice(6), 'base64').toString();
    if (basic !== `${clientId}:${clientSecret.replaceAll(' ', '+')}`) return this.fault(`client ${basic}`);
    const grant = this.grants.get(form.get('code') ?? '');
    this.grants.delete(form.get('code') ?? '');
    if (!grant) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (proof !== grant.challenge) return this.fault('wrong verifier');
    if (form.get('redirect_uri') !== grant.redirectUri) return this.fault('another redirect_uri');
    if (this.lie.token) return Response.json(this.lie.token.body, { status: this.lie.token.status });
    const padding = this.lie.isHuge ? { padding: 'x'.repeat(10_000_000) } : {};
    return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: this.sign(grant), ...padding });
  }

  private sign({ nonce }: Grant): string {
    const { lie, person, issuer, key, other } = this;
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 300 };
    const claims = { iss: issuer, aud: clientId, nonce, ...times, ...person, ...lie.claims };
    const signed = `${encode({ alg: lie.alg ?? 'RS256', kid: '1', typ: 'JWT' })}.${encode(claims)}`;
    const { privateKey } = lie.signedByAnother ? other : key;
    const signature = createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url');
    return lie.alg === 'none' ? `${signed}.` : `${signed}.${signature}`;
  }

  async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === '/authorize') return this.authorize(url);
    if (url.pathname === '/token') return this.token(request);
    if (url.pathname === '/keys') {
      const jwk = this.key.publicKey.export({ format: 'jwk' });
      return Response.json({ keys: [{ ...jwk, kid: '1', use: 'sig', alg: 'RS256' }] });
    }
    if (url.pathname === '/userinfo') return Response.json(this.person);
    if (url.pathname !== '/.well-known/openid-configuration') return this.fault(`asked ${url.pathname}`);
    const { issuer } = this;
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'groups'],
      ...this.lie.metadata,
    });
  }
}

export async function startProvider(): Promise<Provider> {
  const state = new State();
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => state.answer(request) });
  state.issuer = `http://127.0.0.1:${server.port}`;
  const stop = () => void server.stop(true);
  return Object.assign(state, {
    stop,
    async [Symbol.asyncDispose]() {
      stop();
    },
  });
}
