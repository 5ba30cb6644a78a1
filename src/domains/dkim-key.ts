/** DKIM keys (RFC 6376): made, written as a TXT record, kept sealed. */
import { createPrivateKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { ServerKey } from '../core/sealed.ts';

/** RFC 8301 3.2: signers should use at least this; longer ones do not fit every provider's form for a TXT record. */
const MODULUS_BITS = 2048;

const generate = promisify(generateKeyPair);

export interface DkimPair {
  /** The TXT record's value. */
  public_key: string;
  /** Sealed. */
  private_key: Uint8Array;
}

/** Both halves, DER. */
export interface RsaPair {
  publicKey: Buffer;
  privateKey: Buffer;
}

/** A fresh pair; it is made beside the event loop. */
export function newRsaPair(): Promise<RsaPair> {
  return generate('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
}

export function asDkimKey(key: ServerKey, domain_id: string, pair: RsaPair): DkimPair {
  const public_key = `v=DKIM1; k=rsa; p=${pair.publicKey.toString('base64')}`;
  return { public_key, private_key: key.seal(pair.privateKey, contextOf(domain_id, public_key)) };
}

/** As PEM. */
export function openPrivateKey(
  key: ServerKey,
  domain_id: string,
  { public_key, private_key }: DkimPair,
): string {
  const der = key.open(private_key, contextOf(domain_id, public_key));
  return createPrivateKey({ key: der, type: 'pkcs8', format: 'der' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

function contextOf(domain_id: string, public_key: string): string {
  return `dkim key ${domain_id} ${public_key}`;
}
