import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../core/log.ts';
import { mxHost, type Settings } from '../core/settings.ts';
import { makeFolder, placeFile } from '../files/durable.ts';
import { AcmeShelf } from './acme/shelf.ts';
import { type Certificate, findPairFault } from './certificate-pair.ts';

const VALID_DAYS = 3650;
const DAY_MS = 86_400_000;

/** The files are readable but not a usable pair. */
class DamagedPair extends Error {}

/**
 * Reads the operator's certificate or, without one, a self-signed one in the data folder, which the first start creates. It is
 * kept, so that clients that have accepted it don't warn after a restart. If it is damaged, a new one is created and `onDamage`
 * called with the reason; without `onDamage`, that throws. The operator's own files are never replaced.
 */
export async function loadCertificate(
  files: { cert: string | null; key: string | null },
  dataDir: string,
  host: string,
  onDamage?: (reason: string) => void,
): Promise<Certificate> {
  if (files.cert !== null && files.key !== null) {
    return readPair(
      { file: files.cert, label: `POSTERN_TLS_CERT (${files.cert})` },
      { file: files.key, label: `POSTERN_TLS_KEY (${files.key})` },
      'Set both to the PEM files of one certificate and its key.',
    );
  }
  const dir = join(dataDir, 'tls');
  const certFile = join(dir, 'self-signed.crt');
  const keyFile = join(dir, 'self-signed.key');
  const make = () => makeCertificate(dir, certFile, keyFile, host);
  const read = () =>
    readPair(
      { file: certFile, label: certFile },
      { file: keyFile, label: keyFile },
      `Remove ${certFile} and ${keyFile}: the next start creates new ones.`,
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

/** Loads the certificate of the CA (POSTERN_ACME), of the settings, or the self-signed one; logs what is damaged. */
export async function loadServerCertificate(
  settings: Settings,
  dataDir: string,
  log: Log,
): Promise<Certificate> {
  const issued = settings.acme ? new AcmeShelf(dataDir).readCertificate() : null;
  if (issued?.kind === 'damaged') {
    log.error('the certificate of the CA is damaged; a self-signed one is used until there is a new one', {
      reason: issued.reason,
    });
  }
  if (issued?.kind === 'certificate') return issued.certificate;
  const onDamage = (reason: string) =>
    log.warn('the self-signed certificate was damaged; a new one is created', { reason });
  const files = { cert: settings.tls_cert, key: settings.tls_key };
  return loadCertificate(files, dataDir, mxHost(settings), onDamage);
}

/** Returns the end of a certificate's validity, as an ISO time. */
export function readCertificateEnd({ cert }: Certificate): string {
  return new Date(new X509Certificate(cert).validTo).toISOString();
}

/** A file, and what error messages call it. */
interface LabelledFile {
  file: string;
  label: string;
}

/** Reads a certificate and its key. Throws, with `remedy` in the message, if they are not a pair. */
function readPair(certFile: LabelledFile, keyFile: LabelledFile, remedy: string): Certificate {
  const read = ({ file, label }: LabelledFile): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (fault) {
      throw new Error(`${label} can't be read: ${(fault as Error).message}. ${remedy}`);
    }
  };
  const pair = { cert: read(certFile), key: read(keyFile) };
  const fault = findPairFault(pair, certFile.label, keyFile.label);
  if (fault !== null) throw new DamagedPair(`${fault}. ${remedy}`);
  return pair;
}

async function makeCertificate(dir: string, certFile: string, keyFile: string, host: string): Promise<void> {
  // Loaded only when it is needed: it would take longer than the rest of a start.
  const { generate } = await import('selfsigned');
  const now = new Date();
  const { cert, private: key } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - DAY_MS),
    notAfterDate: new Date(now.getTime() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ],
  });
  makeFolder(dir);
  // A crash between the two writes leaves no pair; the next start creates one.
  placeFile(certFile, Buffer.from(cert), 0o644);
  placeFile(keyFile, Buffer.from(key));
}
