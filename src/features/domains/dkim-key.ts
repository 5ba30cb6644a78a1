/** Creates DKIM keys (RFC 6376), formats their TXT record, and encrypts their private half. */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { ServerKey } from '../../platform/core/sealed.ts';

/**
 * Signers should use at least this (RFC 8301, section 3.2). Longer keys do not fit every provider's form for a record.
 */
const MODULUS_BITS = 2048;

const generate = promisify(generateKeyPair);

export interface DkimPair {
  /** The TXT record's value. */
  public_key: string;
  /** Encrypted. */
  private_key: Uint8Array;
}

/** Both halves, in DER. */
export interface RsaPair {
  publicKey: Buffer;
  privateKey: Buffer;
}

/** Creates a key pair off the event loop. */
export function createRsaPair(): Promise<RsaPair> {
  return generate('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
}

export function sealDkimKey(key: ServerKey, domainId: string, pair: RsaPair): DkimPair {
  const publicKey = `v=DKIM1; k=rsa; p=${pair.publicKey.toString('base64')}`;
  return { public_key: publicKey, private_key: key.seal(pair.privateKey, makeContext(domainId, publicKey)) };
}

/** Decrypts a private key. Throws if another server key encrypted it, or it belongs to another domain. */
export function openPrivateKey(
  key: ServerKey,
  domainId: string,
  { public_key, private_key }: DkimPair,
): KeyObject {
  const der = key.open(private_key, makeContext(domainId, public_key));
  return createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
}

const OPENED_MAX = 64;
/** Decrypted keys by the server's key and the encrypted bytes, which always decrypt to the same key. */
const opened = new WeakMap<ServerKey, Map<string, KeyObject>>();

/** Like openPrivateKey, but cached, because decrypting takes half as long as signing. */
export function openCachedKey(key: ServerKey, domainId: string, pair: DkimPair): KeyObject {
  const kept = opened.get(key) ?? new Map<string, KeyObject>();
  opened.set(key, kept);
  const sealed = Buffer.from(pair.private_key).toString('latin1');
  const name = `${makeContext(domainId, pair.public_key)} ${sealed}`;
  const known = kept.get(name);
  if (known) return known;
  if (kept.size >= OPENED_MAX) kept.clear();
  const made = openPrivateKey(key, domainId, pair);
  kept.set(name, made);
  return made;
}

function makeContext(domainId: string, publicKey: string): string {
  return `dkim key ${domainId} ${publicKey}`;
}
