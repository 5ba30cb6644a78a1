/**
 * What the sender of a reply wrote, without the mail that it quotes. Lines are looked at once, each with the few before
 * it, so hostile text takes linear time (the npm packages for this run regular expressions over the whole text, some
 * of which take time with the square of its length).
 */
import { readHtml } from '../extract/visible-text.ts';
import {
  attributionOpeners,
  attributionVerbs,
  type FieldKind,
  fieldNames,
  separators,
} from './quote-words.ts';

/** A longer line is text, not the introduction of a quote. */
const INTRO_CHARS_MAX = 400;
/** Lines over which a mail program breaks such an introduction. */
const INTRO_LINES_MAX = 4;
/** Lines in which the header fields above a quoted mail are expected. */
const FIELD_LINES_MAX = 8;

const QUOTED = /^[ \t]{0,3}>/;
/** A time of day, or a date; not any number. */
const DATE = /\d[:.h]\d\d|\d{4}|\d\d?[./]\s?\d\d?[./]/;
const SEPARATOR_ENDS = /^[-_=—\s*]+|[-_=—\s*]+$/g;

const verbs = Object.values(attributionVerbs).flat();
const separatorTexts = new Set(separators);
const kinds = new Map<string, FieldKind>(
  (Object.keys(fieldNames) as FieldKind[]).flatMap((kind) => fieldNames[kind].map((name) => [name, kind])),
);

/** The text of a mail without what it quotes. `isForward`: what follows header fields is not a quote. */
export function readReplyText({ text, html }: { text: string; html: string }, isForward = false): string {
  return cutQuotes(text.trim() === '' && html !== '' ? readOwnLines(html) : text, isForward);
}

function readOwnLines(html: string): string {
  return readHtml(html)
    .lines.filter(({ quoted }) => !quoted)
    .map((line) => line.text)
    .join('\n');
}

function cutQuotes(text: string, isForward: boolean): string {
  const lines = text.replaceAll('\r', '').split('\n');
  const fields = isForward ? [] : lines.map(readFieldKind);
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (QUOTED.test(line)) continue;
    if (!isForward && beginsQuotedMail(line, fields.slice(at, at + FIELD_LINES_MAX))) break;
    const isAbove = endsAttribution(line) && isQuotedNext(lines, at);
    const intro = endsAttribution(line)
      ? countAttribution(lines, at) || Number(isAbove && isShortIntro(line))
      : 0;
    if (intro === 0) {
      kept.push(line);
      continue;
    }
    // Its first lines were kept when their end was not known.
    kept.length = Math.max(0, kept.length - (intro - 1));
    // Without marks all that follows is quoted.
    if (!isForward && !isAbove) break;
  }
  return dropRules(kept)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Lines of dashes or underscores that stood above a quote. */
function dropRules(kept: string[]): string[] {
  while (kept.length > 0 && /^[\s_=-]*$/.test(kept.at(-1)!)) kept.pop();
  return kept;
}

function isQuotedNext(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1, at + 4).find((line) => line.trim() !== '');
  return next !== undefined && QUOTED.test(next);
}

/** A cheap check: all others end in another way. */
function endsAttribution(line: string): boolean {
  if (line.length > INTRO_CHARS_MAX) return false;
  const last = line.trimEnd().replace(/[-*_\s]+$/, '');
  return /[:：]$/.test(last) || /(?:wrote|写道|寫道|작성)$/.test(last);
}

/** How many lines, the one at `at` being the last, introduce a quote; 0 when they do not. */
function countAttribution(lines: readonly string[], at: number): number {
  let joined = '';
  for (let count = 1; count <= INTRO_LINES_MAX && count <= at + 1; count++) {
    const line = lines[at - count + 1]!.trim();
    if (line === '' || QUOTED.test(line)) return 0;
    joined = `${line} ${joined}`;
    if (joined.length > INTRO_CHARS_MAX) return 0;
    if (isAttribution(joined)) return count + countLinesBefore(lines, at - count, line);
  }
  return 0;
}

function isAttribution(joined: string): boolean {
  const text = joined.toLowerCase();
  if (!DATE.test(text)) return false;
  return verbs.some((verb) => hasWord(text, verb)) || /<[^<>\s]+@[^<>\s]+>\s*[:：]\s*$/.test(text);
}

/** Without a date, directly above a quote. */
function isShortIntro(line: string): boolean {
  const text = line.toLowerCase();
  return verbs.some((verb) => hasWord(text, verb)) || /<[^<>\s]+@[^<>\s]+>/.test(text);
}

/** As a word, where the script has blanks between words. */
function hasWord(text: string, word: string): boolean {
  const at = text.lastIndexOf(word);
  if (at < 0) return false;
  if (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(word)) return true;
  const isLetter = (char: string | undefined) => char !== undefined && /\p{L}/u.test(char);
  return !isLetter(text[at - 1]) && !isLetter(text[at + word.length]);
}

/** The beginning of an introduction that has its date in the second line. */
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

/** Whether the rest is the mail that is answered: a separator, or its header fields, of which `fields` has the first. */
function beginsQuotedMail(line: string, fields: readonly (FieldKind | null)[]): boolean {
  if (line.length > INTRO_CHARS_MAX) return false;
  if (/^[\s*]*[-_=—]{2}/.test(line)) {
    const title = line.replace(SEPARATOR_ENDS, '').toLowerCase();
    if (separatorTexts.has(title)) return true;
  }
  if (fields[0] !== 'from') return false;
  return fields.includes('date') && (fields.includes('to') || fields.includes('subject'));
}

/** Of a line such as `*From:* Ann <ann@example.org>`. */
function readFieldKind(line: string): FieldKind | null {
  if (line.length > INTRO_CHARS_MAX) return null;
  const colon = line.search(/[:：]/);
  if (colon <= 0 || colon > 25) return null;
  const name = line.slice(0, colon).replaceAll('*', '').replace(/\s+/g, ' ').trim().toLowerCase();
  return kinds.get(name) ?? null;
}
