import { makeError } from './errors.js';
import type * as wire from './wire.js';

/** Any event that a webhook of the account can ask for. `switch (event.event)` narrows its `data`. */
export type AnyWebhookEvent =
  | wire.WebhookEvent
  | wire.EmailAuthenticatedEvent
  | wire.MessageDeletedEvent
  | wire.EmailHeldEvent
  | wire.EmailSentEvent
  | wire.EmailBouncedEvent
  | wire.EmailFailedEvent
  | wire.DomainVerifiedEvent
  | wire.DomainFailedEvent
  | wire.WebhookDisabledEvent
  | wire.WebhookTestEvent;

/** A Fetch `Request`, or the headers and the raw body of one. */
export type WebhookRequest =
  | Request
  | {
      headers: Headers | Record<string, string | readonly string[] | undefined>;
      /** The body as received: parsing and serialising it again changes its signature. */
      body: string | Uint8Array | ArrayBuffer;
    };

export interface VerifyOptions {
  /** How far the timestamp may be from now, 300 seconds by default. */
  toleranceMs?: number;
  /** The current time in milliseconds since 1970, instead of the clock. */
  nowMs?: number;
}

const HEADER = 'x-service-signature';
const TOLERANCE_MS = 300_000;
/** A header has one signature, or two after a rotation. More would only cost time. */
const SIGNATURES_MAX = 8;

/**
 * Checks that a request comes from Postern, and returns its event. Throws a SignatureError otherwise; answer 401 then.
 * If the webhook asks for more than `email.received`, pass `AnyWebhookEvent` as the type. The comparison takes constant
 * time (WebCrypto's verify).
 */
async function verify<Event extends AnyWebhookEvent = wire.WebhookEvent>(
  request: WebhookRequest,
  secret: string,
  { toleranceMs = TOLERANCE_MS, nowMs = Date.now() }: VerifyOptions = {},
): Promise<Event> {
  const body = await readBody(request);
  const { time, signatures } = readSignatures(readHeader(request.headers));
  if (!(await isSigned(body, time, signatures, secret))) refuse('no signature fits the body and the secret');
  const ageMs = nowMs - Number(time) * 1000;
  if (Math.abs(ageMs) > toleranceMs) {
    const seconds = Math.round(ageMs / 1000);
    throw makeError({ code: 'webhook_timestamp_stale', text: `The delivery was signed ${seconds} s ago.` });
  }
  return JSON.parse(new TextDecoder().decode(body));
}

export const webhooks = { verify };

async function isSigned(
  body: Uint8Array<ArrayBuffer>,
  time: string,
  signatures: Uint8Array<ArrayBuffer>[],
  secret: string,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const use = { name: 'HMAC', hash: 'SHA-256' };
  if (secret === '') refuse('the secret is empty');
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), use, false, ['verify']);
  const prefix = encoder.encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const fits = await Promise.all(signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed)));
  return fits.includes(true);
}

/** Parses `t=<unix seconds>,v1=<hex>`, with one `v1` for each secret in use. */
function readSignatures(header: string): { time: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const [stamp = '', ...given] = header.split(',').map((part) => part.trim());
  const time = /^t=(\d{1,12})$/.exec(stamp)?.[1];
  if (time === undefined) refuse(`the header ${HEADER} is missing or has no timestamp`);
  const hex = given.slice(0, SIGNATURES_MAX).map((part) => /^v1=([0-9a-f]{64})$/i.exec(part)?.[1]);
  const signatures = hex.filter((one) => one !== undefined).map(readHex);
  return { time, signatures };
}

function readHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function readHeader(headers: WebhookRequest['headers']): string {
  if (headers instanceof Headers) return headers.get(HEADER) ?? '';
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === HEADER)?.[1];
  return typeof found === 'string' ? found : (found?.[0] ?? '');
}

async function readBody(request: WebhookRequest): Promise<Uint8Array<ArrayBuffer>> {
  if ('arrayBuffer' in request) return new Uint8Array(await request.arrayBuffer());
  const { body } = request;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return new Uint8Array(body);
}

function refuse(reason: string): never {
  throw makeError({ code: 'webhook_signature_invalid', text: `The webhook is refused: ${reason}.` });
}
