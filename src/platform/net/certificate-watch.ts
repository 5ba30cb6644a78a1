/** Looks again and again whether the certificate's files have changed, as those who renew it leave them. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { type Certificate, certificateEnd } from './certificate.ts';

export const LOOK_EVERY_MS = 10_000;

interface Watched {
  settings: Pick<Settings, 'tls_cert' | 'tls_key'>;
  clock: Clock;
  log: Log;
}

interface Door {
  setCertificate(certificate: Certificate): void;
}

/**
 * Reads the files' bytes each time: so it matters not whether they are written anew, renamed over, or behind links that
 * are turned (certbot's live/). When they are no pair, because one is half written or not there yet, the old one stays,
 * and the next change is looked at. A certificate of our own making is not watched. `reload` reads them now, and throws.
 */
export function renewCertificate(
  { settings, clock, log }: Watched,
  read: () => Promise<Certificate>,
  doors: readonly Door[],
): { reload(): Promise<void>; stop(): void } {
  const reload = async () => {
    const next = await read();
    for (const door of doors) door.setCertificate(next);
    log.info('the certificate was read again', { ends: certificateEnd(next) });
  };
  const files = [settings.tls_cert, settings.tls_key].filter((file) => file !== null);
  if (files.length === 0) return { reload, stop() {} };
  let stopped = false;
  // The start has just read them: what changes from here on counts.
  let seen = files.map((file) => contentNow(file)).join('\0');
  let cancel = () => {};
  const look = async () => {
    const now = await contents(files);
    if (stopped || now === seen) return;
    seen = now;
    try {
      await reload();
    } catch (fault) {
      log.error("the certificate's files have changed and can't be used; the old one stays in use", {
        reason: fault instanceof Error ? fault.message : String(fault),
      });
    }
  };
  const again = () => {
    cancel = clock.after(LOOK_EVERY_MS, () => void look().finally(() => !stopped && again()));
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

/** A file that can't be read counts as one without a content. */
async function contents(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.join('\0');
}

function contentNow(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
