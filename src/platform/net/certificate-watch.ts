/** Polls the certificate's files and loads them when they change, however they are renewed. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { readReason } from '../core/thrown.ts';
import { readCertificateEnd } from './certificate.ts';
import type { Certificate } from './certificate-pair.ts';

export const CHECK_EVERY_MS = 10_000;

interface Watched {
  settings: Pick<Settings, 'tls_cert' | 'tls_key'>;
  clock: Clock;
  log: Log;
}

interface Door {
  setCertificate(certificate: Certificate): void;
}

/**
 * Gives the doors a new certificate whenever its files change. It compares their contents, so it works whether they are
 * rewritten, renamed or behind links (certbot's live/). While they are not a valid pair, because one is half written or missing,
 * the old certificate stays in use until the next change. A self-signed certificate is not watched. `reload` reads the files at
 * once, and throws if they can't be used.
 */
export function watchCertificate(
  { settings, clock, log }: Watched,
  read: () => Promise<Certificate>,
  doors: readonly Door[],
): { reload(): Promise<void>; stop(): void } {
  const reload = async () => {
    const next = await read();
    for (const door of doors) door.setCertificate(next);
    log.info('certificate reloaded', { ends: readCertificateEnd(next) });
  };
  const files = [settings.tls_cert, settings.tls_key].filter((file) => file !== null);
  if (files.length === 0) return { reload, stop() {} };
  let stopped = false;
  // The start has just read them, so only later changes count.
  let seen = files.map((file) => readContentNow(file)).join('\0');
  let cancel = () => {};
  const check = async () => {
    const now = await readContents(files);
    if (stopped || now === seen) return;
    seen = now;
    try {
      await reload();
    } catch (fault) {
      log.error("the certificate's files have changed but can't be used; the old certificate stays in use", {
        reason: readReason(fault),
      });
    }
  };
  const again = () => {
    cancel = clock.after(CHECK_EVERY_MS, () => void check().finally(() => !stopped && again()));
  };
  again();
  return {
    reload,
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** An unreadable file counts as empty. */
async function readContents(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.join('\0');
}

function readContentNow(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
