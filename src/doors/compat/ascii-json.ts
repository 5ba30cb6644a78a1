/**
 * Writes JSON in pieces, in ASCII only. MailHog's response contains a whole mail three times: in one piece, 24 MB would
 * block the server for seconds. Its client for Node decodes each piece on its own, which would break a multi-byte
 * character at the border of two.
 */

const PIECE_CHARS = 64 * 1024;

export function* writeAsciiJson(value: unknown): Generator<Uint8Array> {
  let text = '';
  for (const part of writeJson(value)) {
    text += part;
    if (text.length < PIECE_CHARS) continue;
    yield escapeToAscii(text);
    text = '';
  }
  yield escapeToAscii(text);
}

/** Cuts long strings anywhere: JSON.stringify escapes both halves of a surrogate pair, which together are the pair. */
function* writeJson(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield '"';
    for (let at = 0; at < value.length; at += PIECE_CHARS)
      yield JSON.stringify(value.slice(at, at + PIECE_CHARS)).slice(1, -1);
    yield '"';
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* writeJson(item);
    }
    yield value.length === 0 ? '[]' : ']';
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    for (const [index, [name, field]] of entries.entries()) {
      yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      yield* writeJson(field);
    }
    yield entries.length === 0 ? '{}' : '}';
  } else yield JSON.stringify(value);
}

const ESCAPE = Buffer.from('\\u');
const HEX_DIGITS = Buffer.from('0123456789abcdef');

function escapeToAscii(text: string): Uint8Array {
  if (/^[^\u007f-\uffff]*$/.test(text)) return Buffer.from(text, 'latin1');
  const bytes = Buffer.alloc(text.length * 6);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x7f) {
      bytes[length++] = unit;
      continue;
    }
    length += ESCAPE.copy(bytes, length);
    for (let shift = 12; shift >= 0; shift -= 4) bytes[length++] = HEX_DIGITS[(unit >> shift) & 15]!;
  }
  return bytes.subarray(0, length);
}
