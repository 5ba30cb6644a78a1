/** The form of a candidate, and how and where it stands. */
import type { CodeVector, Place } from './code-vector.ts';
import { kind } from './lexicon.ts';
import { lookAt } from './page.ts';
import type { Part, Reading } from './reading.ts';

/** What the characters themselves say. */
export function formFeatures({ occurrence, part, index }: Place): Partial<CodeVector> {
  const { code, form, start } = occurrence;
  const { text } = part.lines[index]!;
  const length = code.replaceAll('-', '').length;
  const digits = /^\d+$/.test(code);
  return {
    ...(digits || length <= 9 ? { [`len${Math.min(length, 9)}`]: 1 } : {}),
    mixed: Number(form === 'mixed'),
    letters: Number(form === 'letters'),
    spaced: Number(form === 'spaced'),
    groups: Number(form === 'groups'),
    lower: Number(/^[a-z0-9-]*[a-z][a-z0-9-]*$/.test(code)),
    mixed_case: Number(/[a-z]/.test(code) && /[A-Z]/.test(code)),
    marked: Number(occurrence.marked),
    year: Number(/^[A-Za-z-]*(?:19[5-9]|20[0-4])\d$/.test(code)),
    round: Number(/^\d+000$|^(\d)\1+$|^\d{1,2}00$/.test(code)),
    namelike: Number(/^[A-Za-z]{3,}-?\d{1,2}$|^\d{1,2}-?[A-Za-z]{3,}$/.test(code)),
    uneven: Number(
      form === 'groups' &&
        new Set(
          text
            .slice(start, occurrence.end)
            .split(/\D/)
            .map((part) => part.length),
        ).size > 1 &&
        !occurrence.marked,
    ),
    wordlike: Number(form === 'letters' && isWordlike(code)),
    issue_key: Number(/^[A-Z]{2,10}-\d{1,6}$/.test(code)),
    dummy: Number(/^(\d)\1+$/.test(code) || '0123456789'.includes(code) || '9876543210'.includes(code)),
    doubtful: Number(occurrence.doubtful),
    hash_before: Number(
      !occurrence.marked && /(?:#|№|n[°ºo]\.?|nr\.?)\s?$/i.test(text.slice(Math.max(0, start - 5), start)),
    ),
  };
}

/** Vowels among the letters as in a word, and no pile of consonants. */
function isWordlike(code: string): boolean {
  const vowels = code.replace(/[^AEIOUY]/g, '').length;
  return vowels / code.length >= 0.25 && !/[^AEIOUY-]{4}/.test(code);
}

/** "Your code is 123456", said the mail: an example. The code alone in quotation marks is none. */
function isQuotation(before: string): boolean {
  const open = Math.max(before.lastIndexOf('“'), before.lastIndexOf('«'));
  const close = Math.max(before.lastIndexOf('”'), before.lastIndexOf('»'));
  const straight = before.split('"');
  const inside = open > close ? before.slice(open + 1) : straight.length % 2 === 0 ? straight.at(-1)! : '';
  return /\p{L}/u.test(inside);
}

function lineBefore(part: Part, index: number): string {
  for (let at = index - 1; at >= 0 && at >= index - 3; at--) {
    const { text } = part.lines[at]!;
    if (text !== '') return text;
  }
  return '';
}

const EDGE = /[\s*_"'`«»“”„‘’()[\]{}<>【】「」『』:：.,;!|#=~>→➜•·\p{Pd}\p{Extended_Pictographic}]/gu;

/** What its line and its looks say. */
export function placeFeatures(reading: Reading, { occurrence, part, index }: Place): Partial<CodeVector> {
  const line = part.lines[index]!;
  const { start, end } = occurrence;
  const before = line.text.slice(0, start);
  const after = line.text.slice(end);
  const look = lookAt(line, start);
  const own_line = before.replace(EDGE, '') === '' && after.replace(EDGE, '') === '';
  const marked = /[*_"'`«“„‘(["「『【《]\s?$/.test(before) && /^\s?[*_"'`»”“’)\]"」』】》]/.test(after);
  return {
    own_line: Number(own_line && part.source !== 'subject'),
    own_cell: Number(own_line && line.row >= 0),
    line_end: Number(!own_line && after.replace(EDGE, '') === ''),
    line_start: Number(!own_line && before.replace(EDGE, '') === ''),
    // "[ABC-123] …": what mailing lists and trackers put before a subject.
    tag: Number(
      part.source === 'subject' &&
        /^(?:\w{2,3}: )?\[[^\]]{0,40}$/.test(before) &&
        /^[^[]{0,40}\] /.test(after),
    ),
    in_quotation: Number(isQuotation(before)),
    emphasis: Number(marked && !own_line),
    large: Math.min(1, Math.max(0, look.size / reading.usual_size - 1.15)),
    bold: Number(look.bold),
    spaced_type: Number(look.spaced),
    mono: Number(look.mono),
    heading: Number(look.heading),
    in_link: Number(look.in_link),
    late: Math.min(1, index / 60),
    footer_line: Number(line.hits.some(({ kinds }) => kinds & kind.footer)),
    stands_out: own_line
      ? Math.max(
          Math.min(1, Math.max(0, look.size / reading.usual_size - 1)),
          look.bold ? 0.5 : 0,
          look.spaced ? 0.8 : 0,
        )
      : 0,
    colon_before: Number(
      /[:：﹕]\s?["“«*([]*$/.test(before) || (own_line && /[:：]$/.test(lineBefore(part, index))),
    ),
    subject_code: Number(
      part.source === 'subject' &&
        line.hits.some(({ kinds }) => kinds & (kind.code | kind.strong | kind.verify)),
    ),
  };
}
