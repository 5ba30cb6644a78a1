import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** A key and its certificate chain, as PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

export const CERTIFICATE_PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Returns why TLS can't use this pair; null if it can. `certName` and `keyName` are what the reason calls the two. */
export function findPairFault({ cert, key }: Certificate, certName: string, keyName: string): string | null {
  const chain: X509Certificate[] = [];
  for (const [index, pem] of (cert.match(CERTIFICATE_PEM) ?? []).entries()) {
    try {
      chain.push(new X509Certificate(pem));
    } catch {
      return `${certName} is damaged: certificate ${index + 1} in it is not valid`;
    }
  }
  const [leaf] = chain;
  if (!leaf) return `${certName} contains no PEM certificate`;
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch {
    return `${keyName} contains no PEM private key without a passphrase`;
  }
  if (!leaf.checkPrivateKey(privateKey)) {
    return `${keyName} is not the key of the first certificate in ${certName}`;
  }
  try {
    // OpenSSL is stricter than the checks above about text between and after the certificates.
    createSecureContext({ cert, key });
  } catch (fault) {
    return `TLS can't use ${certName} and ${keyName} (${(fault as Error).message})`;
  }
  return null;
}

/** Facts about the first certificate of a chain. */
export interface CertificateFacts {
  names: string[];
  issuer: string;
  startsAtUs: number;
  endsAtUs: number;
  /** Whether it is valid for this host name, also by a wildcard. */
  covers(name: string): boolean;
}

export function readCertificateFacts(cert: string): CertificateFacts {
  const leaf = new X509Certificate(cert);
  const names = Array.from((leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s]+)/g), ([, name = '']) => name);
  return {
    names,
    issuer:
      /(?:^|\n)O=([^\n]+)/.exec(leaf.issuer)?.[1] ??
      /(?:^|\n)CN=([^\n]+)/.exec(leaf.issuer)?.[1] ??
      leaf.issuer,
    startsAtUs: Date.parse(leaf.validFrom) * 1000,
    endsAtUs: Date.parse(leaf.validTo) * 1000,
    covers: (name) => leaf.checkHost(name) !== undefined,
  };
}
