/** DKIM signing (RFC 6376): RSA-SHA256, relaxed/relaxed. The signature is computed off the event loop (1 ms). */
import { createHash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

export interface SigningKey {
  /** The `d=` tag. */
  domain: string;
  /** The `s=` tag. */
  selector: string;
  /** RSA. */
  private_key: KeyObject;
}

/** Listed once more than they occur: that signs them, and prevents adding another to the mail (8.15). */
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
const more = ['Content-Type', 'Content-Transfer-Encoding', 'In-Reply-To', 'References'];

const LINE_CHARS_MAX = 76;

const signed = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/** The mail with its signature in front. Rejects when signing fails: the mail must not be sent unsigned. */
export async function signMail(mail: Uint8Array, key: SigningKey): Promise<Buffer> {
  const bytes = Buffer.from(mail.buffer, mail.byteOffset, mail.byteLength);
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('a mail without an end of its header cannot be signed');
  const { names, fields } = chooseFields(splitFields(bytes.toString('latin1', 0, end)));
  const bodyHash = createHash('sha256')
    .update(relaxBody(bytes.toString('latin1', end + 4)), 'latin1')
    .digest('base64');
  const value =
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${key.domain};\r\n s=${key.selector};\r\n bh=${bodyHash};\r\n` +
    ` ${foldText(`h=${names.join(':')};`, ':')}\r\n b=`;
  // 3.7: the signature's own field, without the value not known yet and without its line end.
  const data = [...fields, `dkim-signature:${relaxValue(value)}`].join('\r\n');
  const signature = await signed('RSA-SHA256', Buffer.from(data, 'latin1'), key.private_key);
  const field = `DKIM-Signature: ${value}${(signature.toString('base64').match(/.{1,72}/g) ?? []).join('\r\n ')}\r\n`;
  return Buffer.concat([Buffer.from(field, 'latin1'), bytes]);
}

interface Field {
  name: string;
  /** Relaxed (3.4.2). */
  line: string;
}

/** The fields of a header, in order. */
function splitFields(header: string): Field[] {
  return header.split(/\r\n(?![ \t])/).map((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    return { name, line: `${name}:${relaxValue(line.slice(colon + 1))}` };
  });
}

/** The signed fields: of several with one name, the lowest first (5.4.2). */
function chooseFields(all: readonly Field[]): { names: string[]; fields: string[] } {
  const names: string[] = [];
  const fields: string[] = [];
  const take = (name: string) => {
    for (const field of all.toReversed()) {
      if (field.name !== name.toLowerCase()) continue;
      names.push(name);
      fields.push(field.line);
    }
  };
  for (const name of oversigned) {
    take(name);
    names.push(name);
  }
  for (const name of more) take(name);
  return { names, fields };
}

function relaxValue(value: string): string {
  return value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '');
}

/** 3.4.4. */
function relaxBody(body: string): string {
  const tidy = /\t| {2}| \r\n| $/.test(body)
    ? body.replace(/[ \t]+/g, ' ').replace(/ (?=\r\n|$)/g, '')
    : body;
  let end = tidy.length;
  while (tidy.endsWith('\r\n', end)) end -= 2;
  return end === 0 ? '' : `${tidy.slice(0, end)}\r\n`;
}

/** Folded into short lines, after a separator. */
function foldText(text: string, separator: string): string {
  const lines = [''];
  for (const piece of text.split(new RegExp(`(?<=${separator})`))) {
    if (lines.at(-1)!.length + piece.length > LINE_CHARS_MAX) lines.push('');
    lines[lines.length - 1] += piece;
  }
  return lines.join('\r\n ');
}
