import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Log } from '../core/log.ts';
import { mxHost, type Settings } from '../core/settings.ts';
import { makeFolder, placeFile } from '../files/durable.ts';

/** A key and its certificate chain, PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const VALID_DAYS = 3650;

/** The files could be read, but are not a usable pair. */
class DamagedPair extends Error {}

/**
 * The operator's certificate, or one of our own making: it is made at the first start and kept in the data
 * folder, so that a client that remembers it is not alarmed by the next start. When ours is damaged it is made again,
 * and `onDamage` gets the reason; without it that is thrown. The operator's own is never replaced.
 */
export async function loadCertificate(
  files: { cert: string | null; key: string | null },
  data_dir: string,
  host: string,
  onDamage?: (reason: string) => void,
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
  const make = () => makeCertificate(dir, cert_file, key_file, host);
  const read = () =>
    readPair(
      { file: cert_file, told: cert_file },
      { file: key_file, told: key_file },
      `Remove ${cert_file} and ${key_file}: the next start makes new ones.`,
    );
  if (!existsSync(cert_file) || !existsSync(key_file)) await make();
  try {
    return read();
  } catch (fault) {
    if (!onDamage || !(fault instanceof DamagedPair)) throw fault;
    onDamage(fault.message);
    await make();
    return read();
  }
}

/** The certificate that the settings name, or ours; a warning says when ours had to be made again. */
export function loadServerCertificate(settings: Settings, data_dir: string, log: Log): Promise<Certificate> {
  const onDamage = (reason: string) =>
    log.warn('the self-signed certificate was damaged, and a new one is made', { reason });
  const files = { cert: settings.tls_cert, key: settings.tls_key };
  return loadCertificate(files, data_dir, mxHost(settings), onDamage);
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
    throw new DamagedPair(`${reason}. ${remedy}`);
  };
  const read = ({ file, told }: Named): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (fault) {
      throw new Error(`${told} can't be read: ${(fault as Error).message}. ${remedy}`);
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
  try {
    // Stricter than the above about what is between and behind the certificates.
    createSecureContext({ cert, key });
  } catch (fault) {
    return refuse(`TLS can't use ${cert_file.told} and ${key_file.told} (${(fault as Error).message})`);
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
  makeFolder(dir);
  // A crash between the two leaves no pair, and it is made again.
  placeFile(cert_file, Buffer.from(cert), 0o644);
  placeFile(key_file, Buffer.from(key), 0o600);
}
