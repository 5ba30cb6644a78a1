/**
 * Reads what the sender of a reply wrote, without the mail that the reply quotes. A quote is recognised by one of:
 *
 * - marks: lines that begin with `>`, or elements of HTML that mail programs use for quotes;
 * - an introduction: "On 21 November 2026, Ann wrote:", over up to four lines;
 * - a separator ("Original message") or a block of header fields, after which everything is quoted.
 *
 * Each line is read once, with the few before it, so hostile text takes linear time. (The npm packages for this run
 * regular expressions over the whole text, some of which take quadratic time.)
 */
import { readHtml } from '../html/visible-text.ts';
import {
  attributionOpeners,
  attributionVerbs,
  type FieldKind,
  fieldNames,
  forwardedSeparators,
  separators,
} from './quote-words.ts';

/** A longer line is text, not the introduction of a quote. */
const INTRO_CHARS_MAX = 400;
/** Lines that an introduction may have. */
const INTRO_LINES_MAX = 4;
/** Lines in which the header fields above a quoted mail are expected. */
const FIELD_LINES_MAX = 8;

const QUOTED = /^[ \t]{0,3}>/;
/** A time of day, or a date; not any number. */
const DATE = /\d[:.h]\d\d|\d{4}|\d\d?[./]\s?\d\d?[./]/;
const YEAR = /\b(?:19|20)\d\d|\d\d?[./]\s?\d\d?[./]\s?\d\d/;
/** Not the middle of a date with dots. */
const TIME = /(?<![\d.])\d{1,2}(?:[:.h]\d\d(?![\d.])|h\b)/;
const ADDRESS = /[^\s<>@]@[^\s<>@]/;
/** An introduction that a person wrote: mail programs write a name. */
const A_PERSON_WROTE =
  /\b(?:i|you|we|he|she|they|ich|du|er|sie|wir|je|tu|il|elle|nous|vous|yo|ik|jij|hij|jeg|han|hun|jag|hon)\s+(?:have |has |had )?(?:wrote|writes|schrieb|schreibt|écrit|a écrit|escribió|schreef|skrev)|(?:schrieb|schreef|skrev) (?:ich|du|er|sie|wir|ik|jij|hij|jeg|han|hun|jag|hon)\b/i;
/** Scripts that have no blanks between words. */
const NO_BLANKS = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
const SENT_FIRST = /^[\s*]*(?:sent|gesendet|envoyé|enviado|inviato)\s*:/i;
const BRACKETS_DEPTH_MAX = 3;
const NAME_WORDS_MAX = 5;
/** "Ann Maria Sender wrote:" */
const SHORT_WORDS_MAX = 4;
const SEPARATOR_ENDS = /^[-_=—\s*]+|[-_=—\s*]+$/g;

const verbs = Object.values(attributionVerbs).flat();
const separatorTexts = new Set(separators);
const forwardedTexts = new Set(forwardedSeparators);
const kinds = new Map<string, FieldKind>(
  (Object.keys(fieldNames) as FieldKind[]).flatMap((kind) => fieldNames[kind].map((name) => [name, kind])),
);

/**
 * Returns the text of a mail without what it quotes.
 *
 * @param isForward true if the mail forwards another: what follows header fields is then not a quote.
 */
export function readReplyText({ text, html }: { text: string; html: string }, isForward = false): string {
  const isHtml = text.trim() === '' && html !== '';
  return cutQuotes(isHtml ? readMarkedLines(html, isForward) : text, { isForward, isHtml });
}

/**
 * Converts HTML to lines, and marks quoted ones as in plain text, so that text between and below them is the
 * sender's. In a forward nothing is marked: the forwarded mail is in the same kind of element as a quote.
 */
function readMarkedLines(html: string, isForward: boolean): string {
  return readHtml(html)
    .lines.map(({ text, quoted }) => (quoted && !isForward ? `> ${text}` : text))
    .join('\n');
}

function cutQuotes(text: string, { isForward, isHtml }: { isForward: boolean; isHtml: boolean }): string {
  const written = text.replaceAll('\r', '').split('\n');
  const lines = withoutDirections(written);
  const fields = isForward ? [] : lines.map(readFieldKind);
  const kept: string[] = [];
  let isInForward = isForward;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    isInForward ||= isForwardMark(line);
    if (isQuoted(lines, at)) continue;
    const upcoming = fields.slice(at, at + FIELD_LINES_MAX);
    if (!isInForward && beginsQuotedMail(lines, at, upcoming, isHtml)) break;
    const below = endsAttribution(line) ? lookBelow(lines, at) : null;
    const intro = below && countIntro(lines, at, below);
    if (!intro || (isInForward && below !== 'marks')) {
      kept.push(written[at]!);
      continue;
    }
    // The first lines of the introduction were kept, because its end was not known yet.
    kept.length = Math.max(0, kept.length - (intro - 1));
    // Without marks, everything that follows is quoted.
    if (below === 'text') break;
  }
  return dropRules(kept)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/**
 * Returns the index of the first line that belongs to a quoted mail, from where on everything is quoted; the number of
 * lines if there is none.
 *
 * @param written the lines, without empty ones. Those that are marked begin with `>`.
 */
export function findQuotedMail(written: readonly string[]): number {
  const lines = withoutDirections(written);
  const fields = lines.map(readFieldKind);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (isForwardMark(line)) break;
    if (isQuoted(lines, at)) continue;
    if (beginsQuotedMail(lines, at, fields.slice(at, at + FIELD_LINES_MAX), true)) return at;
    const below = endsAttribution(line) ? lookBelow(lines, at) : null;
    if (below === 'text' && countAttribution(lines, at, below) > 0) return at + 1;
  }
  return lines.length;
}

/** Characters for the direction of text, which Gmail puts around the names and addresses of Hebrew and Arabic. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

const withoutDirections = (lines: readonly string[]) => lines.map((line) => line.replace(DIRECTIONS, ''));

/**
 * Whether a line is marked. A single marked line that begins with "From" may have got its mark on the way, as in an
 * mbox.
 */
function isQuoted(lines: readonly string[], at: number): boolean {
  const isMarked = (line: string | undefined) => line !== undefined && QUOTED.test(line);
  if (!isMarked(lines[at])) return false;
  return !lines[at]!.startsWith('>From ') || isMarked(lines[at - 1]) || isMarked(lines[at + 1]);
}

/** Whether the line is above a forwarded mail, such as "Forwarded message". */
function isForwardMark(line: string): boolean {
  if (line.length > INTRO_CHARS_MAX) return false;
  return forwardedTexts.has(
    line
      .replace(SEPARATOR_ENDS, '')
      .replace(/\s*[:：]$/, '')
      .toLowerCase(),
  );
}

/** Removes lines of dashes or underscores that were above a quote. */
function dropRules(kept: string[]): string[] {
  while (kept.length > 0 && /^[\s_=-]*$/.test(kept.at(-1)!)) kept.pop();
  return kept;
}

/** What is below a line: marked lines, other text, or nothing. */
type Below = 'marks' | 'text' | 'nothing';

function lookBelow(lines: readonly string[], at: number): Below {
  const next = lines.slice(at + 1, at + 4).find((line) => line.trim() !== '');
  if (next !== undefined) return QUOTED.test(next) ? 'marks' : 'text';
  return at + 4 < lines.length ? 'text' : 'nothing';
}

/** Whether a line may end an attribution. A cheap first check: there are only a few ways. */
function endsAttribution(line: string): boolean {
  if (line.length > INTRO_CHARS_MAX) return false;
  const last = line.trimEnd().replace(/[-*_\s]+$/, '');
  return /[:：]$/.test(last) || /(?:wrote|写道|寫道|작성)$/.test(last);
}

/** Counts the lines up to `at` that introduce a quote; 0 if they do not. */
function countIntro(lines: readonly string[], at: number, below: Below): number {
  return countAttribution(lines, at, below) || Number(below === 'marks' && isShortIntro(lines[at]!));
}

function countAttribution(lines: readonly string[], at: number, below: Below): number {
  let joined = '';
  for (let count = 1; count <= INTRO_LINES_MAX && count <= at + 1; count++) {
    const line = lines[at - count + 1]!.trim();
    if (line === '' || QUOTED.test(line)) return 0;
    joined = `${line} ${joined}`;
    if (joined.length > INTRO_CHARS_MAX) return 0;
    if (isAttribution(joined, below)) return count + countLinesBefore(lines, at - count, line);
  }
  return 0;
}

/**
 * Whether a mail program wrote the line, not a person whose sentence ends with a colon. If unmarked text follows, which
 * would be removed, the line must have an address, or else a whole date, a time and no "I wrote".
 */
function isAttribution(joined: string, below: Below): boolean {
  if (!DATE.test(joined)) return false;
  if (/<[^<>\s]+@[^<>\s]+>\s*[:：]\s*$/.test(joined)) return true;
  const isKnown = ADDRESS.test(joined);
  if (!endsWithVerb(joined, below !== 'text' || isKnown)) return false;
  if (below !== 'text' || isKnown) return true;
  return YEAR.test(joined) && TIME.test(joined) && !A_PERSON_WROTE.test(joined);
}

/** An attribution without a date, directly above a quote. */
function isShortIntro(line: string): boolean {
  if (ADDRESS.test(line)) return true;
  return line.trim().split(/\s+/).length <= SHORT_WORDS_MAX && endsWithVerb(line, false);
}

/**
 * Whether a verb is the last word, or only a name, an address or something in brackets follows it. With `orDate`, a
 * date may follow too: "schrieb am Sa., 21. Nov. 2026, 10:00".
 */
function endsWithVerb(text: string, orDate: boolean): boolean {
  const lower = text.toLowerCase();
  return verbs.some((verb) => {
    const end = findWordEnd(lower, verb);
    if (end < 0) return false;
    const rest = lower.length === text.length ? text.slice(end) : lower.slice(end);
    return isNameAtMost(rest, verb) || (orDate && isDateAtMost(rest.trim()));
  });
}

function isDateAtMost(rest: string): boolean {
  return (opensAttribution(rest) || /^\d/.test(rest)) && DATE.test(rest) && /\d\D{0,8}$/.test(rest);
}

function isNameAtMost(rest: string, verb: string): boolean {
  let bare = rest;
  for (let depth = 0; depth < BRACKETS_DEPTH_MAX; depth++)
    bare = bare.replace(/[<([][^<>()[\]]*[>)\]]/g, ' ');
  const words = bare.match(/[^\s:：.,;*_"'-]+/g) ?? [];
  // In scripts without blanks and capitals, a name looks like any other word.
  if (NO_BLANKS.test(verb)) return words.length === 0;
  return words.length <= NAME_WORDS_MAX && words.every((word) => !/^\p{Ll}/u.test(word));
}

/** Returns the end of a word in a text; -1 if it is not there. In scripts with blanks, it must be a whole word. */
function findWordEnd(text: string, word: string): number {
  const at = text.lastIndexOf(word);
  const end = at + word.length;
  if (at < 0) return -1;
  const isLetter = (char: string | undefined) => char !== undefined && /\p{L}/u.test(char);
  return NO_BLANKS.test(word) || !(isLetter(text[at - 1]) || isLetter(text[end])) ? end : -1;
}

/** Returns 1 if an introduction whose date is in its second line has another line before it, otherwise 0. */
function countLinesBefore(lines: readonly string[], at: number, first: string): number {
  if (opensAttribution(first) || at < 0) return 0;
  const before = lines[at]!.trim();
  return opensAttribution(before) && /\d/.test(before) && before.length > 15 ? 1 : 0;
}

function opensAttribution(line: string): boolean {
  const text = line.toLowerCase();
  return attributionOpeners.some(
    (opener) => text.startsWith(opener) && !/\p{L}/u.test(text[opener.length] ?? ' '),
  );
}

/**
 * Whether the answered mail begins at a line: a separator, or its header fields.
 *
 * @param fields the fields of this line and the next ones.
 */
function beginsQuotedMail(
  lines: readonly string[],
  at: number,
  fields: readonly (FieldKind | null)[],
  isHtml: boolean,
): boolean {
  const line = lines[at]!;
  if (line.length > INTRO_CHARS_MAX) return false;
  if (/^[\s*]*[-_=—]{2}/.test(line)) {
    const title = line.replace(SEPARATOR_ENDS, '').toLowerCase();
    if (separatorTexts.has(title)) return true;
  }
  // GMX and Web.de put the date first. If it is called "Date", somebody has copied a header.
  const isFirst = fields[0] === 'from' || (fields[1] === 'from' && SENT_FIRST.test(line));
  if (!isFirst || !fields.includes('date')) return false;
  const has = { to: fields.includes('to'), subject: fields.includes('subject') };
  const block = lines.slice(at, at + fields.length).filter((_, index) => fields[index] !== null);
  if (block.some((field) => field.length <= INTRO_CHARS_MAX && field.includes('@')))
    return has.to || has.subject;
  // Without an address it may be a person's own "From: Berlin, To: Munich", so a mail program must have left an empty
  // line above. Lines from HTML include no empty ones.
  const isApart = isHtml || at === 0 || isBlankOrRule(lines[at - 1]!);
  return has.to && has.subject && isApart && block.some((field) => TIME.test(field));
}

function isBlankOrRule(line: string): boolean {
  return line.length <= INTRO_CHARS_MAX && /^[\s_=*-]*$/.test(line);
}

/** Returns which field a line such as `*From:* Ann <ann@example.org>` has; null for any other line. */
function readFieldKind(line: string): FieldKind | null {
  if (line.length > INTRO_CHARS_MAX) return null;
  const colon = line.search(/[:：]/);
  if (colon <= 0 || colon > 25) return null;
  const name = line.slice(0, colon).replaceAll('*', '').replace(/\s+/g, ' ').trim().toLowerCase();
  return kinds.get(name) ?? null;
}
