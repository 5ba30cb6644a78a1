/*
 * Charsets in seven bits that switch between ASCII and other characters within the text, as old Korean and Chinese mail
 * programs send it. Neither the runtime nor libmime can decode them.
 *
 * Only a text that declares one is read like this, except ISO-2022-KR, whose mark at the start nothing else has.
 */

const korean = new TextDecoder('euc-kr');
const chinese = new TextDecoder('gb18030');

/** Names without their marks, and how a text with them is decoded. */
const SHIFTED: ReadonlyMap<string, (bytes: Buffer) => string> = new Map([
  ['iso2022kr', decodeKorean],
  ['csiso2022kr', decodeKorean],
  ['iso2022cn', decodeChinese],
  ['iso2022cnext', decodeChinese],
  ['hz', decodeHz],
  ['hzgb2312', decodeHz],
]);

/** Returns the decoder of such a charset; undefined for any other. */
export const findShifted = (name: string) => SHIFTED.get(name);

/** Begins a text in ISO-2022-KR. */
export const KOREAN_ESCAPE = '\x1b$)C';

const ESCAPE = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const LINE_END = 0x0a;
const BLANK = 0x20;
const RETURN = 0x0d;
const TILDE = 0x7e;
const OPENING = 0x7b;
const CLOSING = 0x7d;
/** Three bytes after an escape name a set of characters; the last one is the set. */
const ESCAPE_BYTES = 4;
const GB_2312 = 0x41;
/** A sign of GB 2312 for a character that can't be shown. */
const UNKNOWN = [0xa1, 0xfe];

export function decodeKorean(bytes: Buffer): string {
  return korean.decode(raiseShifted(bytes, false));
}

/** Characters of other sets than GB 2312 are not known. */
function decodeChinese(bytes: Buffer): string {
  return chinese.decode(raiseShifted(bytes, true));
}

/** Returns the text in eight bits: the characters between the two shifts get their upper bit. */
function raiseShifted(bytes: Buffer, hasSets: boolean): Buffer {
  const raised = Buffer.alloc(bytes.length);
  let length = 0;
  let isShifted = false;
  let set = GB_2312;
  let unknown = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === ESCAPE) {
      at += ESCAPE_BYTES - 1;
      set = bytes[at] ?? set;
      unknown = 0;
    } else if (byte === SHIFT_OUT || byte === SHIFT_IN) isShifted = byte === SHIFT_OUT;
    else {
      if (byte === LINE_END) isShifted = false;
      const isCharacter = isShifted && byte > BLANK;
      const isUnknown = isCharacter && hasSets && set !== GB_2312;
      raised[length++] = isUnknown ? UNKNOWN[unknown++ & 1]! : isCharacter ? byte | 0x80 : byte;
    }
  }
  return raised.subarray(0, length);
}

/** `~{` and `~}` enclose Chinese characters; `~` at the end of a line joins it with the next. */
function decodeHz(bytes: Buffer): string {
  const raised = Buffer.alloc(bytes.length);
  let length = 0;
  let isShifted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === LINE_END) isShifted = false;
    if (byte === TILDE) {
      const sign = bytes[++at];
      if (sign === OPENING || sign === CLOSING) isShifted = sign === OPENING;
      else if (sign === RETURN) at++;
      else if (sign !== LINE_END) {
        raised[length++] = TILDE;
        // It begins nothing.
        if (sign !== TILDE) at--;
      }
    } else if (isShifted && byte > BLANK) {
      raised[length++] = byte | 0x80;
      raised[length++] = (bytes[++at] ?? 0) | 0x80;
    } else raised[length++] = byte;
  }
  return chinese.decode(raised.subarray(0, length));
}
