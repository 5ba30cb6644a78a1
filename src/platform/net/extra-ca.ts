import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** All certificates to trust: those that are given to TLS replace the built-in roots. */
export const listTrusted = (extraCa: readonly string[]): string[] => [...rootCertificates, ...extraCa];

/** The certificates of POSTERN_EXTRA_CA_FILE. Throws with a remedy when the file has none. */
export function readExtraCa(file: string | null): string[] {
  if (file === null) return [];
  const label = `POSTERN_EXTRA_CA_FILE (${file})`;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (fault) {
    throw new Error(`${label} can't be read: ${(fault as Error).message}`);
  }
  const certificates = text.match(PEM) ?? [];
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
