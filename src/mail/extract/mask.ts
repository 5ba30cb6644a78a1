/** Spans of a line that look like something else than a code: addresses, dates, sums, telephones, … */

/** `hard` spans hold no code; `soft` ones speak against it. */
export interface Span {
  start: number;
  end: number;
  hard: boolean;
}

const CURRENCY = '[$€£¥₹₽₩₺₫฿₴₪₦₱₸₼₾៛৳]';
const CURRENCY_WORD =
  '(?:usd|eur|gbp|jpy|cny|rmb|inr|rub|krw|try|brl|chf|sek|nok|dkk|pln|czk|huf|ron|uah|thb|vnd|idr|aud|cad|nzd|mxn|zar|sgd|hkd|aed|sar|ils|kr|zł|kč|ft|lei|руб|грн|лв|р|tl|rp|rs|元|円|원|đ|บาท|ریال|تومان|ש״ח|ر\\.س|د\\.إ)';
const NUMBER = '\\d{1,12}(?:[.,\u0027 ]\\d{2,3}){0,4}';

/** In order; each is bounded in every repetition, so that no line takes more than linear time. */
const PATTERNS: [pattern: RegExp, hard: boolean][] = [
  // Addresses of the web, also without a scheme, and of mail.
  [/\b(?:https?:\/\/|www\.|mailto:)\S{1,4000}/gi, true],
  [/[\w.%+-]{1,64}@[\w.-]{1,253}/g, true],
  [/\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}\/\S{0,2000}/gi, true],
  [/\b[a-z][a-z0-9-]{0,62}\.(?:com|net|org|io|co|app|dev|example|test|me|ai|gg|tv)\b/gi, true],
  // Sums of money.
  [new RegExp(`${CURRENCY}\\s?${NUMBER}`, 'g'), true],
  [new RegExp(`(?<![\\d.,])${NUMBER}\\s?(?:${CURRENCY}|${CURRENCY_WORD}(?![\\p{L}]))`, 'giu'), true],
  [new RegExp(`\\b(?:usd|eur|gbp|inr|chf|rs\\.?|rp\\.?|kr\\.?|r\\$)\\s?${NUMBER}`, 'gi'), true],
  // Per cents; numbers with decimals or thousands.
  [/\d[\d.,]{0,12}\s?[%‰]/g, true],
  [/(?<!\d)\d{1,3}(?:[.,'’]\d{3}){1,4}(?!\d)(?:[.,]\d{1,2})?/g, true],
  [/(?<![\d.])\d{1,10}[.,]\d{1,2}(?![\d.])/g, true],
  // Times, dates.
  [/(?<!\d)\d{1,2}[:：h]\d{2}(?::\d{2})?(?:\.\d{1,6})?(?!\d)(?:\s?[ap]\.?m\b)?/gi, true],
  [/(?<!\d)\d{1,2}\s?[ap]\.?m\b/gi, true],
  [/(?<!\d)(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?!\d)/g, true],
  [/(?<!\d)(?:0?[1-9]|[12]\d|3[01])[/.-](?:0?[1-9]|[12]\d|3[01])[/.-](?:(?:19|20)\d\d)(?!\d)/g, true],
  [/(?<!\d)(?:0?[1-9]|[12]\d|3[01])[/.](?:0?[1-9]|[12]\d|3[01])[/.]\d\d(?!\d)/g, true],
  [/(?<!\d)\d{4}\s?[年년]|(?<!\d)\d{1,2}\s?[月日월일]/g, true],
  [/(?<!\d)(?:19|20)\d\d\s?[-–—]\s?(?:19|20)\d\d(?!\d)/g, true],
  // Addresses of machines, colours, versions.
  [/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g, true],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){2,7}:?[0-9a-f]{1,4}(?![\w:])/gi, true],
  [/\bv\.?\s?\d+(?:\.\d+){0,4}/gi, true],
  [/(?<!\d)\d{1,6}(?:\.\d{1,8}){2,5}(?!\d)/g, true],
  [/#(?=\d{0,5}[a-f])[0-9a-f]{6}\b/gi, false],
  // Telephones.
  [/\+\s?\d(?:[\s().-]{0,2}\d){6,16}/g, true],
  [/(?<!\d)\(?\d{3}\)?[\s.-]{1,2}\d{3}[\s.-]\d{4}(?!\d)/g, true],
  [/(?<!\d)\(0?\d{1,4}\)[\s.-]?\d{2,4}(?:[\s.-]\d{2,4}){1,3}/g, true],
  [/(?<!\d)0\d{1,4}[\s/-]\d{2,4}(?:[\s-]\d{2,4}){1,4}(?!\d)/g, true],
  [/(?<!\d)1-?8\d\d-\d{3}-\d{4}/g, true],
  // The end of a card, an account, a telephone.
  [/(?:[*•●·∙xX.…]{2,16}|…)[\s-]?\d{2,5}(?!\d)/g, true],
  [/\d{1,4}[*•●∙]{2,12}\d{0,5}/g, true],
  // Long numbers in groups: cards, accounts.
  [/(?<!\d)\d{4}(?:[ -]\d{4}){2,4}(?!\d)/g, true],
  [/\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}/g, true],
  // Postal codes beside a state's or a country's letters.
  [/(?<![A-Za-z])[A-Z]{2}[\s,]{1,2}\d{5}(?:-\d{4})?(?!\d)/g, false],
  [/(?<![A-Za-z\d])[A-Z]\d[A-Z] ?\d[A-Z]\d(?![A-Za-z\d])/g, false],
  [/(?<![A-Za-z\d])[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?![A-Za-z\d])/g, false],
  [/〒\s?\d{3}-?\d{4}/g, true],
];

/** All spans of a line, in no order. */
export function maskedSpans(text: string): Span[] {
  const spans: Span[] = [];
  if (!/\d/.test(text)) return spans;
  for (const [pattern, hard] of PATTERNS) {
    for (const found of text.matchAll(pattern))
      spans.push({ start: found.index, end: found.index + found[0].length, hard });
  }
  return spans;
}
