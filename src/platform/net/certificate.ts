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
  dataDir: string,
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
  const dir = join(dataDir, 'tls');
  const certFile = join(dir, 'self-signed.crt');
  const keyFile = join(dir, 'self-signed.key');
  const make = () => makeCertificate(dir, certFile, keyFile, host);
  const read = () =>
    readPair(
      { file: certFile, told: certFile },
      { file: keyFile, told: keyFile },
      `Remove ${certFile} and ${keyFile}: the next start makes new ones.`,
    );
  if (!existsSync(certFile) || !existsSync(keyFile)) await make();
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
export function loadServerCertificate(settings: Settings, dataDir: string, log: Log): Promise<Certificate> {
  const onDamage = (reason: string) =>
    log.warn('the self-signed certificate was damaged, and a new one is made', { reason });
  const files = { cert: settings.tls_cert, key: settings.tls_key };
  return loadCertificate(files, dataDir, mxHost(settings), onDamage);
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
function readPair(certFile: Named, keyFile: Named, remedy: string): Certificate {
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
  const [cert, key] = [read(certFile), read(keyFile)];
  const chain = (cert.match(PEM) ?? []).map((pem, index) => {
    try {
      return new X509Certificate(pem);
    } catch {
      return refuse(`${certFile.told} is damaged: certificate ${index + 1} in it is none`);
    }
  });
  const [leaf] = chain;
  if (!leaf) return refuse(`${certFile.told} holds no certificate in PEM form`);
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch {
    return refuse(`${keyFile.told} holds no private key in PEM form without a passphrase`);
  }
  if (!leaf.checkPrivateKey(privateKey)) {
    return refuse(`${keyFile.told} is not the key of the first certificate in ${certFile.told}`);
  }
  try {
    // Stricter than the above about what is between and behind the certificates.
    createSecureContext({ cert, key });
  } catch (fault) {
    return refuse(`TLS can't use ${certFile.told} and ${keyFile.told} (${(fault as Error).message})`);
  }
  return { cert, key };
}

async function makeCertificate(dir: string, certFile: string, keyFile: string, host: string): Promise<void> {
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
  placeFile(certFile, Buffer.from(cert), 0o644);
  placeFile(keyFile, Buffer.from(key), 0o600);
}
