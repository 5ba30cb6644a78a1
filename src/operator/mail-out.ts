/** Mails into files, byte for byte as they came. Nothing that is there is written over. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { mboxOf } from '../mail/mbox.ts';
import { flush } from '../store/flush.ts';
import type { ListedMail } from './bulk.ts';
import { OperatorError, UsageError } from './command.ts';
import type { Format } from './mail-files.ts';

export interface MailTarget {
  readonly format: Format;
  /** False: it is there already. */
  put(mail: ListedMail, raw: Uint8Array): boolean;
  /** All is there: gives it its name. */
  done(): void;
  /** Something failed on the way. */
  giveUp(): void;
}

export function targetAt(path: string, told: Format | undefined): MailTarget {
  const format = told ?? (/\.mbo?x$/i.test(path) ? 'mbox' : 'eml');
  if (format === 'mbox') return mboxAt(path);
  if (/\.eml$/i.test(path)) {
    throw new UsageError(
      `--out ${path} would be one mail; name a folder for many, or a file that ends with .mbox`,
    );
  }
  return format === 'eml' ? folderAt(path) : maildirAt(path);
}

function mboxAt(path: string): MailTarget {
  if (existsSync(path)) throw new OperatorError(`${path} is there already; name another file.`);
  const partial = `${path}.partial`;
  const file = openSync(partial, 'w', 0o600);
  return {
    format: 'mbox',
    put({ envelope_from, received_at }, raw) {
      writeAll(file, mboxOf(raw, envelope_from, received_at));
      return true;
    },
    done() {
      closeSync(file);
      flush(partial);
      renameSync(partial, path);
    },
    giveUp() {
      rmSync(partial, { force: true });
    },
  };
}

/** A disk that is nearly full takes a part of it. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function folderAt(path: string): MailTarget {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    format: 'eml',
    put: (mail, raw) => write(join(path, `${stampOf(mail)}-${mail.id}.eml`), mail, raw),
    ...nothingAtEnd,
  };
}

/** https://cr.yp.to/proto/maildir.html: a mail that was read is in cur, with the flag S. */
function maildirAt(path: string): MailTarget {
  for (const part of ['tmp', 'new', 'cur']) mkdirSync(join(path, part), { recursive: true, mode: 0o700 });
  return {
    format: 'maildir',
    put(mail, raw) {
      const seconds = Math.floor(mail.received_at / 1e6);
      // Padded, so that names sort as the mails came.
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
    ...nothingAtEnd,
  };
}

const nothingAtEnd = { done() {}, giveUp() {} };

function write(
  file: string,
  { received_at }: ListedMail,
  raw: Uint8Array,
  partial = `${file}.partial`,
): boolean {
  if (existsSync(file)) return false;
  writeFileSync(partial, raw, { mode: 0o600 });
  utimesSync(partial, received_at / 1e6, received_at / 1e6);
  renameSync(partial, file);
  return true;
}

/** `20261121T080000.000000Z`: the order of names is that of arrival. */
function stampOf({ received_at }: ListedMail): string {
  const time = new Date(received_at / 1000).toISOString().replace(/[-:]/g, '').slice(0, 15);
  return `${time}.${String(received_at % 1e6).padStart(6, '0')}Z`;
}
