import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
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
    return readPair(
      { file: files.cert, told: `POSTERN_TLS_CERT (${files.cert})` },
      { file: files.key, told: `POSTERN_TLS_KEY (${files.key})` },
      'Set both to the PEM files of one certificate and its key.',
    );
  }
  const dir = join(data_dir, 'tls');
  const cert_file = join(dir, 'self-signed.crt');
  const key_file = join(dir, 'self-signed.key');
  if (!existsSync(cert_file) || !existsSync(key_file)) await makeCertificate(dir, cert_file, key_file, host);
  return readPair(
    { file: cert_file, told: cert_file },
    { file: key_file, told: key_file },
    `Remove ${cert_file} and ${key_file}: the next start makes new ones.`,
  );
}

/** Until when it is valid, as ISO time. */
export function certificateEnd({ cert }: Certificate): string {
  return new Date(new X509Certificate(cert).validTo).toISOString();
}

/** A file, and what a fault calls it. */
interface Named {
  file: string;
  told: string;
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Throws with `remedy` when they are no certificate and its key. */
function readPair(cert_file: Named, key_file: Named, remedy: string): Certificate {
  const refuse = (reason: string): never => {
    throw new Error(`${reason}. ${remedy}`);
  };
  const read = ({ file, told }: Named): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (fault) {
      return refuse(`${told} can't be read: ${(fault as Error).message}`);
    }
  };
  const [cert, key] = [read(cert_file), read(key_file)];
  const chain = (cert.match(PEM) ?? []).map((pem, index) => {
    try {
      return new X509Certificate(pem);
    } catch {
      return refuse(`${cert_file.told} is damaged: certificate ${index + 1} in it is none`);
    }
  });
  const [leaf] = chain;
  if (!leaf) return refuse(`${cert_file.told} holds no certificate in PEM form`);
  let private_key: KeyObject;
  try {
    private_key = createPrivateKey(key);
  } catch {
    return refuse(`${key_file.told} holds no private key in PEM form without a passphrase`);
  }
  if (!leaf.checkPrivateKey(private_key)) {
    return refuse(`${key_file.told} is not the key of the first certificate in ${cert_file.told}`);
  }
  return { cert, key };
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
