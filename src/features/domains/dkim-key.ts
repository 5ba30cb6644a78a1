/** DKIM keys (RFC 6376): creates them, formats their TXT record, and seals their private half. */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { ServerKey } from '../../platform/core/sealed.ts';

/** RFC 8301 3.2: signers should use at least this. Longer keys do not fit every provider's form for a TXT record. */
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

/** Throws when another key sealed it, or it belongs to another domain. */
export function openPrivateKey(
  key: ServerKey,
  domainId: string,
  { public_key, private_key }: DkimPair,
): KeyObject {
  const der = key.open(private_key, makeContext(domainId, public_key));
  return createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
}

const OPENED_MAX = 64;
/** By the server's key and the sealed bytes: the same bytes always open to the same key. */
const opened = new WeakMap<ServerKey, Map<string, KeyObject>>();

/** The same, cached by the sealed bytes: opening takes half as long as signing. */
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
