/**
 * The folder acme/ in the data folder. Each file is replaced in one step, and only this user can read it:
 * - certificate.pem: the key and the chain in one file, so that they always belong together;
 * - account-<CA>.key: the key of the account at each CA;
 * - order.json: the order under way, with the key of its certificate;
 * - state.json: the history of attempts; each is recorded before the CA is asked.
 * Backups have none of it: everything but the history can be obtained again, and a key in fewer places is safer.
 */

import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readCode } from '../../core/thrown.ts';
import { flushFolder, makeFolder, placeFile } from '../../files/durable.ts';
import { CERTIFICATE_PEM, type Certificate, findPairFault } from '../certificate-pair.ts';
import { type AccountKey, makeKeyPem, readAccountKey } from './account-key.ts';
import type { KeptOrder } from './order.ts';
import { type History, makeEmptyHistory } from './pace.ts';

export type Issued =
  | { kind: 'none' }
  | { kind: 'certificate'; certificate: Certificate; directory: string }
  | { kind: 'damaged'; reason: string };

const KEY_PEM = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/;
const FILE_BYTES_MAX = 256 * 1024;

export class AcmeShelf {
  private readonly dir: string;

  constructor(dataDir: string) {
    this.dir = join(dataDir, 'acme');
  }

  readCertificate(): Issued {
    const text = this.read('certificate.pem');
    if (text === null) return { kind: 'none' };
    const certificate = {
      key: `${KEY_PEM.exec(text)?.[0] ?? ''}\n`,
      cert: `${(text.match(CERTIFICATE_PEM) ?? []).join('\n')}\n`,
    };
    const file = join(this.dir, 'certificate.pem');
    const fault = findPairFault(certificate, file, `the key in ${file}`);
    if (fault !== null) return { kind: 'damaged', reason: fault };
    return { kind: 'certificate', certificate, directory: /^# directory: (\S+)$/m.exec(text)?.[1] ?? '' };
  }

  placeCertificate({ key, cert }: Certificate, directory: string): void {
    const head = `# Obtained by Postern, which replaces this file.\n# directory: ${directory}\n`;
    this.place('certificate.pem', `${head}${key.trim()}\n${cert.trim()}\n`);
  }

  /** Returns the key of the account at this CA. Creates one if there is none. */
  openAccount(directory: string): AccountKey {
    const name = nameAccountFile(directory);
    const kept = this.read(name);
    if (kept !== null) {
      try {
        return readAccountKey(kept);
      } catch {
        // The key is damaged, so there will be a new account.
      }
    }
    const pem = makeKeyPem();
    this.place(name, pem);
    return readAccountKey(pem);
  }

  /** Deletes the key of an account that the CA has closed permanently. */
  dropAccount(directory: string): void {
    rmSync(join(this.dir, nameAccountFile(directory)), { force: true });
    flushFolder(this.dir);
  }

  readOrder(): KeptOrder | null {
    const { url, key, names, directory, at } = (this.readJson('order.json') ?? {}) as Partial<KeptOrder>;
    const isWhole =
      typeof url === 'string' &&
      typeof key === 'string' &&
      typeof directory === 'string' &&
      typeof at === 'number' &&
      Array.isArray(names);
    return isWhole ? { url, key, names, directory, at } : null;
  }

  keepOrder(order: KeptOrder | null): void {
    if (order !== null) {
      this.place('order.json', JSON.stringify(order));
      return;
    }
    rmSync(join(this.dir, 'order.json'), { force: true });
    flushFolder(this.dir);
  }

  /** Reads the history. A damaged one counts as an attempt that has just failed, so that the CA is not asked too often. */
  readHistory(nowUs: number): History {
    const kept = this.readKeptHistory();
    if (kept !== 'damaged') return kept;
    const reason = `${join(this.dir, 'state.json')} was damaged`;
    const attempt = { at: nowUs, directory: '', names: [], outcome: 'failed' as const, reason, waitS: 0 };
    return { attempts: [attempt], blocked: null };
  }

  /** Replaces a damaged history by the attempt that it counts as, so that the time of that attempt stays. */
  repairHistory(nowUs: number): void {
    if (this.readKeptHistory() === 'damaged') this.keepHistory(this.readHistory(nowUs));
  }

  private readKeptHistory(): History | 'damaged' {
    if (this.read('state.json') === null) return makeEmptyHistory();
    const { attempts, blocked = null } = (this.readJson('state.json') ?? {}) as Partial<History>;
    return Array.isArray(attempts) ? { attempts, blocked } : 'damaged';
  }

  keepHistory(history: History): void {
    this.place('state.json', `${JSON.stringify(history, null, 1)}\n`);
  }

  private place(name: string, text: string): void {
    makeFolder(this.dir);
    placeFile(join(this.dir, name), Buffer.from(text));
  }

  private read(name: string): string | null {
    try {
      const text = readFileSync(join(this.dir, name), 'utf8');
      return text.length > FILE_BYTES_MAX ? '' : text;
    } catch (fault) {
      if (readCode(fault) === 'ENOENT') return null;
      throw fault;
    }
  }

  private readJson(name: string): Record<string, unknown> | null {
    try {
      const json: unknown = JSON.parse(this.read(name) ?? '');
      return typeof json === 'object' ? (json as Record<string, unknown> | null) : null;
    } catch {
      return null;
    }
  }
}

function nameAccountFile(directory: string): string {
  return `account-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}.key`;
}
