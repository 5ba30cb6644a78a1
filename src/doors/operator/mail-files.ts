/** Reads mails from files: one per file (eml), many in one (mbox), or a folder (a Maildir, or eml files). */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isMbox, MboxReader } from '../../platform/mail/mbox.ts';
import { OperatorError } from './command.ts';
import { MAIL_BYTES_MAX } from './transfer.ts';

export const mailFormats = ['eml', 'mbox', 'maildir'] as const;
export type MailFormat = (typeof mailFormats)[number];

export interface FileMail {
  raw: Uint8Array;
  sender: string;
  read: boolean;
}

/** A file or folder from the command line, and its format. */
export interface MailSource {
  path: string;
  format: MailFormat;
  bytes: number;
}

const PIECE_BYTES = 1024 ** 2;
/** Bytes read to detect a file's format: more than the longest header name. */
const HEAD_BYTES = 256;

/** Returns a path with its format: as specified, else detected from its name, else from its first bytes. */
export async function findSource(path: string, wanted: MailFormat | undefined): Promise<MailSource> {
  if (!existsSync(path)) throw new OperatorError(`File ${path} does not exist.`);
  const stat = statSync(path);
  // A pipe or device may be endless.
  if (!stat.isDirectory() && !stat.isFile()) {
    throw new OperatorError(`${path} is neither a file nor a folder; save its output to a file first.`);
  }
  if (!stat.isDirectory()) return { path, format: wanted ?? (await detectFormat(path)), bytes: stat.size };
  const files = listFiles(path, wanted);
  const bytes = files.reduce((sum, { file }) => sum + statSync(file).size, 0);
  return { path, format: wanted ?? (isMaildir(path) ? 'maildir' : 'eml'), bytes };
}

async function detectFormat(path: string): Promise<MailFormat> {
  if (/\.eml$/i.test(path)) return 'eml';
  if (/\.mbo?x$/i.test(path)) return 'mbox';
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (isMbox(head)) return 'mbox';
    if (/^[!-9;-~]+[ \t]*:/.test(head.toString('latin1'))) return 'eml';
  } finally {
    await file.close();
  }
  throw new OperatorError(
    `${path} does not begin with a header such as "From: ", so it does not look like a mail. If it is one, add --format eml.`,
  );
}

/** Yields a source's mails in order, one at a time. */
export async function* readMails({ path, format }: MailSource): AsyncGenerator<FileMail> {
  if (format === 'mbox') yield* readMbox(path);
  else if (!statSync(path).isDirectory()) yield await readMail(path, false);
  else for (const { file, read } of listFiles(path, format)) yield await readMail(file, read);
}

async function readMail(file: string, read: boolean): Promise<FileMail> {
  const { size } = statSync(file);
  if (size > MAIL_BYTES_MAX)
    throw new OperatorError(`${file} is larger than ${MAIL_BYTES_MAX} bytes, so it is not a mail.`);
  return { raw: await Bun.file(file).bytes(), sender: '', read };
}

async function* readMbox(path: string): AsyncGenerator<FileMail> {
  const reader = new MboxReader(MAIL_BYTES_MAX);
  const makeMail = ({ raw, sender }: { raw: Buffer; sender: string }): FileMail => ({
    raw,
    sender,
    read: false,
  });
  let isFirst = true;
  try {
    for await (const piece of createReadStream(path, {
      highWaterMark: PIECE_BYTES,
    }) as AsyncIterable<Buffer>) {
      if (isFirst && !isMbox(piece)) throw new Error('it does not begin with a "From …" line');
      isFirst = false;
      for (const mail of reader.push(piece)) yield makeMail(mail);
    }
    for (const mail of reader.end()) yield makeMail(mail);
  } catch (fault) {
    throw new OperatorError(`${path} is not an mbox file: ${(fault as Error).message}.`);
  }
}

function isMaildir(folder: string): boolean {
  return existsSync(join(folder, 'cur')) || existsSync(join(folder, 'new'));
}

/** Orders names of the same second: most programs continue with microseconds or a counter, without zeros in front. */
const byNumber = new Intl.Collator('en', { numeric: true });

/** Lists a folder's mails: a Maildir's by age, oldest first; else the *.eml files by name. */
function listFiles(folder: string, wanted: MailFormat | undefined): { file: string; read: boolean }[] {
  if (wanted === 'mbox') throw new OperatorError(`${folder} is a folder, not an mbox file.`);
  if (wanted === 'maildir' || (wanted === undefined && isMaildir(folder))) {
    const files = ['new', 'cur'].flatMap((part) =>
      listNames(join(folder, part)).map((name) => join(folder, part, name)),
    );
    const time = (file: string) => Number.parseInt(basename(file), 10) || 0;
    files.sort((one, other) => time(one) - time(other) || byNumber.compare(basename(one), basename(other)));
    return files.map((file) => ({ file, read: /:2,[A-RT-Za-z]*S/.test(file) }));
  }
  const names = listNames(folder).filter((name) => /\.eml$/i.test(name));
  if (names.length === 0) {
    throw new OperatorError(
      `${folder} is not a Maildir (it has no folder cur or new), and has no *.eml files.`,
    );
  }
  return names.sort().map((name) => ({ file: join(folder, name), read: false }));
}

function listNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
}
