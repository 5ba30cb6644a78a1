import { detectMimeType } from 'nodemailer/lib/mime-funcs';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,127}";
const VALUE = `(?:${TOKEN}|"[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]*")`;
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:; *${TOKEN}=${VALUE})*$`);
const CHARS_MAX = 200;

/** Returns why a text can't be the Content-Type of an attachment (RFC 2045 5.1); null if it can. */
export function findContentTypeFault(text: string): string | null {
  if (text.length > CHARS_MAX || !TYPE.test(text)) return 'must be a media type, like application/pdf';
  // Its parts would need a boundary that no attachment has.
  return /^multipart\//i.test(text) ? 'must not be multipart' : null;
}

/** Returns the type that a file's name suggests. */
export function guessContentType(filename: string): string {
  return detectMimeType(filename);
}
