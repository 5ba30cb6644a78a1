/** Prepares a mail for two questions: which is its code, and which its magic link? */

import { toDisplayed } from '../displayed-text.ts';
import type { FoundLink, Line, Page } from '../html/page.ts';
import { PLAIN_LOOK } from '../html/page.ts';
import { readHtml } from '../html/visible-text.ts';
import { findQuotedMail } from '../reply/reply-text.ts';
import { forwardMarks, replyMarks } from '../subject-marks.ts';
import { markFalseCodes } from './false-codes.ts';
import { type Found, findWords, type Hit, kind, mergeKinds } from './lexicon.ts';
import { findOwnNumbers } from './own-number.ts';
import { findBareLinks, readText } from './plain-text.ts';

export interface MailParts {
  subject: string;
  from: string;
  text: string;
  html: string;
}

export type PartSource = 'subject' | 'html' | 'text';

/** The words of a line. */
export interface Words extends Found {
  /** The hits, except that a code word in "promotion code" or "order code" counts against a code (false-codes.ts). */
  trueHits: Hit[];
  trueKinds: number;
}

export interface ReadLine extends Line {
  words: Words;
}

/** One part of the mail after reading. */
export interface ReadPart {
  source: PartSource;
  lines: ReadLine[];
}

export interface ReadMail {
  parts: ReadPart[];
  /** Links in order: first those of the HTML, then those of the text. */
  links: { link: FoundLink; part: ReadPart }[];
  /** What was not read of a long part. */
  rest: { html: string; text: string };
  actions: Page['actions'];
  /** The part that a person reads. */
  body: ReadPart;
  subject: ReadLine | undefined;
  /** The most common font size of the body. */
  usualSize: number;
  from: string;
  /** Whether the subject says that it answers another mail. */
  isReply: boolean;
  /** How often each kind of word occurs in subject and body, by bit number. Quoted lines don't count. */
  counts: Uint32Array;
  /**
   * The kinds of all lines of the body together. Most mails lack what most features look for, so this saves a search.
   */
  bodyKinds: number;
  bodyCharKinds: number;
  chars: number;
}

const SUBJECT_CHARS_MAX = 500;
/** "Videresendt", forwarded, in Danish and Norwegian; but also "vastaus", a reply, in Finnish. */
const NORDIC_FORWARD = /^vs\s?[:：]/i;

/** Reads subject, HTML and text. If the mail only forwards another one, its quotes count as content. */
export function readMail(mail: MailParts): ReadMail {
  const html = mail.html === '' ? undefined : readHtml(mail.html);
  const text = mail.text === '' ? undefined : readText(mail.text);
  if (html) html.links.push(...findBareLinks(html.lines));
  const subjectText = toDisplayed(mail.subject.slice(0, SUBJECT_CHARS_MAX)).trim();
  const subjectLines: Line[] =
    subjectText === ''
      ? []
      : [{ text: subjectText, runs: [{ start: 0, look: PLAIN_LOOK }], row: -1, quoted: false }];
  const marksQuotes = !forwardMarks.test(subjectText) && !NORDIC_FORWARD.test(subjectText);
  const isReply = marksQuotes && replyMarks.test(subjectText);
  if (isReply) for (const page of [html, text]) markQuotedMail(page?.lines ?? []);
  // The text mostly repeats the HTML, so each line's words are found only once.
  const known = new Map<string, Words>();
  const parts = [
    makePart('subject', subjectLines, false, known),
    makePart('html', html?.lines ?? [], marksQuotes, known),
    makePart('text', text?.lines ?? [], marksQuotes, known),
  ];
  const [subjectPart, htmlPart, textPart] = parts as [ReadPart, ReadPart, ReadPart];
  const body = htmlPart.lines.length > 0 ? htmlPart : textPart;
  return {
    parts,
    links: [
      ...(html?.links ?? []).map((link) => ({ link, part: htmlPart })),
      ...(text?.links ?? []).map((link) => ({ link, part: textPart })),
    ],
    rest: { html: html?.rest ?? '', text: text?.rest ?? '' },
    actions: html?.actions ?? [],
    body,
    subject: subjectPart.lines[0],
    usualSize: body === htmlPart ? findUsualSize(body.lines) : PLAIN_LOOK.size,
    from: mail.from,
    isReply,
    counts: countWords(subjectPart, body),
    ...sumLines(body.lines),
  };
}

/** Marks the mail below a reply that has no marks of its own, as Outlook quotes it. */
function markQuotedMail(lines: Line[]): void {
  const texts = lines.map(({ text, quoted }) => (quoted ? `> ${text}` : text));
  for (const line of lines.slice(findQuotedMail(texts))) line.quoted = true;
}

function sumLines(lines: readonly ReadLine[]): Pick<ReadMail, 'bodyKinds' | 'bodyCharKinds' | 'chars'> {
  let bodyKinds = 0;
  let bodyCharKinds = 0;
  let chars = 0;
  for (const { text, words } of lines) {
    bodyKinds |= words.kinds;
    bodyCharKinds |= words.charKinds;
    chars += text.length;
  }
  return { bodyKinds, bodyCharKinds, chars };
}

function makePart(
  source: PartSource,
  lines: Line[],
  marksQuotes: boolean,
  known: Map<string, Words>,
): ReadPart {
  const read: ReadLine[] = [];
  for (const { text, runs, row, quoted } of lines)
    read.push({ text, runs, row, quoted: quoted && marksQuotes, words: findPartWords(text, known) });
  return { source, lines: read };
}

function findPartWords(text: string, known: Map<string, Words>): Words {
  let words = known.get(text);
  if (!words) {
    const { hits, kinds, charKinds } = findWords(text);
    const trueHits = findOwnNumbers(text, markFalseCodes(text, hits, kinds), charKinds);
    words = { hits, kinds, charKinds, trueHits, trueKinds: mergeKinds(trueHits) };
    known.set(text, words);
  }
  return words;
}

function findUsualSize(lines: Line[]): number {
  const chars = new Map<number, number>();
  for (const { runs, text } of lines) {
    for (let index = 0; index < runs.length; index++) {
      const { start, look } = runs[index]!;
      const end = runs[index + 1]?.start ?? text.length;
      chars.set(look.size, (chars.get(look.size) ?? 0) + end - start);
    }
  }
  let usual = PLAIN_LOOK.size;
  let most = 0;
  for (const [size, count] of chars) if (count > most) [usual, most] = [size, count];
  return usual;
}

const findBitNumber = (bit: number) => 31 - Math.clz32(bit);

const FOOTER = kind.footer;
/** The kinds that count in small print: its numbers are the sender's own. */
const IN_FOOTER = ~kind.order;

function countWords(...parts: ReadPart[]): Uint32Array {
  const counts = new Uint32Array(32);
  for (const { lines } of parts) {
    for (const { words, quoted } of lines) {
      if (quoted) continue;
      const counted = (words.kinds & FOOTER) === 0 ? ~0 : IN_FOOTER;
      for (const hit of words.hits)
        for (let left = hit.kinds & counted; left !== 0; left &= left - 1)
          counts[findBitNumber(left & -left)]!++;
    }
  }
  return counts;
}

/** Whether the mail has any word of these kinds. */
export function hasWordOf({ counts }: ReadMail, bits: number): boolean {
  for (let number = 0; number < counts.length; number++)
    if (counts[number]! > 0 && bits & (1 << number)) return true;
  return false;
}

const MEETING =
  /\bmeeting[ -]?id\b|\bjoin (?:the|this|your|zoom|teams|my)?\s?meeting\b|\bwebinar id\b|ミーティング\s?id|会议号|會議號|회의\s?id|id de (?:la )?reunión|id de réunion|besprechungs-id/i;

/** Whether the mail is an invitation to a meeting: its passcode and its link sign nobody in to an account. */
export const isMeeting = (reading: ReadMail) =>
  (reading.bodyKinds & kind.badcode) !== 0 &&
  reading.body.lines.some(({ text, words }) => words.kinds & kind.badcode && MEETING.test(text));

/** How often a kind of word occurs, as a number from 0 to 1. `enough` times or more is 1. */
export const measureShare = (reading: ReadMail, bit: number, enough: number) =>
  Math.min(1, reading.counts[findBitNumber(bit)]! / enough);

/** Lines before a link whose words count as its surroundings. */
const LINES_BEFORE = 3;

/** Returns the kinds of words in a link's line and in the non-empty lines before it. */
export function collectKinds(part: ReadPart, index: number): number {
  let kinds = 0;
  let seen = 0;
  for (let near = index; near >= 0 && seen <= LINES_BEFORE; near--) {
    const line = part.lines[near];
    if (!line || line.text === '') continue;
    seen++;
    kinds |= line.words.kinds;
  }
  return kinds;
}
