import libqp from 'libqp';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const EQUALS = 0x3d;

/** The value of each hex digit; -1 for any other byte. */
const hexValues = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  hexValues[digit.charCodeAt(0)] = value;
  hexValues[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Decodes a quoted-printable body, and ends its lines with LF. The body must have no bare carriage return. */
export function readQuotedPrintable(body: Buffer): Buffer {
  return decodeStrictly(body) ?? convertLineEnds(libqp.decode(body.toString('latin1')));
}

function convertLineEnds(text: Buffer): Buffer {
  return Buffer.from(text.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

/**
 * Decodes in one pass what is encoded as RFC 2045 6.7 requires: every equals sign begins an escape or ends a line,
 * and no line ends in white space. Returns null for anything else: libqp repairs it, but reads a text five times.
 */
function decodeStrictly(body: Buffer): Buffer | null {
  const out = Buffer.allocUnsafe(body.length);
  const end = body.length;
  if (isBlank(body[end - 1])) return null;
  let to = 0;
  for (let at = 0; at < end; at++) {
    let byte = body[at]!;
    if (byte === EQUALS) {
      if (at + 2 >= end) return null;
      const next = body[at + 1]!;
      if (next === LF || next === CR) {
        at += next === LF ? 1 : 2;
        continue;
      }
      byte = (hexValues[next]! << 4) | hexValues[body[at + 2]!]!;
      if (byte < 0) return null;
      at += 2;
      if (byte === LF && out[to - 1] === CR) to--;
    } else if (byte === LF || byte === CR) {
      if (isBlank(body[at - 1])) return null;
      if (byte === LF && out[to - 1] === CR) to--;
    }
    out[to++] = byte;
  }
  return out.subarray(0, to);
}

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === TAB;
}
