/** Features of a candidate's form, and of how and where it appears. */

import { lookAt } from '../html/page.ts';
import { at, type Place } from './code-vector.ts';
import { kind } from './lexicon.ts';
import type { ReadLine, ReadMail, ReadPart } from './reading.ts';
import { mark, raise, type Vector } from './vector.ts';

const LENGTHS = [at.len4, at.len4, at.len4, at.len4, at.len4, at.len5, at.len6, at.len7, at.len8, at.len9];

/** Marks the features of the characters themselves. */
export function markForm(vector: Vector, { occurrence, part, index }: Place): void {
  const { code, form, start, end, marked } = occurrence;
  const { text } = part.lines[index]!;
  const digits = /^\d+$/.test(code);
  const length = digits ? code.length : code.replaceAll('-', '').length;
  if (digits || length <= 9) vector[LENGTHS[Math.min(length, 9)]!] = 1;
  mark(vector, at.mixed, form === 'mixed');
  mark(vector, at.letters, form === 'letters');
  mark(vector, at.spaced, form === 'spaced');
  mark(vector, at.groups, form === 'groups');
  mark(vector, at.marked, marked);
  mark(vector, at.doubtful, occurrence.doubtful);
  mark(vector, at.year, /^[A-Za-z-]*(?:19[5-9]|20[0-4])\d$/.test(code));
  if (digits) markDigits(vector, code);
  else markLetters(vector, code, form);
  mark(vector, at.uneven, form === 'groups' && !marked && !isEven(text.slice(start, end)));
  mark(
    vector,
    at.hash_before,
    !marked && /(?:#|№|n[°ºo]\.?|nr\.?)\s?$/i.test(text.slice(Math.max(0, start - 5), start)),
  );
}

function markDigits(vector: Vector, code: string): void {
  const isSame = /^(\d)\1+$/.test(code);
  mark(vector, at.round, isSame || /^\d+000$|^\d{1,2}00$/.test(code));
  mark(vector, at.dummy, isSame || '0123456789'.includes(code) || '9876543210'.includes(code));
}

function markLetters(vector: Vector, code: string, form: Place['occurrence']['form']): void {
  mark(vector, at.lower, /^[a-z0-9-]*[a-z][a-z0-9-]*$/.test(code));
  mark(vector, at.mixed_case, /[a-z]/.test(code) && /[A-Z]/.test(code));
  mark(vector, at.namelike, NAMELIKE.test(code) && !isUnspeakable(code));
  mark(vector, at.long, code.replaceAll('-', '').length > 12);
  raise(vector, at.scrambled, Math.min(1, countTurns(code) / 4));
  mark(vector, at.wordlike, form === 'letters' && isWordlike(code));
}

/** "anna482", "Model3", "MK3", "4you", "L10n": names, and words with their letters counted. */
const NAMELIKE =
  /^[A-Z]?[a-z]{2,}-?\d{1,4}$|^[A-Z]{3,}-?\d{1,2}$|^\d{1,2}-?(?:[A-Z]?[a-z]{2,}|[A-Z]{3,})$|^[A-Za-z]\d{1,2}[A-Za-z]$/;

/** Whether its letters are too many for an abbreviation and have no vowels: "9SHTNW" is no name. */
const isUnspeakable = (code: string) => !/[aeiouy]/i.test(code) && (code.match(/[a-z]/gi)?.length ?? 0) > 4;

/** Counts the changes between digits, capitals and small letters. A capital at the start is not one. */
function countTurns(code: string): number {
  return code.match(/(?<=[a-z])[A-Z0-9]|(?<=[A-Z0-9])[a-z]|(?<=[A-Za-z])\d|(?<=\d)[A-Z]/g)?.length ?? 0;
}

/** Whether all groups of digits have the same length. */
const isEven = (written: string) => new Set(written.split(/\D/).map((part) => part.length)).size === 1;

/** Whether the letters have as many vowels as a word, and no long runs of consonants. */
function isWordlike(code: string): boolean {
  const vowels = code.match(/[AEIOUY]/g)?.length ?? 0;
  return vowels / code.length >= 0.25 && !/[^AEIOUY-]{4}/.test(code);
}

/**
 * Whether a code is inside a quoted sentence ("Your code is 123456"), and so an example. Alone in quotation marks, it
 * isn't.
 */
function isQuotation(before: string): boolean {
  if (!/["“«]/.test(before)) return false;
  const open = Math.max(before.lastIndexOf('“'), before.lastIndexOf('«'));
  const close = Math.max(before.lastIndexOf('”'), before.lastIndexOf('»'));
  const straight = before.split('"');
  const inside = open > close ? before.slice(open + 1) : straight.length % 2 === 0 ? straight.at(-1)! : '';
  return /\p{L}/u.test(inside);
}

function findLineBefore(part: ReadPart, index: number): string {
  for (let near = index - 1; near >= 0 && near >= index - 3; near--) {
    const { text } = part.lines[near]!;
    if (text !== '') return text;
  }
  return '';
}

/** Whether the line is a greeting: "Hi anna482,". */
function isGreeted(line: ReadLine, before: string, after: string): boolean {
  return (
    /^\p{L}+(?: \p{L}+){0,2},? $/u.test(before) &&
    /^[,!，、！:]?$/.test(after) &&
    !(line.words.kinds & NAMES_CODE)
  );
}
const NAMES_CODE = kind.code | kind.strong | kind.pass | kind.enter;

/** Nothing but white space, punctuation and pictures. */
const ONLY_EDGE = /^[\s*_"'`«»“”„‘’()[\]{}<>【】「」『』:：.,;!|#=~>→➜•·\p{Pd}\p{Extended_Pictographic}]*$/u;
const OPENING = '"“«*([';

/** Whether a colon is just before the place, possibly followed by opening marks. */
function endsWithColon(before: string): boolean {
  let end = before.length;
  while (end > 0 && OPENING.includes(before[end - 1]!)) end--;
  return /[:：﹕]\s?$/.test(before.slice(Math.max(0, end - 2), end));
}

/** Whether the line before ends with a colon. */
const isIntroducedAbove = ({ part, index }: Place) => /[:：]/.test(findLineBefore(part, index).slice(-1));

/** Whether a colon leads to it, just before it or at the end of the line before. */
export const isIntroduced = (place: Place) =>
  isIntroducedAbove(place) ||
  endsWithColon(place.part.lines[place.index]!.text.slice(0, place.occurrence.start));

/** Marks the features of its line and its look. */
export function markPlace(vector: Vector, reading: ReadMail, place: Place): void {
  const { occurrence, part, index } = place;
  const line = part.lines[index]!;
  const { start, end } = occurrence;
  const before = line.text.slice(0, start);
  const after = line.text.slice(end);
  const look = lookAt(line, start);
  const isFirst = ONLY_EDGE.test(before);
  const isLast = ONLY_EDGE.test(after);
  const ownLine = isFirst && isLast;
  const inSubject = part.source === 'subject';
  const larger = look.size / reading.usualSize;
  mark(vector, at.own_line, ownLine && !inSubject);
  mark(vector, at.own_cell, ownLine && line.row >= 0);
  mark(vector, at.line_end, isLast && !ownLine);
  mark(vector, at.line_start, isFirst && !ownLine);
  mark(vector, at.in_quotation, isQuotation(before));
  mark(
    vector,
    at.emphasis,
    !ownLine &&
      /^\s?[*_"'`»”“’)\]"」』】》]/.test(after) &&
      /[*_"'`«“„‘(["「『【《]\s?$/.test(before.slice(-2)),
  );
  raise(vector, at.large, Math.min(1, larger - 1.15));
  mark(vector, at.bold, look.bold);
  mark(vector, at.spaced_type, look.spaced);
  mark(vector, at.mono, look.mono);
  mark(vector, at.heading, look.heading);
  mark(vector, at.in_link, look.inLink);
  mark(vector, at.named, look.named);
  raise(vector, at.late, Math.min(1, index / 60));
  mark(vector, at.greeted, isGreeted(line, before, after));
  mark(vector, at.before_name, /[A-Za-z]/.test(occurrence.code) && /^ \p{Lu}\p{L}/u.test(after));
  mark(vector, at.footer_line, line.words.kinds & kind.footer);
  if (ownLine) {
    raise(vector, at.stands_out, Math.min(1, larger - 1));
    if (look.bold) raise(vector, at.stands_out, 0.5);
    if (look.spaced) raise(vector, at.stands_out, 0.8);
  }
  mark(vector, at.colon_before, endsWithColon(before) || (ownLine && isIntroducedAbove(place)));
  if (!inSubject) return;
  // "[ABC-123] …": mailing lists and trackers put such tags before a subject.
  mark(vector, at.tag, /^(?:\w{2,3}: )?\[[^\]]{0,40}$/.test(before) && /^[^[]{0,40}\] /.test(after));
  mark(vector, at.subject_code, line.words.kinds & (kind.code | kind.strong | kind.verify));
}
