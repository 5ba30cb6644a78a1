import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key and its certificate chain, PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const VALID_DAYS = 3650;

/**
 * The operator's certificate, or one of our own making: it is made at the first start and kept in the data
 * folder, so that a client that remembers it is not alarmed by the next start.
 */
export async function loadCertificate(
  files: { cert: string | null; key: string | null },
  data_dir: string,
  host: string,
): Promise<Certificate> {
  if (files.cert !== null && files.key !== null) {
    return { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
  }
  const dir = join(data_dir, 'tls');
  const cert_file = join(dir, 'self-signed.crt');
  const key_file = join(dir, 'self-signed.key');
  if (!existsSync(cert_file) || !existsSync(key_file)) await makeCertificate(dir, cert_file, key_file, host);
  return { cert: readFileSync(cert_file, 'utf8'), key: readFileSync(key_file, 'utf8') };
}

async function makeCertificate(
  dir: string,
  cert_file: string,
  key_file: string,
  host: string,
): Promise<void> {
  // Loaded only at the first start: it takes longer than all else.
  const { generate } = await import('selfsigned');
  const now = new Date();
  const { cert, private: key } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - 86_400_000),
    notAfterDate: new Date(now.getTime() + VALID_DAYS * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ],
  });
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  // The key last: a crash between the two leaves no pair, and it is made again.
  write(cert_file, cert, 0o644);
  write(key_file, key, 0o600);
}

function write(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}
