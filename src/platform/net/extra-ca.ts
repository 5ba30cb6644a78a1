import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { CERTIFICATE_PEM } from './certificate-pair.ts';

/** Returns all certificates to trust. A list that is passed to TLS replaces the built-in roots, so it must have them, too. */
export const listTrusted = (extraCa: readonly string[]): string[] => [...rootCertificates, ...extraCa];

/** Reads the certificates of POSTERN_EXTRA_CA_FILE. Throws if the file has none, or a broken one. */
export function readExtraCa(file: string | null): string[] {
  if (file === null) return [];
  const label = `POSTERN_EXTRA_CA_FILE (${file})`;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (fault) {
    throw new Error(`${label} can't be read: ${(fault as Error).message}`);
  }
  const certificates = text.match(CERTIFICATE_PEM) ?? [];
  if (certificates.length === 0) throw new Error(`${label} contains no PEM certificate.`);
  for (const [index, pem] of certificates.entries()) {
    try {
      new X509Certificate(pem);
    } catch {
      throw new Error(`${label}: certificate ${index + 1} of ${certificates.length} is not valid.`);
    }
  }
  return [...certificates];
}
