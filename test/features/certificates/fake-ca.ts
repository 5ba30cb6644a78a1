/**
 * A small ACME CA in process that is strict about what it is asked, and lies where a test tells it to. Pebble is the
 * judge of the protocol; this one does what Pebble can't: rate limits, faults, endless and false answers.
 */
import { createPublicKey, verify, webcrypto } from 'node:crypto';
import {
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Clock } from '../../../src/platform/core/clock.ts';
import { type Answer, type Received, type Receiver, startReceiver } from '../../peers/https-receiver.ts';

export type Step =
  | 'directory'
  | 'nonce'
  | 'account'
  | 'newOrder'
  | 'order'
  | 'authorization'
  | 'challenge'
  | 'finalize'
  | 'certificate';

export interface FakeCaOptions {
  clock: Clock;
  /** Where the answers to challenges are fetched. */
  httpPort: number;
  /** How long its certificates are valid. */
  days?: number;
  /** When its certificates begin to be valid; at once by default. */
  beginsInDays?: number;
}

interface FakeOrder {
  names: string[];
  proven: Set<string>;
  certificate: string | null;
}

const DAY_MS = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export const problem = (type: string, status: number, detail = '', headers = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail }),
});

const json = (body: unknown, status = 200, headers = {}): Answer => ({
  status,
  headers,
  body: JSON.stringify(body),
});

const makeToken = (no: number, name: string) => `token-of-${no}-${name.replaceAll('.', '-')}`;

export async function startFakeCa(options: FakeCaOptions): Promise<FakeCa> {
  const receiver = await startReceiver({ names: ['localhost'] });
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const ca = new FakeCa(options, receiver, keys.privateKey);
  receiver.answer((request: Received) => ca.serve(request));
  return ca;
}

export class FakeCa implements AsyncDisposable {
  /** The steps that were asked for, in order. */
  readonly asked: Step[] = [];
  /** What was wrong with the requests that the CA refused. */
  readonly complaints: string[] = [];
  private readonly lies = new Map<Step, (honest: Answer) => Answer>();
  private readonly nonces = new Set<string>();
  private readonly orders: FakeOrder[] = [];
  private readonly proofs = new Set<Promise<void>>();
  private accountJwk: Record<string, string> = {};

  constructor(
    private readonly options: FakeCaOptions,
    private readonly receiver: Receiver,
    private readonly key: webcrypto.CryptoKey,
  ) {}

  get directory(): string {
    return this.url('/directory');
  }

  /** Replaces the answer of a step and receives the honest one. Null restores the honest answer. */
  lie(step: Step, answer: ((honest: Answer) => Answer) | null): void {
    if (answer) this.lies.set(step, answer);
    else this.lies.delete(step);
  }

  /** Resolves when no answer to a challenge is being fetched. */
  async settled(): Promise<void> {
    await Promise.all(this.proofs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.receiver[Symbol.asyncDispose]();
  }

  serve(request: Received): Answer {
    const [, first = '', ...rest] = request.path.split('/');
    const step = first as Step;
    this.asked.push(step);
    const honest = this.answerHonestly(request, step, rest.map(Number));
    const answer = this.lies.get(step)?.(honest) ?? honest;
    if (step === 'directory') return answer;
    const nonce = crypto.randomUUID();
    this.nonces.add(nonce);
    return { ...answer, headers: { 'replay-nonce': nonce, ...answer.headers } };
  }

  private url(path: string): string {
    return `https://localhost:${this.receiver.port}${path}`;
  }

  private answerHonestly(request: Received, step: Step, at: number[]): Answer {
    if (step === 'nonce') return {};
    if (step === 'directory') {
      const [newNonce, newAccount, newOrder] = ['/nonce', '/account', '/newOrder'].map((path) =>
        this.url(path),
      );
      return json({ newNonce, newAccount, newOrder });
    }
    const opened = this.open(request, step);
    if (opened === 'nonce') return problem('badNonce', 400);
    if (typeof opened !== 'string') return this.act(step, at, opened);
    this.complaints.push(`${step}: ${opened}`);
    return problem('malformed', 400, opened);
  }

  /** The payload, or what is wrong. */
  private open(request: Received, step: Step): Record<string, never> | string {
    if (request.headers['content-type'] !== 'application/jose+json') return 'content type';
    const { protected: head, payload, signature } = JSON.parse(request.body.toString());
    const header = JSON.parse(Buffer.from(head, 'base64url').toString());
    if (header.alg !== 'ES256' || header.url !== this.url(request.path)) return 'header';
    if (!this.nonces.delete(header.nonce)) return 'nonce';
    if (step === 'account') this.accountJwk = header.jwk;
    else if (header.kid !== this.url('/account/1') || header.jwk) return 'kid';
    const key = createPublicKey({ key: this.accountJwk, format: 'jwk' });
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned) return 'signature';
    return payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString());
  }

  // biome-ignore lint/suspicious/noExplicitAny: the payloads of a protocol.
  private act(step: Step, [no = 0, at = 0]: number[], payload: any): Answer {
    if (step === 'account') return json({ status: 'valid' }, 200, { location: this.url('/account/1') });
    if (step === 'newOrder') {
      const names = payload.identifiers.map(({ value }: { value: string }) => value);
      return this.showOrder(this.orders.push({ names, proven: new Set(), certificate: null }) - 1, 201);
    }
    const order = this.orders[no];
    if (!order) return problem('malformed', 404);
    if (step === 'authorization') return this.showAuthorization(order, no, at);
    // It fetches before it responds, so that no client has to poll for as long as a busy machine takes.
    if (step === 'challenge')
      return { ...json({ status: 'processing' }), until: this.prove(no, order.names[at]!) };
    if (step === 'finalize') return { ...this.showOrder(no), until: this.issue(no, payload.csr) };
    return step === 'certificate' ? { body: order.certificate ?? '' } : this.showOrder(no);
  }

  private showOrder(no: number, status?: number): Answer {
    const { names, proven, certificate } = this.orders[no]!;
    const state = certificate ? 'valid' : proven.size === names.length ? 'ready' : 'pending';
    const body = {
      status: state,
      identifiers: names.map((value) => ({ type: 'dns', value })),
      authorizations: names.map((_, at) => this.url(`/authorization/${no}/${at}`)),
      finalize: this.url(`/finalize/${no}`),
      ...(certificate ? { certificate: this.url(`/certificate/${no}`) } : {}),
    };
    return json(body, status, { location: this.url(`/order/${no}`) });
  }

  private showAuthorization({ names, proven }: FakeOrder, no: number, at: number): Answer {
    const name = names[at]!;
    const token = makeToken(no, name);
    return json({
      status: proven.has(name) ? 'valid' : 'pending',
      identifier: { type: 'dns', value: name },
      challenges: [
        { type: 'dns-01', url: this.url('/nowhere'), token },
        { type: 'http-01', url: this.url(`/challenge/${no}/${at}`), token },
      ],
    });
  }

  private prove(no: number, name: string): Promise<void> {
    const proof = this.fetchProof(no, name)
      .catch((fault) => void this.complaints.push(String(fault)))
      .finally(() => this.proofs.delete(proof));
    this.proofs.add(proof);
    return proof;
  }

  private async fetchProof(no: number, name: string): Promise<void> {
    const { crv, kty, x, y } = this.accountJwk;
    const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify({ crv, kty, x, y }));
    const token = makeToken(no, name);
    const url = `http://127.0.0.1:${this.options.httpPort}/.well-known/acme-challenge/${token}`;
    const reply = await fetch(url, { headers: { host: name } });
    if ((await reply.text()) === `${token}.${digest.digest('base64url')}`) this.orders[no]!.proven.add(name);
  }

  private async issue(no: number, csr: string): Promise<void> {
    const request = new Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'));
    const { clock, days = 90, beginsInDays = 0 } = this.options;
    const nowMs = clock.nowUs() / 1000;
    const order = this.orders[no]!;
    const created = await X509CertificateGenerator.create({
      serialNumber: `0${no + 1}`,
      issuer: 'CN=Fake CA, O=Fake',
      notBefore: new Date(nowMs + (days < 0 ? days - 1 : beginsInDays) * DAY_MS),
      notAfter: new Date(nowMs + days * DAY_MS),
      signingKey: this.key,
      publicKey: await request.publicKey.export(),
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension(order.names.map((value) => ({ type: 'dns', value })))],
    });
    order.certificate = created.toString('pem');
  }
}
