/** Carries out an order, from its beginning to the certificate (RFC 8555 7.4). */
import { acme as rules } from '../../../rules/acme.ts';
import type { Clock } from '../../core/clock.ts';
import { sleep } from '../../core/sleep.ts';
import { CERTIFICATE_PEM, type Certificate } from '../certificate-pair.ts';
import { type AccountKey, makeKeyPem } from './account-key.ts';
import {
  type AcmeAnswer,
  type AcmeClient,
  AcmeFault,
  AcmeInterrupted,
  describeProblem,
  readUrl,
  requireObject,
} from './client.ts';
import { makeSigningRequest } from './signing-request.ts';

/** An order at the CA, and the key of its certificate. It is stored before the CA is asked to issue. */
export interface KeptOrder {
  url: string;
  key: string;
  names: readonly string[];
  directory: string;
  at: number;
}

export interface OrderParts {
  client: AcmeClient;
  account: AccountKey;
  names: readonly string[];
  directory: string;
  clock: Clock;
  signal: AbortSignal;
  /** The order of an attempt that was interrupted. */
  kept: KeptOrder | null;
  /** Stores an order, or null once it is of no use. */
  keep(order: KeptOrder | null): void;
  /** Answers a challenge until the returned function is called. */
  answer(name: string, token: string, text: string): () => void;
}

interface Order {
  status: string;
  authorizations: string[];
  finalize: string;
  certificate: string | null;
  error: unknown;
}

const TOKEN = /^[A-Za-z0-9_-]{16,256}$/;
/** Problems after which the same order may still succeed. */
const PASSING = /^(rateLimited|serverInternal|orderNotReady|badNonce)$/;

/**
 * Returns a new certificate, which the caller has to check. An interrupted order is continued with its own key, so that
 * a certificate that was issued but not received is downloaded instead of requested again.
 */
export async function obtainCertificate(parts: OrderParts): Promise<Certificate> {
  const { kept, order } = await openOrder(parts);
  try {
    return await finishOrder(parts, kept, order);
  } catch (fault) {
    if (isOver(fault, kept === parts.kept)) parts.keep(null);
    throw fault;
  }
}

/** Whether an order that failed is of no more use. `isContinued` is true for the order of an earlier attempt. */
function isOver(fault: unknown, isContinued: boolean): boolean {
  if (fault instanceof AcmeInterrupted) return false;
  const { type = null, status = null } = fault as Partial<AcmeFault>;
  if (type !== null) return !PASSING.test(type);
  // The CA does not decide, or answers nonsense. What two attempts could not finish may never end.
  return isContinued && (status ?? 0) < 500;
}

async function finishOrder(parts: OrderParts, kept: KeptOrder, first: Order): Promise<Certificate> {
  const { client } = parts;
  let order = first;
  if (order.status === 'pending') {
    await proveNames(parts, order.authorizations);
    order = await pollOrder(parts, kept.url, (status) => status !== 'pending');
  }
  if (order.status === 'ready') {
    const csr = await makeSigningRequest(kept.key, parts.names);
    await client.post(readUrl(order.finalize, 'finalize'), { csr });
  }
  order = await pollOrder(parts, kept.url, (status) => status === 'valid' || status === 'invalid');
  if (order.status !== 'valid') throw makeRefusal('the order', order.error);
  const { text } = await client.get(
    readUrl(order.certificate, 'the certificate'),
    'application/pem-certificate-chain',
  );
  const chain = text.match(CERTIFICATE_PEM) ?? [];
  if (chain.length === 0 || chain.length > rules.chainMax)
    throw new AcmeFault(`the CA sent a chain of ${chain.length} certificates`, { type: 'invalid' });
  return { key: kept.key, cert: `${chain.join('\n')}\n` };
}

async function openOrder(parts: OrderParts): Promise<{ kept: KeptOrder; order: Order }> {
  const { client, names, directory, clock, keep } = parts;
  if (parts.kept !== null) {
    const found = await tryKept(client, parts.kept.url);
    if (found) return { kept: parts.kept, order: found };
    keep(null);
  }
  const made = await client.newOrder(names);
  const kept = { url: made.url, key: makeKeyPem(), names, directory, at: clock.nowUs() };
  keep(kept);
  return { kept, order: readOrder(made.order) };
}

/** Null when the CA no longer knows it, or it has failed. */
async function tryKept(client: AcmeClient, url: string): Promise<Order | null> {
  try {
    const order = readOrder((await client.get(url)).json);
    return order.status === 'invalid' ? null : order;
  } catch (fault) {
    // That the CA can't be reached, or asks us to wait, is no reason to start over.
    const { status = null } = fault as Partial<AcmeFault>;
    if (status !== null && [400, 401, 403, 404].includes(status)) return null;
    throw fault;
  }
}

/** Answers the challenges of all names that are not proven yet, then waits until the CA has checked each. */
async function proveNames(parts: OrderParts, urls: readonly string[]): Promise<void> {
  const { client } = parts;
  if (urls.length > parts.names.length) throw new AcmeFault('the order has more authorizations than names');
  const answers: (() => void)[] = [];
  const waiting: { url: string; name: string }[] = [];
  try {
    for (const url of urls) {
      const authorization = requireObject(
        (await client.get(readUrl(url, 'an authorization'))).json,
        'an authorization',
      );
      if (authorization.status === 'valid') continue;
      const name = readName(authorization, parts.names);
      const { url: challengeUrl, token } = findChallenge(authorization, name);
      answers.push(parts.answer(name, token, `${token}.${parts.account.thumbprint}`));
      await client.post(challengeUrl, {});
      waiting.push({ url, name });
    }
    for (const { url, name } of waiting) {
      const proven = await poll(parts, url, ({ status }) => status !== 'pending');
      if (proven.status !== 'valid') throw makeRefusal(name, findError(proven));
    }
  } finally {
    for (const end of answers) end();
  }
}

function readName(authorization: Record<string, unknown>, names: readonly string[]): string {
  const identifier = requireObject(authorization.identifier, 'an authorization');
  const name = names.find((each) => each === identifier.value);
  if (name === undefined || identifier.type !== 'dns') {
    throw new AcmeFault('the CA wants proof of a name that was not asked for');
  }
  return name;
}

function findChallenge(authorization: Record<string, unknown>, name: string): { url: string; token: string } {
  const offered = Array.isArray(authorization.challenges) ? authorization.challenges : [];
  const challenge = offered.find((each) => (each as Record<string, unknown> | null)?.type === 'http-01');
  if (authorization.status !== 'pending' || !challenge) {
    throw makeRefusal(name, findError(authorization));
  }
  const { url, token } = challenge as Record<string, unknown>;
  if (typeof token !== 'string' || !TOKEN.test(token))
    throw new AcmeFault('the token of a challenge is malformed');
  return { url: readUrl(url, 'a challenge'), token };
}

/** Why a challenge of this authorization failed. */
function findError({ challenges }: Record<string, unknown>): unknown {
  const all = (Array.isArray(challenges) ? challenges : []) as (Record<string, unknown> | null)[];
  return all.find((each) => each?.error)?.error ?? null;
}

/** Creates the fault of a refusal. Its type is `invalid`: the order can't be continued. */
function makeRefusal(what: string, error: unknown): AcmeFault {
  const { text } = describeProblem(error);
  return new AcmeFault(`the CA did not accept ${what}: ${text || 'it says no reason'}`, { type: 'invalid' });
}

async function pollOrder(
  parts: OrderParts,
  url: string,
  isDone: (status: string) => boolean,
): Promise<Order> {
  const found = await poll(parts, url, ({ status }) => isDone(readString(status)) || status === 'invalid');
  const order = readOrder(found);
  if (order.status === 'invalid') throw makeRefusal('the order', order.error);
  return order;
}

/** Reads a resource until it is done, with growing pauses, or longer ones if the CA asks for them. */
async function poll(
  { client, clock, signal }: OrderParts,
  url: string,
  isDone: (json: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  const giveUpMs = clock.elapsedMs() + rules.patienceS * 1000;
  for (let tries = 0; ; tries++) {
    const answer: AcmeAnswer = await client.get(url);
    const json = requireObject(answer.json, 'an order');
    if (isDone(json)) return json;
    if (clock.elapsedMs() > giveUpMs) {
      throw new AcmeFault(`the CA has not decided within ${rules.patienceS} seconds`);
    }
    const ownS = rules.pollAfterS[tries] ?? rules.pollAfterS.at(-1)!;
    await sleep(clock, Math.min(Math.max(ownS, answer.waitS), rules.pollMaxS) * 1000, signal);
    if (signal.aborted) throw new AcmeInterrupted('the attempt was stopped');
  }
}

/** Returns a string of the CA's JSON; empty if it is none. */
const readString = (value: unknown): string => (typeof value === 'string' ? value : '');

function readOrder(json: unknown): Order {
  const { status, authorizations, finalize, certificate, error = null } = requireObject(json, 'an order');
  return {
    status: readString(status),
    authorizations: Array.isArray(authorizations) ? authorizations.map(readString) : [],
    finalize: readString(finalize),
    certificate: typeof certificate === 'string' ? certificate : null,
    error,
  };
}
