/** Mails with predictable content: a number always produces the same bytes, so none has to be stored. */
import { Chance } from './chance.ts';

const LINK_EVERY = 10;
/** Large mails, which the store keeps in several pieces. */
const LARGE_EVERY = 40;
const LARGE_BYTES = 280_000;

export function makeCode(number: number): string {
  return String(100_000 + ((number * 7919) % 900_000));
}

export function makeLink(number: number): string {
  return `https://app.example.com/magic/verify?token=tk${String(number).padStart(7, '0')}abcdef0123456789`;
}

/** Which of the two a mail contains. */
export function hasLink(number: number): boolean {
  return number % LINK_EVERY === 3;
}

export function makeSubject(number: number): string {
  return `Sign-in code number${number}end`;
}

export function readNumber(subject: string | null): number | null {
  const found = /number(\d+)end/.exec(subject ?? '');
  return found ? Number(found[1]) : null;
}

/** Composes short mails, longer ones, odd bytes, dots at the start of lines, and occasionally a large mail. */
export function makeMail(number: number): Buffer {
  const chance = new Chance(number);
  const head =
    `From: Load ${number} <load${number}@example.org>\r\nTo: x@example.org\r\nSubject: ${makeSubject(number)}\r\n` +
    `Message-ID: <${number}@load.example>\r\nMIME-Version: 1.0\r\n`;
  if (hasLink(number)) {
    const page = `<p>Click to sign in:</p><a href="${makeLink(number)}">Sign in</a>\r\n`;
    return Buffer.from(`${head}Content-Type: text/html; charset=utf-8\r\n\r\n${page}`);
  }
  const code = `Your verification code is ${makeCode(number)}. It expires in 10 minutes.\r\n`;
  const text = Buffer.from(`${head}Content-Type: text/plain; charset=utf-8\r\n\r\n${code}\r\n`);
  if (number % 10 === 5) {
    const odd = chance.bytes(900).filter((byte) => byte !== 0 && byte !== 10 && byte !== 13);
    return Buffer.concat([text, odd, Buffer.from('\r\n.dot\r\n..two\r\n')]);
  }
  const bytes = number % LARGE_EVERY === 7 ? LARGE_BYTES : chance.pick([200, 1500, 3500, 9000]);
  const lines = chance.bytes(bytes).toString('base64').replace(/.{76}/g, '$&\r\n');
  return Buffer.concat([text, Buffer.from(`${lines}\r\n`)]);
}
