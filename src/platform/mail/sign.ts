/**
 * DKIM signing: RSA-SHA256, relaxed/relaxed. The signature is computed outside the event loop (1 ms). Section numbers
 * are those of RFC 6376.
 */

import { createHash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { viewBytes } from '../core/bytes.ts';
import type { MailPieces } from '../core/mail-pieces.ts';
import { nextTurn } from '../core/next-turn.ts';

export interface SigningKey {
  /** The `d=` tag. */
  domain: string;
  /** The `s=` tag. */
  selector: string;
  /** RSA. */
  privateKey: KeyObject;
}

/** Listed once more than they occur: this signs them, and prevents adding another one to the mail (8.15). */
const oversigned = [
  'From',
  'Sender',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'To',
  'Cc',
  'MIME-Version',
];
const otherSigned = ['Content-Type', 'Content-Transfer-Encoding', 'In-Reply-To', 'References'];

const LINE_CHARS_MAX = 76;

const signAsync = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/**
 * The mail with its signature in front. Reads it once, in a turn of the event loop for each piece, and keeps none of
 * it. Rejects when signing fails: the mail must not be sent unsigned.
 */
export async function signMail(mail: MailPieces, key: SigningKey): Promise<MailPieces> {
  const { header, bodyHash, has8Bit } = await digest(mail);
  const { names, fields } = chooseFields(splitFields(header));
  const value =
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${key.domain};\r\n s=${key.selector};\r\n bh=${bodyHash};\r\n` +
    ` ${foldAfterColons(`h=${names.join(':')};`)}\r\n b=`;
  // The signature's own field is signed without the value of b= and without its line end (3.7).
  const data = [...fields, `dkim-signature:${relaxValue(value)}`].join('\r\n');
  const signature = await signAsync('RSA-SHA256', Buffer.from(data, 'latin1'), key.privateKey);
  const field = Buffer.from(
    `DKIM-Signature: ${value}${(signature.toString('base64').match(/.{1,72}/g) ?? []).join('\r\n ')}\r\n`,
    'latin1',
  );
  return {
    size: field.length + mail.size,
    has8Bit,
    *read() {
      yield field;
      yield* mail.read();
    },
  };
}

/** Returns the header and the hash of the body. */
async function digest(mail: MailPieces): Promise<{ header: string; bodyHash: string; has8Bit: boolean }> {
  const body = new RelaxedBody();
  let header: string | null = null;
  let has8Bit = false;
  for (const piece of mail.read()) {
    if (header !== null) await nextTurn();
    const text = viewBytes(piece).toString('latin1');
    has8Bit ||= /[\x80-\xff]/.test(text);
    if (header === null) {
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) throw new Error('a mail without an end of its header cannot be signed');
      header = text.slice(0, end);
      body.add(text.slice(end + 4));
    } else body.add(text);
  }
  return { header: header ?? '', bodyHash: body.hash(), has8Bit };
}

interface Field {
  name: string;
  /** Relaxed (3.4.2). */
  line: string;
}

/** Splits a header into its fields, in order. */
function splitFields(header: string): Field[] {
  return header.split(/\r\n(?![ \t])/).map((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    return { name, line: `${name}:${relaxValue(line.slice(colon + 1))}` };
  });
}

/** Chooses the fields to sign. Of several with one name, the lowest comes first (5.4.2). */
function chooseFields(all: readonly Field[]): { names: string[]; fields: string[] } {
  const names: string[] = [];
  const fields: string[] = [];
  const add = (name: string) => {
    for (const field of all.toReversed()) {
      if (field.name !== name.toLowerCase()) continue;
      names.push(name);
      fields.push(field.line);
    }
  };
  for (const name of oversigned) {
    add(name);
    names.push(name);
  }
  for (const name of otherSigned) add(name);
  return { names, fields };
}

function relaxValue(value: string): string {
  return value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '');
}

/**
 * Hashes a body in its relaxed form (3.4.4). White space at the end of a piece is held until the next piece arrives.
 */
class RelaxedBody {
  private readonly sha256 = createHash('sha256');
  private blank = '';
  private isEmpty = true;

  add(text: string): void {
    const all = this.blank + text;
    const end = findBlankEnd(all);
    this.blank = all.slice(end);
    this.update(relaxLines(all.slice(0, end)));
  }

  hash(): string {
    const rest = relaxLines(this.blank).replace(/ $/, '');
    let end = rest.length;
    while (rest.endsWith('\r\n', end)) end -= 2;
    this.update(rest.slice(0, end));
    if (!this.isEmpty) this.sha256.update('\r\n');
    return this.sha256.digest('base64');
  }

  private update(text: string): void {
    if (text === '') return;
    this.isEmpty = false;
    this.sha256.update(text, 'latin1');
  }
}

function relaxLines(text: string): string {
  return /\t| {2}| \r\n/.test(text) ? text.replace(/[ \t]+/g, ' ').replace(/ (?=\r\n)/g, '') : text;
}

/** Returns where the white space at the end of a text begins. */
function findBlankEnd(text: string): number {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text[end - 1]!)) end -= 1;
  return end;
}

/** Folds a text into short lines, each after a colon. */
function foldAfterColons(text: string): string {
  const lines = [''];
  for (const piece of text.split(/(?<=:)/)) {
    if (lines.at(-1)!.length + piece.length > LINE_CHARS_MAX) lines.push('');
    lines[lines.length - 1] += piece;
  }
  return lines.join('\r\n ');
}
