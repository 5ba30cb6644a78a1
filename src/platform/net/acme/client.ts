/**
 * Requests of the ACME protocol (RFC 8555), each bounded in time and size. The operator has chosen the CA, so its own origin may be
 * anywhere, even in a private network. If it responds with a URL of another origin, that one must be public (guard.ts).
 */
import { acme as rules } from '../../../rules/acme.ts';
import { type Clock, SECOND_US } from '../../core/clock.ts';
import { cleanText } from '../clean-text.ts';
import type { Resolver } from '../dns.ts';
import { anyNetwork } from '../guard.ts';
import { call } from '../post.ts';
import { parseRetryAfter } from '../retry-after.ts';
import type { AccountKey } from './account-key.ts';

export interface AcmeSurroundings {
  resolver: Resolver;
  clock: Clock;
  extraCa: readonly string[];
  /** Aborts the attempt. */
  signal: AbortSignal;
}

/** The CA refused, failed, or could not be reached. Its texts are without control characters, and cut. */
export class AcmeFault extends Error {
  /** The last part of the problem's type, such as `rateLimited`; null without a problem document. */
  readonly type: string | null;
  /** Seconds that its Retry-After asks for; 0 without one. */
  readonly waitS: number;
  /** Status of the HTTP response; null without one. */
  readonly status: number | null;

  constructor(
    message: string,
    {
      type = null,
      waitS = 0,
      status = null,
    }: { type?: string | null; waitS?: number; status?: number | null } = {},
  ) {
    super(message);
    this.name = 'AcmeFault';
    this.type = type;
    this.waitS = waitS;
    this.status = status;
  }
}

/** The CA could not be reached, or the attempt was stopped. Says nothing about what was asked for. */
export class AcmeInterrupted extends AcmeFault {}

/** The account of this key was closed permanently (RFC 8555 7.3.6). A new account needs another key. */
export class AccountDeactivated extends AcmeFault {
  constructor(status: number) {
    super('the CA says that the account was deactivated; the next attempt makes a new one', {
      type: 'unauthorized',
      status,
    });
  }
}

export interface AcmeAnswer {
  status: number;
  /** Undefined if the body is not JSON. */
  json: unknown;
  text: string;
  location: string | null;
  waitS: number;
}

type Json = Record<string, unknown>;

const USER_AGENT = 'Postern (ACME)';
const TEXT_CHARS_MAX = 300;
const PROBLEMS_MAX = 3;

export class AcmeClient {
  private urls: { newNonce: string; newAccount: string; newOrder: string } | null = null;
  /** One is enough, because requests are sent one after the other. */
  private nonce: string | null = null;
  /** The account's URL, which identifies it in requests once it is known; the key does before. */
  private account: string | null = null;

  constructor(
    private readonly directory: string,
    private readonly key: AccountKey,
    private readonly around: AcmeSurroundings,
  ) {}

  /**
   * Reads the directory, and finds or creates the account of the key. The CA identifies an account by its key, so there is never a
   * second one, and one that the CA has forgotten is created again.
   */
  async signIn(email: string | null): Promise<void> {
    const { json } = await this.send('GET', this.directory, null);
    const directory = requireObject(json, 'its directory');
    const meta =
      typeof directory.meta === 'object' && directory.meta !== null ? (directory.meta as Json) : {};
    if (meta.externalAccountRequired === true) {
      throw new AcmeFault(
        'this CA wants an account that was made on its website (external account binding), which Postern does not support',
      );
    }
    this.urls = {
      newNonce: readUrl(directory.newNonce, 'newNonce'),
      newAccount: readUrl(directory.newAccount, 'newAccount'),
      newOrder: readUrl(directory.newOrder, 'newOrder'),
    };
    const contact = email === null ? {} : { contact: [`mailto:${email}`] };
    const made = await this.findAccount(this.urls.newAccount, contact);
    this.account = readUrl(made.location, 'the account');
  }

  private async findAccount(url: string, contact: Json): Promise<AcmeAnswer> {
    try {
      const made = await this.post(url, { termsOfServiceAgreed: true, ...contact });
      if ((made.json as Json | undefined)?.status !== 'deactivated') return made;
      throw new AccountDeactivated(made.status);
    } catch (fault) {
      // Let's Encrypt says so only in the text. An account that the CA itself has revoked needs a person's attention instead.
      const isClosed =
        fault instanceof AcmeFault && fault.type === 'unauthorized' && /is deactivated/.test(fault.message);
      throw isClosed ? new AccountDeactivated(fault.status ?? 0) : fault;
    }
  }

  async newOrder(names: readonly string[]): Promise<{ url: string; order: unknown }> {
    const identifiers = names.map((value) => ({ type: 'dns', value }));
    const made = await this.post(this.urls?.newOrder ?? '', { identifiers });
    return { url: readUrl(made.location, 'the order'), order: made.json };
  }

  /** Reads a resource. */
  get(url: string, accept?: string): Promise<AcmeAnswer> {
    return this.post(url, null, accept);
  }

  /** Sends a signed request, again if the CA refuses its nonce. A null `payload` reads a resource. */
  async post(url: string, payload: unknown, accept?: string): Promise<AcmeAnswer> {
    for (let tries = 0; ; tries++) {
      const identity = this.account === null ? { jwk: this.key.jwk } : { kid: this.account };
      const nonce = await this.takeNonce();
      const body = this.key.sign({ ...identity, nonce, url }, payload);
      try {
        return await this.send('POST', url, body, accept);
      } catch (fault) {
        const isNonce = fault instanceof AcmeFault && fault.type === 'badNonce';
        if (!isNonce || tries >= rules.noncesMax) throw fault;
      }
    }
  }

  private async takeNonce(): Promise<string> {
    if (this.nonce === null) await this.send('HEAD', this.urls?.newNonce ?? '', null);
    const { nonce } = this;
    if (nonce === null) throw new AcmeFault('the CA gives no nonce');
    this.nonce = null;
    return nonce;
  }

  private async send(
    method: 'GET' | 'HEAD' | 'POST',
    url: string,
    body: string | null,
    accept = 'application/json',
  ): Promise<AcmeAnswer> {
    const { resolver, clock, extraCa, signal } = this.around;
    if (!url.startsWith('https://')) throw new AcmeFault('the CA must be reached by https://');
    const isOwn = new URL(url).origin === new URL(this.directory).origin;
    const outcome = await call({
      method,
      url,
      headers: {
        'user-agent': USER_AGENT,
        accept,
        ...(body === null ? {} : { 'content-type': 'application/jose+json' }),
      },
      body: body === null ? null : Buffer.from(body),
      allow: isOwn ? anyNetwork : [],
      resolver,
      extraCa,
      keptBytesMax: rules.answerBytesMax,
      timeouts: { totalMs: rules.requestS * 1000 },
      signal,
    });
    if (outcome.kind !== 'answered') {
      throw new AcmeInterrupted(`${new URL(url).host} can't be reached: ${outcome.reasons.join('; ')}`);
    }
    const {
      status,
      retryAfter,
      location,
      call: { headers, isWhole } = { headers: {}, isWhole: false },
    } = outcome;
    const nonce = headers['replay-nonce'];
    if (typeof nonce === 'string' && /^[A-Za-z0-9_-]{1,200}$/.test(nonce)) this.nonce = nonce;
    const waitUs = retryAfter === null ? 0 : parseRetryAfter(retryAfter, clock.nowUs());
    const waitS = Math.min(Math.ceil(waitUs / SECOND_US), rules.askedForMaxS);
    const json = parseJson(outcome.body);
    if (status < 200 || status > 299) throw readProblem(status, json, waitS);
    if (!isWhole && method !== 'HEAD') {
      throw new AcmeFault(`an answer of the CA was cut off, or longer than ${rules.answerBytesMax} bytes`);
    }
    return { status, json, text: outcome.body, location, waitS };
  }
}

/** Returns the JSON as an object. Throws unless it is one. */
export function requireObject(json: unknown, what: string): Json {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
  throw new AcmeFault(`the CA answered ${what} with something else`);
}

/** Returns the value as a URL. Throws unless it is an absolute https URL; its host is checked only when it is requested. */
export function readUrl(value: unknown, what: string): string {
  const isUrl = typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:';
  if (isUrl) return value;
  throw new AcmeFault(`the CA gives no https URL for ${what}`);
}

/** Reads a text of the CA; empty if it is none. */
const readText = (value: unknown) => (typeof value === 'string' ? cleanText(value, TEXT_CHARS_MAX) : '');

/** Describes a problem document and its parts in one sentence (RFC 8555 6.7). */
export function describeProblem(problem: unknown): { type: string | null; text: string } {
  const { type, detail, subproblems } = (
    typeof problem === 'object' && problem !== null ? problem : {}
  ) as Json;
  const name = /^urn:ietf:params:acme:error:([A-Za-z]{1,64})$/.exec(readText(type))?.[1] ?? null;
  const parts = (Array.isArray(subproblems) ? subproblems : [])
    .slice(0, PROBLEMS_MAX)
    .map((part) => readText((part as Json | null)?.detail));
  const text = [readText(detail), ...parts].filter((each) => each !== '').join('; ');
  return {
    type: name,
    text: [name, text]
      .filter((each) => each)
      .join(': ')
      .slice(0, 2 * TEXT_CHARS_MAX),
  };
}

function readProblem(status: number, json: unknown, waitS: number): AcmeFault {
  const { type, text } = describeProblem(json);
  return new AcmeFault(text === '' ? `the CA answered ${status}` : `the CA refused: ${text} (${status})`, {
    type,
    waitS,
    status,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
