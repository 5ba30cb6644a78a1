import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Creates a certificate signing request for these names: DER in base64url, as RFC 8555 7.4 requires. */
export async function makeSigningRequest(keyPem: string, names: readonly string[]): Promise<string> {
  // Loaded only for an order: it takes 100 ms.
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await import(
    '@peculiar/x509'
  );
  const key = createPrivateKey(keyPem);
  const { subtle } = webcrypto;
  const [privateKey, publicKey] = await Promise.all([
    subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, true, ['sign']),
    subtle.importKey('spki', createPublicKey(key).export({ type: 'spki', format: 'der' }), algorithm, true, [
      'verify',
    ]),
  ]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: { privateKey, publicKey },
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
  });
  return Buffer.from(request.rawData).toString('base64url');
}
