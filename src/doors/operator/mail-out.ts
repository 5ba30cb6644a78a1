/** Writes mails into files, byte for byte as received. Never overwrites anything. */
import { closeSync, existsSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import {
  flushFile,
  flushFolder,
  makeFolder,
  move,
  moveUnflushed,
  writeAll,
  writeNew,
} from '../../platform/files/durable.ts';
import { formatMbox } from '../../platform/mail/mbox.ts';
import { openPartial } from '../../platform/store/partial-file.ts';
import { OperatorError, UsageError } from './command.ts';
import { requireParent } from './file-fault.ts';
import type { MailFormat } from './mail-files.ts';
import type { ListedMail } from './transfer.ts';

export interface MailTarget {
  readonly format: MailFormat;
  /** Returns false if it already exists. */
  put(mail: ListedMail, raw: Uint8Array): boolean;
  /** Ends the export after the last mail: everything is flushed to the disk under its final name. */
  done(): void;
  /** Ends a failed export. */
  giveUp(): void;
}

export function openTarget(path: string, wanted: MailFormat | undefined): MailTarget {
  const format = wanted ?? (/\.mbo?x$/i.test(path) ? 'mbox' : 'eml');
  if (format === 'mbox') return openMbox(path);
  if (/\.eml$/i.test(path)) {
    throw new UsageError(`--out ${path} would hold one mail; give a folder, or a file that ends with .mbox`);
  }
  return format === 'eml' ? openFolder(path) : openMaildir(path);
}

/**
 * Begins an export to this path. Returns the descriptor of its unfinished file, which is locked: of two exports to one path,
 * each would give the other's unfinished file its final name.
 */
function begin(partial: string, path: string): number {
  const held = openPartial(partial);
  if (held !== null) return held;
  throw new OperatorError(`Another export to ${path} is running, so this one was not begun.`);
}

function openMbox(path: string): MailTarget {
  requireParent(path);
  const partial = `${path}.partial`;
  const file = begin(partial, path);
  const giveUp = () => {
    rmSync(partial, { force: true });
    closeSync(file);
  };
  if (existsSync(path)) {
    giveUp();
    throw new OperatorError(`${path} already exists. Give another file.`);
  }
  return {
    format: 'mbox',
    put({ envelope_from, received_at }, raw) {
      writeAll(file, formatMbox(raw, envelope_from, received_at));
      return true;
    },
    done() {
      flushFile(partial);
      move(partial, path);
      closeSync(file);
    },
    giveUp,
  };
}

function openFolder(path: string): MailTarget {
  makeFolder(path);
  const giveUp = lockWhole(path);
  return {
    format: 'eml',
    put: (mail, raw) => write(join(path, `${formatStamp(mail)}-${mail.id}.eml`), mail, raw),
    done() {
      flushFolder(path);
      giveUp();
    },
    giveUp,
  };
}

/** https://cr.yp.to/proto/maildir.html: a read mail is in cur, with the flag S. */
function openMaildir(path: string): MailTarget {
  for (const part of ['tmp', 'new', 'cur']) makeFolder(join(path, part));
  const giveUp = lockWhole(path);
  return {
    format: 'maildir',
    put(mail, raw) {
      const seconds = Math.floor(mail.received_at / 1e6);
      // Padded, so that names sort in the order of arrival.
      const microseconds = String(mail.received_at % 1e6).padStart(6, '0');
      const name = `${seconds}.M${microseconds}_${mail.id}.postern`;
      const homes = [
        join(path, 'new', name),
        join(path, 'cur', `${name}:2,S`),
        join(path, 'cur', `${name}:2,`),
      ];
      if (homes.some((home) => existsSync(home))) return false;
      return write(mail.read ? homes[1]! : homes[0]!, mail, raw, join(path, 'tmp', name));
    },
    done() {
      for (const part of ['new', 'cur']) flushFolder(join(path, part));
      giveUp();
    },
    giveUp,
  };
}

/** Keeps other exports out of a folder; returns what lets them in again. */
function lockWhole(path: string): () => void {
  const partial = join(path, '.postern-export.partial');
  const held = begin(partial, path);
  return () => {
    rmSync(partial, { force: true });
    closeSync(held);
  };
}

function write(
  file: string,
  { received_at }: ListedMail,
  raw: Uint8Array,
  partial = `${file}.partial`,
): boolean {
  if (existsSync(file)) return false;
  rmSync(partial, { force: true });
  // Flushed before it gets its name: the next export skips what exists.
  writeNew(partial, raw);
  utimesSync(partial, received_at / 1e6, received_at / 1e6);
  moveUnflushed(partial, file);
  return true;
}

/** `20261121T080000.000000Z`: names sort in the order of arrival. */
function formatStamp({ received_at }: ListedMail): string {
  const time = new Date(received_at / 1000).toISOString().replace(/[-:]/g, '').slice(0, 15);
  return `${time}.${String(received_at % 1e6).padStart(6, '0')}Z`;
}
