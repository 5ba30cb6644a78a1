import { fail, failField } from '../core/failure.ts';
import { hashSecret } from '../core/id.ts';
import type { OnceRequest, Principal, Route } from './route.ts';

/*
 * Idempotency-Key, on every POST that creates something, on a wait that claims a message, and where a secret is created
 * (docs/decisions.md, Objects). Its record is read and written in the transaction of the change (writes.ts), so that two
 * concurrent requests create one thing.
 */

const KEY_CHARS_MAX = 255;
/** Without an API key, the Idempotency-Key alone protects the stored response. */
const GUARDING_CHARS_MIN = 16;
const FIELD = 'Idempotency-Key';

/** Reads the header. Null without one, or if the route does not honour it; a malformed one is 422. */
export function readOnce(
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  caller: Principal | null,
  clientIp: string,
  body: unknown,
): OnceRequest | null {
  const key = request.headers.get(FIELD);
  if (!(route.creates || route.honoursKeyFor) || key === null) return null;
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > KEY_CHARS_MAX) {
    failField(FIELD, `must be 1 to ${KEY_CHARS_MAX} printable ASCII characters`);
  }
  const charsMin = findKeyCharsMin(route);
  if (key.length < charsMin) failField(FIELD, `must have at least ${charsMin} characters here`);
  const whose = caller ? caller.account.id : `ip ${clientIp}`;
  return {
    scope: `${whose} ${route.method} ${route.path}`,
    // Hashed: for a registration, the key is all that protects the stored response.
    key: Buffer.from(hashSecret(key)).toString('hex'),
    // The path parameters are part of the request: the same body for another message is another request.
    bodyHash: hashSecret(JSON.stringify([params, body ?? null])),
  };
}

/** Throws conflict if the first request with this Idempotency-Key had another body. */
export function checkSameBody({ bodyHash }: OnceRequest, firstHash: Uint8Array): void {
  if (!Buffer.from(firstHash).equals(bodyHash))
    fail('conflict', { text: 'This Idempotency-Key was used with another body.' });
}

/** Returns the minimum length of an Idempotency-Key. */
export const findKeyCharsMin = ({ auth }: Route) => (auth === 'none' ? GUARDING_CHARS_MIN : 1);
