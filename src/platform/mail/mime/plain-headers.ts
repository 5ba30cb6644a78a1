import type { HeaderLine } from './found-mail.ts';

/*
 * Reads header sections as most mailers write them: printable ASCII, a Content-Type with a charset or a boundary,
 * addresses as `Name <user@host>`. mailsplit and mailparser also handle everything else, for which they need a sixth
 * of a mail's time. Whatever might come out differently is left to them (null). fast-lane.test.ts and
 * plain-headers.test.ts in test/platform/mail/mime/ compare the results.
 */

/** What a header section says about its part. Absent values are `null`, `false` or empty, as in mailsplit. */
export interface Head {
  lines: HeaderLine[];
  contentType: string | false;
  isMultipart: boolean;
  boundary: string | null;
  encoding: string;
  charset: string | false;
  disposition: string | false;
  isFlowed: boolean;
}

const PLAIN = /^[\t\r\n\x20-\x7e]*$/;
const TYPE = /^[a-z]+\/[a-z0-9.+-]+/i;
const PARAMETER = /; *(charset|boundary)=(?:"([\w.+=:/-]+)"|([\w.+/-]+))/iy;

/**
 * Reads a header section; null if the libraries have to.
 *
 * @param section ends with an empty line, and has carriage returns only before line feeds.
 */
export function readPlainHead(section: string): Head | null {
  const lines = PLAIN.test(section) ? splitLines(section) : null;
  if (!lines) return null;
  const type = readType(findValue(lines, 'content-type'));
  const encoding = findValue(lines, 'content-transfer-encoding') ?? '';
  const disposition = findValue(lines, 'content-disposition') ?? '';
  if (!type || !/^[a-z0-9-]*$/i.test(encoding) || !/^(?:inline)?$/i.test(disposition)) return null;
  return {
    ...type,
    lines,
    encoding: encoding.toLowerCase(),
    disposition: disposition.toLowerCase() || false,
    isMultipart: type.contentType.startsWith('multipart/'),
    isFlowed: false,
  };
}

/** Splits a section into fields. A folded one keeps its line ends, always as CRLF. */
function splitLines(section: string): HeaderLine[] | null {
  // The first line of a mail in an mbox file, or of an HTTP request: mailsplit sets it apart.
  if (/^(?:From|POST) /i.test(section)) return null;
  const lines: HeaderLine[] = [];
  for (let from = 0; from < section.length; ) {
    const next = section.indexOf('\n', from);
    if (next < 0) return null;
    const to = section.charCodeAt(next - 1) === 0x0d ? next - 1 : next;
    if (to <= from) return lines;
    const first = section.charCodeAt(from);
    if (first === 0x20 || first === 0x09) {
      const last = lines.at(-1);
      if (!last) return null;
      last.line += `\r\n${section.slice(from, to)}`;
    } else {
      const colon = section.indexOf(':', from);
      if (colon < 0 || colon >= to) return null;
      lines.push({ key: section.slice(from, colon).toLowerCase().trim(), line: section.slice(from, to) });
    }
    from = next + 1;
  }
  return null;
}

/** Returns the value of the first field with a name. */
function findValue(lines: readonly HeaderLine[], wanted: string): string | undefined {
  for (const { key, line } of lines) if (key === wanted) return readValue(line);
  return undefined;
}

function readValue(line: string): string {
  const unfolded = line.includes('\n') ? line.replace(/\r\n[ \t]*/g, ' ') : line;
  return unfolded.slice(unfolded.indexOf(':') + 1).trim();
}

function readType(
  value: string | undefined,
): { contentType: string; charset: string | false; boundary: string | null } | null {
  if (value === undefined) return { contentType: 'text/plain', charset: false, boundary: null };
  const [type = ''] = TYPE.exec(value) ?? [];
  if (type === '') return null;
  let charset: string | false = false;
  let boundary: string | null = null;
  for (let at = type.length; at < value.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(value);
    if (!found) return null;
    const [, name = '', quoted, bare] = found;
    const isCharset = name.length === 'charset'.length;
    // If it is given twice, the library decides which one counts.
    if ((isCharset ? charset : boundary) || value.includes('=?')) return null;
    if (isCharset) charset = quoted ?? bare ?? false;
    else boundary = quoted ?? bare ?? null;
  }
  return { contentType: type.toLowerCase(), charset, boundary };
}

interface Address {
  name: string;
  address: string;
}

const ADDRESS =
  /^(?:(?:"([A-Za-z0-9][\w .'&!-]*)"|((?:[A-Za-z0-9][\w'-]*\.? )*[A-Za-z0-9][\w'-]*\.?)) )?<([\w.+-]+@[A-Za-z0-9.-]+)>$/;
const BARE_ADDRESS = /^[\w.+-]+@[A-Za-z0-9.-]+$/;

const ADDRESSES = new Set(['from', 'to', 'cc', 'bcc', 'reply-to']);

/**
 * Returns the values of the address fields, Subject and Message-ID as mailparser would; null if mailparser has to
 * read them.
 *
 * @param lines in printable ASCII.
 */
export function readPlainValues(lines: readonly HeaderLine[]): Map<string, unknown> | null {
  const values = new Map<string, unknown>();
  for (const { key, line } of lines) {
    const isAddress = ADDRESSES.has(key);
    if (!isAddress && key !== 'subject' && key !== 'message-id') continue;
    // It has encoded words, or is a repeated field.
    if (line.includes('=?') || values.has(key)) return null;
    const value = readValue(line);
    const list = isAddress ? readAddresses(value) : null;
    if (value === '' || (isAddress && !list)) return null;
    values.set(key, list ? { value: list } : key === 'subject' ? value : addBrackets(value));
  }
  return values;
}

function addBrackets(id: string): string {
  return `${id.startsWith('<') ? '' : '<'}${id}${id.endsWith('>') ? '' : '>'}`;
}

function readAddresses(value: string): Address[] | null {
  if (!value.includes(',')) return readAddress(value, []);
  let found: Address[] | null = [];
  for (const item of value.split(',')) found = found && readAddress(item.trim(), found);
  return found;
}

/** Adds an address to the list, and returns the list; null if mailparser has to read it. */
function readAddress(written: string, to: Address[]): Address[] | null {
  // mailparser decodes a domain in another script.
  if (written.includes('xn--')) return null;
  if (BARE_ADDRESS.test(written)) to.push({ name: '', address: written });
  else {
    const found = ADDRESS.exec(written);
    if (!found) return null;
    to.push({ name: (found[1] ?? found[2] ?? '').trim(), address: found[3]! });
  }
  return to;
}
