/** Finds spans of a line that look like something other than a code: addresses, dates, amounts, telephone numbers, … */
import { UNSPACED_LETTERS } from './lexicon.ts';
import { type Need, Needs } from './need.ts';

export interface Span {
  start: number;
  end: number;
  /** True if the span never contains a code. Otherwise it only counts against one. */
  hard: boolean;
}

/** Characters that `\s` matches. */
const SPACES =
  ' \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SIGNS = '$€£¥₹₽₩₺₫฿₴₪₦₱₸₼₾៛৳';
const CURRENCY = `[${SIGNS}]`;
const CURRENCY_WORDS =
  'usd|eur|gbp|jpy|cny|rmb|inr|rub|krw|try|brl|chf|sek|nok|dkk|pln|czk|huf|ron|uah|thb|vnd|idr|aud|cad|nzd|mxn|zar|sgd|hkd|aed|sar|ils|kr|zł|kč|ft|lei|руб|грн|лв|р|tl|rp|rs|元|円|원|đ|บาท|ریال|تومان|ש״ח|ر\\.س|د\\.إ';
const initials = CURRENCY_WORDS.replace(/(?<=[^|])[^|]+|\|/g, '');
/** What a sum may be followed by. Case-insensitive patterns take the long s for an s, and the Kelvin sign for a k. */
const AFTER_SUM = `${SIGNS}${initials}${initials.toUpperCase()}\u017f\u212a`;
const NUMBER = '\\d{1,12}(?:[.,\u0027 ]\\d{2,3}){0,4}';

/** A character of an address. In scripts without spaces, words may follow it directly. */
const IN_ADDRESS = `[^\\s、。「」${UNSPACED_LETTERS}]`;

/**
 * What is around a number with a currency word. Without these it may be a group of a code: "4FT7-9TL2", "KR3N",
 * "QX62-47FT".
 */
const APART = '(?<![\\p{L}\\d.,]|\\p{L}\\d{0,8}-)';
const ENDS = '(?![\\p{L}\\d]|-\\d{0,8}\\p{L})';

/**
 * The patterns, each with what a line needs for a match. Every repetition is bounded, so each line takes linear time.
 */
export const patterns: readonly (readonly [pattern: RegExp, hard: boolean, need: Need])[] = [
  // Web addresses, with and without a scheme, and mail addresses.
  [new RegExp(`\\b(?:https?:\\/\\/|www\\.|mailto:)${IN_ADDRESS}{1,4000}`, 'gi'), true, { leads: ':.' }],
  [/[\w.%+-]{1,64}@[\w.-]{1,253}/g, true, { holds: '@' }],
  [
    new RegExp(`\\b[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,5}\\/${IN_ADDRESS}{0,2000}`, 'gi'),
    true,
    { holds: '/' },
  ],
  [
    /\b[a-z][a-z0-9-]{0,62}\.(?:com|net|org|io|co|app|dev|example|test|me|ai|gg|tv)\b/gi,
    true,
    { leads: '.' },
  ],
  // Amounts of money.
  [new RegExp(`${CURRENCY}\\s?${NUMBER}`, 'g'), true, { before: SIGNS }],
  [
    new RegExp(
      `(?<![\\d.,])${NUMBER}\\s?${CURRENCY}|${APART}${NUMBER}\\s?(?:${CURRENCY_WORDS})${ENDS}`,
      'giu',
    ),
    true,
    { after: AFTER_SUM },
  ],
  [
    new RegExp(
      `(?<![a-z\\d]-)\\b(?:usd|eur|gbp|inr|chf|rs\\.?|rp\\.?|kr\\.?|r\\$)\\s?${NUMBER}${ENDS}`,
      'giu',
    ),
    true,
    { before: 'dDrRpPfFsS.$' },
  ],
  // Percentages; numbers with decimals or thousands separators.
  [/\d[\d.,]{0,12}\s?[%‰]/g, true, { holds: '%‰' }],
  // Not in "Your code is 482,913", "Ihr Code lautet 482.913": some programs write every number like that.
  [
    /(?<!\d|(?:code|c[oó]digo|codice|\botp|\bpin)(?:\sd[ei]\s[a-zà-ÿ]{3,16})?(?:\s(?:is|ist|lautet|est|es|é|è))?[:=]?\s{0,2}(?=\d{3}[.,]\d{3}(?!\d|[.,]\d)))\d{1,3}(?:[.,'’]\d{3}){1,4}(?!\d)(?:[.,]\d{1,2})?/gi,
    true,
    { between: ".,'’" },
  ],
  [/(?<![\d.])\d{1,10}[.,]\d{1,2}(?![\d.])/g, true, { between: '.,' }],
  // Times, dates.
  [
    /(?<!\d|[a-z]-?)\d{1,2}[:：h]\d{2}(?::\d{2})?(?:\.\d{1,6})?(?![\db-lnoq-z])(?:\s?[ap]\.?m\b)?/gi,
    true,
    { between: ':：hH' },
  ],
  [/(?<!\d|[a-z]-?)(?:0?\d|1[0-2])\s?[ap]\.?m\b/gi, true, { after: 'aApP' }],
  [
    /(?<!\d)(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?!\d)/g,
    true,
    { between: '-/.' },
  ],
  [
    /(?<!\d)(?:0?[1-9]|[12]\d|3[01])[/.-](?:0?[1-9]|[12]\d|3[01])[/.-](?:(?:19|20)\d\d)(?!\d)/g,
    true,
    { between: '-/.' },
  ],
  [/(?<!\d)(?:0?[1-9]|[12]\d|3[01])[/.](?:0?[1-9]|[12]\d|3[01])[/.]\d\d(?!\d)/g, true, { between: '-/.' }],
  [/(?<!\d)\d{4}\s?[年년]|(?<!\d)\d{1,2}\s?[月日월일]/g, true, { after: '年년月日월일' }],
  [/(?<!\d)(?:19|20)\d\d\s?[-–—]\s?(?:19|20)\d\d(?!\d)/g, true, { after: '-–—' }],
  // IP addresses, colours, versions.
  [/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g, true, { between: '.' }],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){2,7}:?[0-9a-f]{1,4}(?![\w:])/gi, true, { leads: ':' }],
  [/(?<![\w-])[vV]\.?\s?\d+(?:\.\d+){0,4}(?![A-Za-z\d]|-[A-Z\d]{0,8}[A-Z])/g, true, { before: 'vV' }],
  // Three pairs may be a code.
  [/(?<!\d)(?!\d\d(?:\.\d\d){2}(?!\.?\d))\d{1,6}(?:\.\d{1,8}){2,5}(?!\d)/g, true, { between: '.' }],
  [/(?<![\d.])\d\d(?:\.\d\d){2}(?!\.?\d)/g, false, { between: '.' }],
  [/#(?=\d{0,5}[a-f])[0-9a-f]{6}\b/gi, false, { holds: '#' }],
  // Telephone numbers.
  [/\+\s?\d(?:[\s().-]{0,2}\d){6,16}/g, true, { holds: '+' }],
  [/(?<!\d)\(?\d{3}\)?[\s.-]{1,2}\d{3}[\s.-]\d{4}(?!\d)/g, true, { digits: 10 }],
  [/(?<!\d)\(0?\d{1,4}\)[\s.-]?\d{2,4}(?:[\s.-]\d{2,4}){1,3}/g, true, { before: '(' }],
  // Three pairs are more likely a code.
  [
    /(?<!\d)(?!\d\d(?:[\s-]\d\d){2}(?![\s-]?\d))0\d{1,4}[\s/-]\d{2,4}(?:[\s-]\d{2,4}){1,4}(?!\d)/g,
    true,
    { between: `/-${SPACES}`, digits: 6 },
  ],
  [/(?<!\d)0\d{2,5}[\s/-]\d{5,9}(?!\d)/g, true, { between: `/-${SPACES}`, digits: 6 }],
  [/(?<!\d)0[\s-]\d{3,4}[\s-]\d{3,4}(?!\d)/g, true, { between: `/-${SPACES}`, digits: 6 }],
  [/(?<!\d)1-?8\d\d-\d{3}-\d{4}/g, true, { digits: 11 }],
  // The last digits of a card, an account, a telephone number; not "**4829**", which is bold in Markdown.
  [
    /(?:(?:(?<![A-Za-z\d])[xX]|[*•●·∙.…])[*•●·∙xX.…]{1,15}|…)[\s-]?\d{2,5}(?![A-Za-z\d]|\*\*)/g,
    true,
    { before: '*•●·∙xX.…' },
  ],
  [/(?<![\d*])\d{1,4}[*•●∙]{2,12}\d{0,5}/g, true, { after: '*•●∙' }],
  // Long numbers in groups: cards, accounts.
  [/(?<!\d)\d{4}(?:[ -]\d{4}){2,4}(?!\d)/g, true, { digits: 12 }],
  [/\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}/g, true, { before: CAPITALS }],
  // The number of a parcel of UPS.
  [/(?<![A-Za-z\d])1Z[A-Z\d]{8}\d{8}(?![A-Za-z\d])/g, true, { before: CAPITALS }],
  // Postal codes next to the letters of a state or country.
  [/(?<![A-Za-z])[A-Z]{2}[\s,]{1,2}\d{5}(?:-\d{4})?(?!\d)/g, false, { before: CAPITALS }],
  [/(?<![A-Za-z\d])[A-Z]\d[A-Z] ?\d[A-Z]\d(?![A-Za-z\d])/g, false, { before: CAPITALS }],
  [/(?<![A-Za-z\d])[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?![A-Za-z\d])/g, false, { before: CAPITALS }],
  [/〒\s?\d{3}-?\d{4}/g, true, { before: '〒' }],
];

const needs = new Needs(patterns.map(([, , need]) => need));

/** Returns all spans of a line, in no particular order. */
export function findMaskedSpans(text: string): Span[] {
  const spans: Span[] = [];
  if (!/\d/.test(text)) return spans;
  const found = needs.in(text);
  for (let index = 0; index < patterns.length; index++) {
    const need = needs.list[index]!;
    if ((found & need) !== need) continue;
    const [pattern, hard] = patterns[index]!;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text))
      spans.push({ start: match.index, end: pattern.lastIndex, hard });
  }
  return spans;
}

/**
 * The masked spans of a line. The hard ones are also sorted and merged, so that a candidate is looked up in them
 * quickly.
 */
export interface Masked {
  spans: Span[];
  hard: Span[];
}

/** Masks a line. */
export function maskLine(text: string): Masked {
  const spans = findMaskedSpans(text);
  const hard: Span[] = [];
  for (const span of spans.filter((one) => one.hard).sort((one, other) => one.start - other.start)) {
    const last = hard.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else hard.push({ ...span });
  }
  return { spans, hard };
}

/** Whether no hard span overlaps a candidate. */
export function isFree({ start, end }: Pick<Span, 'start' | 'end'>, { hard }: Masked): boolean {
  let [low, high] = [0, hard.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hard[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  return low === hard.length || hard[low]!.start >= end;
}
