import { type Feature, foldSearched } from '../../../rules/search-language.ts';
import { markInbox, splitTrigrams } from '../search-text.ts';

/*
 * The texts of a message that `search` covers, and their form in the index. Pure. The index and the comparison use the
 * same texts, cut at the same bounds, so it makes no difference whether a message is indexed yet.
 */

/**
 * Searched characters per field: a thousand bytes of index per message. 2,000 characters of body would take a third
 * more.
 */
const CHARS_MAX = { subject: 300, from: 200, to: 300, cc: 200, code: 60, filename: 200, body: 1_200 };
export type Field = keyof typeof CHARS_MAX;

/** Runs of blanks are folded into one, so up to this many times the characters are read first. */
const BLANKS = 4;

/** Returns a field's text in the form that is compared. */
export function cutField(field: Field, text: string): string {
  const max = CHARS_MAX[field];
  return foldSearched(text.slice(0, max * BLANKS))
    .trim()
    .slice(0, max)
    .toWellFormed();
}

/** The columns of a message that are searched; JSON values are text. */
export interface SearchedColumns {
  subject: string;
  from: string;
  to: string;
  cc: string;
  otp: string | null;
  envelope_recipient: string;
}

/**
 * Separates the values of a field, and ends a text. With it, the last two characters of a text also begin a trigram.
 */
const GAP = '\u0001\u0001';

const joinList = (json: string) => (json === '[]' ? '' : (JSON.parse(json) as string[]).join(GAP));

/** How each field is read from the columns. */
export const readField: Record<Exclude<Field, 'body' | 'filename'>, (row: SearchedColumns) => string> = {
  subject: ({ subject }) => cutField('subject', subject),
  from: ({ from }) => cutField('from', from),
  to: ({ to, envelope_recipient }) => cutField('to', `${envelope_recipient}${GAP}${joinList(to)}`),
  cc: ({ cc }) => cutField('cc', joinList(cc)),
  code: ({ otp }) => cutField('code', otp ?? ''),
};

/** The parts of the stored content that are searched. */
export interface SearchedContent {
  body: string;
  filename: string;
}

export interface Indexed extends SearchedColumns {
  inbox_no: number;
  account_no: number;
  size: number;
  magic_link: string | null;
  attachment_count: number;
  has_html: number;
}

/** Returns a value for each column of the index: the texts, then the marks, which no text contains by accident. */
export function makeDocument(row: Indexed, content: SearchedContent): string[] {
  const texts = [
    ...(['subject', 'from', 'to', 'cc', 'code'] as const).map((field) => readField[field](row)),
    content.filename,
    content.body,
  ];
  const features = (Object.keys(hasFeature) as Feature[]).map((feature) =>
    hasFeature[feature](row) ? markFeature(feature) : '',
  );
  return [
    ...texts.map((text) => (text === '' ? '' : text + GAP)),
    markInbox(row.inbox_no),
    markAccount(row.account_no),
    markSize(row.size),
    ...features,
  ];
}

export const hasFeature: Record<
  Feature,
  (row: Pick<Indexed, 'otp' | 'magic_link' | 'attachment_count' | 'has_html'>) => boolean
> = {
  code: ({ otp }) => otp !== null,
  link: ({ magic_link }) => magic_link !== null,
  attachment: ({ attachment_count }) => attachment_count > 0,
  html: ({ has_html }) => has_html === 1,
};

const MARKS = 0x100000;
const PRIVATE_USE = 0xe000;
const PRIVATE_USE_COUNT = 6_400;

/** Returns three private-use characters, which encode the kind of the mark and its number. */
function mark(kind: number, number: number): string {
  const digits = [Math.floor(number / PRIVATE_USE_COUNT) % PRIVATE_USE_COUNT, number % PRIVATE_USE_COUNT];
  return String.fromCodePoint(MARKS + kind, ...digits.map((digit) => PRIVATE_USE + digit));
}

export const markAccount = (accountNo: number) => mark(0, accountNo);
export const markFeature = (feature: Feature) => mark(1, Object.keys(hasFeature).indexOf(feature));
const markSize = (bytes: number) => mark(2, sizeClass(bytes));

/** Sizes between two powers of two share a mark. */
const SIZE_CLASSES = 40;
const sizeClass = (bytes: number) => Math.min(SIZE_CLASSES, Math.floor(Math.log2(Math.max(1, bytes))));

/** Returns the marks of all sizes that may be larger, or smaller, than this one. */
export function markSizes(side: 'larger' | 'smaller', bytes: number): string[] {
  const limit = sizeClass(bytes);
  return Array.from({ length: SIZE_CLASSES + 1 }, (_, at) => at)
    .filter((at) => (side === 'larger' ? at >= limit : at <= limit))
    .map((at) => mark(2, at));
}

/**
 * Lists the trigrams that have a character beyond ASCII. They are stored, so that a search for one or two characters
 * can look up what may follow them.
 */
export function listRareTrigrams(texts: readonly string[]): string[] {
  return texts
    .filter((text) => /[^\0-\x7f]/.test(text))
    .flatMap((text) => splitTrigrams(text).filter((term) => /[^\0-\x7f]/.test(term)));
}

/** Every ASCII character that a folded text or the gap may contain. */
export const asciiAfter: readonly string[] = Array.from({ length: 0x80 }, (_, code) =>
  String.fromCharCode(code),
).filter((character) => character !== '\0' && !/[A-Z\t\n\v\f\r]/.test(character));

/** How many columns of the index have texts. The others have marks. */
export const TEXT_COLUMNS = 7;
