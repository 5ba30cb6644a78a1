/** The key of an ACME account (EC P-256). It signs requests as JWS in flattened JSON (RFC 8555 6.2, RFC 7515). */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

export interface AccountKey {
  /** PKCS #8, PEM. */
  readonly pem: string;
  readonly jwk: { crv: string; kty: string; x: string; y: string };
  /** Of RFC 7638. With a token, it is the answer to a challenge. */
  readonly thumbprint: string;
  /** Returns the signed body of a request. A null `payload` reads a resource (POST-as-GET). */
  sign(header: Record<string, unknown>, payload: unknown): string;
}

/** Generates a key for an account or a certificate: PKCS #8, PEM. */
export function makeKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
}

/** Reads an account's key. Throws unless it is an EC P-256 key. */
export function readAccountKey(pem: string): AccountKey {
  const key = createPrivateKey(pem);
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  if (crv !== 'P-256' || kty !== 'EC' || !x || !y) throw new Error('it is not an EC P-256 key');
  // RFC 7638 3.3: exactly these members, in this order.
  const jwk = { crv, kty, x, y };
  return {
    pem,
    jwk,
    thumbprint: createHash('sha256').update(JSON.stringify(jwk)).digest('base64url'),
    sign(header, payload) {
      const protectedPart = encode(JSON.stringify({ alg: 'ES256', ...header }));
      const payloadPart = payload === null ? '' : encode(JSON.stringify(payload));
      const signed = Buffer.from(`${protectedPart}.${payloadPart}`);
      const signature = sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
      return JSON.stringify({ protected: protectedPart, payload: payloadPart, signature });
    },
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
