/** The TLS contexts of outgoing connections. Each is created once, because that takes 3.5 ms. */
import { createSecureContext, type SecureContext } from 'node:tls';
import { listTrusted } from './extra-ca.ts';

/** By the list of certificates, which is replaced, never changed. */
const verifying = new WeakMap<readonly string[], SecureContext>();
let opportunistic: SecureContext | undefined;

/** Returns a context that trusts the built-in roots and these. RFC 9325 3.1.1 requires at least TLS 1.2. */
export function makeVerifyingContext(extraCa: readonly string[]): SecureContext {
  const made =
    verifying.get(extraCa) ?? createSecureContext({ ca: listTrusted(extraCa), minVersion: 'TLSv1.2' });
  verifying.set(extraCa, made);
  return made;
}

/** Returns a context for TLS with any certificate: old TLS is better than none. */
export function makeOpportunisticContext(): SecureContext {
  opportunistic ??= createSecureContext({ minVersion: 'TLSv1' });
  return opportunistic;
}
