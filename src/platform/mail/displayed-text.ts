/*
 * Text as it is displayed: one form of each character, no invisible ones, ASCII digits, and collapsed white space.
 */

/** Zero-width and formatting characters, which pad preheaders and split words invisibly. */
// biome-ignore format: row by row
const INVISIBLE = new RegExp(
  `(?:${[
    '\\u00ad', '\\u034f', '\\u061c', '\\u115f', '\\u1160', '[\\u17b4-\\u17b5]', '[\\u180b-\\u180f]',
    '[\\u200b-\\u200f]',
    '[\\u202a-\\u202e]', '[\\u2060-\\u206f]', '\\u3164', '[\\ufe00-\\ufe0f]', '\\ufeff',
  ].join('|')})+`,
  'g',
);

/** More marks on one letter than any script has. Half-width ones, which become marks, count too. */
const MARKS_TOO_MANY = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** The zeros of the scripts' ten decimal digits that occur in mail. */
const DIGIT_ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810, 0xff10,
];
const OTHER_DIGITS = new RegExp(
  `[${DIGIT_ZEROS.map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join('')}]`,
  'g',
);

function toAsciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  return String(code - DIGIT_ZEROS.findLast((zero) => zero <= code)!);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII, a fast path for most mail.
const ASCII = /^[\x00-\x7f]*$/;

/** Returns the text as it is read: compatibility forms replaced, invisible characters removed, digits in ASCII. */
export function normalize(text: string): string {
  if (ASCII.test(text)) return text;
  // An East Asian comma would otherwise become one that makes "840257,5" a decimal.
  return (
    text
      .replace(INVISIBLE, '')
      .replaceAll('，', '、')
      // The time to normalize grows with the square of a run of marks: 64 KiB of them took 7 seconds.
      .replace(MARKS_TOO_MANY, '$1')
      .normalize('NFKC')
      .replace(OTHER_DIGITS, toAsciiDigit)
  );
}

/** Only visible ASCII and spaces. */
const SIMPLE = /^[\x20-\x7e]*$/;

/** Returns the text as it is displayed: normalised, with collapsed white space. Most text is unchanged. */
export function toDisplayed(text: string): string {
  return SIMPLE.test(text) && !text.includes('  ') ? text : collapseSpace(normalize(text));
}

const SIMPLE_LINES = /^[\n\x20-\x7e]*$/;

/** Whether `toDisplayed` would leave every line of the text unchanged. */
export function isDisplayedAsIs(text: string): boolean {
  return SIMPLE_LINES.test(text) && !text.includes('  ');
}

/** A run of white space other than a single space. */
const UNEVEN_SPACE = /(?: {2}| ?[^\S ])\s*/g;

/** Replaces each run of white space with one space, as it is displayed. */
function collapseSpace(text: string): string {
  return text.replace(UNEVEN_SPACE, ' ');
}
