/** Features of the words near a candidate, in its line and the adjacent ones, by kind and distance. */
import type { Occurrence } from './candidates.ts';
import { at, type Place } from './code-vector.ts';
import { findLabelKinds } from './label.ts';
import { type Hit, kind } from './lexicon.ts';
import { NAMES_NUMBER } from './own-number.ts';
import type { ReadLine, ReadPart } from './reading.ts';
import { mark, raise, type Vector } from './vector.ts';

/** Characters over which a word's nearness falls to a third. */
const NEAR = 25;
/** The characters for the subject of a sentence: "Your OTP for the purchase of … at … is 482913". */
const NEAR_SUBJECT = 60;
const SENTENCE_END = /[.!?]\s|[。！？।]/g;
/** A sentence boundary in between counts as this many characters. */
const SENTENCE = 15;

/** The words of a candidate's line, on both sides, and their distances from it. */
class Sides {
  private readonly hits: Hit[];
  private readonly kinds: number;
  private readonly distances: number[];

  constructor(
    line: ReadLine,
    private readonly place: Occurrence,
  ) {
    const { trueHits, trueKinds } = line.words;
    this.kinds = trueKinds;
    this.hits = trueKinds & NAMES_NUMBER ? trueHits.map((hit) => withoutOther(hit, place)) : trueHits;
    const ends = this.hits.length > 0 ? findSentenceEnds(line.text) : [];
    this.distances = this.hits.map((hit) =>
      hit.end <= place.start
        ? measureDistance(ends, hit.end, place.start)
        : measureDistance(ends, place.end, hit.start),
    );
  }

  /** Nearness of the nearest word of these kinds before the candidate, from 0 to 1. */
  before(bits: number, near = NEAR): number {
    if ((this.kinds & bits) === 0) return 0;
    let nearest = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.hits.length; index++) {
      const { kinds, end } = this.hits[index]!;
      if (kinds & bits && end <= this.place.start) nearest = Math.min(nearest, this.distances[index]!);
    }
    return Math.exp(-nearest / near);
  }

  after(bits: number, near = NEAR): number {
    if ((this.kinds & bits) === 0) return 0;
    let nearest = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.hits.length; index++) {
      const { kinds, start } = this.hits[index]!;
      if (kinds & bits && start >= this.place.end) nearest = Math.min(nearest, this.distances[index]!);
    }
    return Math.exp(-nearest / near);
  }

  either(bits: number, near = NEAR): number {
    return Math.max(this.before(bits, near), this.after(bits, near));
  }
}

/**
 * Removes the kinds that name a number from a word that has its own: it says nothing about others. "Your code for
 * ticket 77100292 is 482913 (ref. KXQP9)".
 */
function withoutOther(hit: Hit, { start, end }: Occurrence): Hit {
  const isOther = hit.numberEnd !== undefined && (hit.numberEnd <= start || hit.end >= end);
  return isOther ? { ...hit, kinds: hit.kinds & ~NAMES_NUMBER } : hit;
}

function findSentenceEnds(text: string): number[] {
  const ends: number[] = [];
  SENTENCE_END.lastIndex = 0;
  for (let match = SENTENCE_END.exec(text); match; match = SENTENCE_END.exec(text)) ends.push(match.index);
  return ends;
}

/**
 * Measures a distance in characters; each sentence boundary in between adds some.
 *
 * @param ends positions where sentences end, rising.
 */
function measureDistance(ends: number[], from: number, to: number): number {
  const between = countBefore(ends, to - 1) - countBefore(ends, from);
  return Math.max(0, to - from + Math.max(0, between) * SENTENCE - 3);
}

function countBefore(rising: number[], limit: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Words about a sign-in, a confirmation, a new password. */
export const ACT = kind.verify | kind.signin | kind.reset;

/** Marks the features of the words around a place. */
export function markWords(vector: Vector, { occurrence, part, index }: Place): void {
  const line = part.lines[index]!;
  const { text } = line;
  const { start, end } = occurrence;
  const side = new Sides(line, occurrence);
  const linesBefore = collectKinds(part, index, -1, 4);
  const linesAfter = collectKinds(part, index, 1, 3);
  const prev = (bits: number, lines = 4) => scoreNearLines(linesBefore, lines, bits);
  const next = (bits: number, lines = 1) => scoreNearLines(linesAfter, lines, bits);
  const bare = text.length - (end - start) <= 12;
  const label = findLabelKinds(part, index, occurrence);
  // A label of its own outweighs what the lines before are about.
  const isUnlabelled = bare && label === null;
  const isSaid = IS.test(text.slice(Math.max(0, start - 12), start));
  raise(vector, at.strong_before, side.before(kind.strong, isSaid ? NEAR_SUBJECT : NEAR));
  raise(vector, at.strong_after, side.after(kind.strong, 40));
  raise(vector, at.strong_prev, prev(kind.strong) * (bare ? 1 : 0.5));
  raise(vector, at.strong_next, bare ? next(kind.strong) : 0);
  raise(vector, at.code_before, side.before(kind.code, isSaid ? NEAR_SUBJECT : NEAR));
  raise(vector, at.code_after, side.after(kind.code, 40));
  raise(vector, at.code_prev, prev(kind.code) * (bare ? 1 : 0.5));
  raise(vector, at.code_next, bare ? next(kind.code) : 0);
  raise(vector, at.pass_near, Math.max(side.either(kind.pass), bare ? prev(kind.pass, 2) : 0));
  raise(vector, at.act_near, side.either(ACT, 50));
  raise(vector, at.act_prev, prev(ACT));
  raise(vector, at.enter_before, side.before(kind.enter, 6));
  raise(vector, at.enter_near, Math.max(side.either(kind.enter, 40), prev(kind.enter, 2)));
  raise(
    vector,
    at.expire_near,
    Math.max(side.either(kind.expire, 80), prev(kind.expire, 3), next(kind.expire, 3)),
  );
  raise(
    vector,
    at.share_near,
    Math.max(side.either(kind.share, 80), next(kind.share, 3), prev(kind.share, 3)),
  );
  mark(vector, at.is_near, isSaid || isNamedBeside(text, occurrence));
  const orderAfter = CLAUSE_END.test(text.slice(end, end + 2)) ? 0 : side.after(kind.order, 4);
  raise(vector, at.order_before, Math.max(side.before(kind.order, 15), orderAfter));
  raise(vector, at.order_prev, isUnlabelled && !codesIn(part, index - 1) ? prev(kind.order, 1) : 0);
  raise(vector, at.promo_near, side.either(kind.promo, 40));
  raise(vector, at.promo_prev, Math.max(prev(kind.promo, 2), next(kind.promo, 2)));
  raise(vector, at.badcode_near, Math.max(side.before(kind.badcode, 30), side.after(kind.badcode, 20)));
  raise(vector, at.badcode_near, isUnlabelled ? prev(kind.badcode, 2) : 0);
  raise(vector, at.ending_before, side.before(kind.ending, 12));
  raise(vector, at.stale_before, side.before(kind.stale, 25));
  raise(vector, at.negate_before, side.before(kind.negate, 6));
  raise(vector, at.example_before, side.before(kind.example, 15));
  raise(vector, at.unit_after, findUnitAfter(part, index, occurrence, side));
  if (end - start <= 4) raise(vector, at.month_near, side.either(kind.month, 4));
  raise(vector, at.user_near, Math.max(side.before(kind.user, 12), isUnlabelled ? prev(kind.user, 2) : 0));
  if (label !== null) markLabel(vector, label);
  raise(vector, at.phone_near, side.either(kind.phone, 8));
  raise(vector, at.street_near, side.either(kind.street, 10));
  mark(vector, at.street_near, isBelowStreet(part, index, occurrence));
}

/** Words in the label of a code. */
const CODE_LABEL = kind.code | kind.strong | kind.pass;
/** A label without any of these words names something else. */
const OPEN_LABEL = CODE_LABEL | ACT | kind.enter | kind.expire | kind.go | kind.ignore | kind.share;

/** Marks what the label of a value says. "Meter reading: 88345" says more than all words further away. */
function markLabel(vector: Vector, kinds: number): void {
  mark(vector, at.label_code, kinds & CODE_LABEL && !(kinds & kind.badcode));
  mark(vector, at.label_strong, kinds & kind.strong);
  mark(vector, at.label_other, !(kinds & OPEN_LABEL));
  mark(vector, at.user_label, kinds & kind.user);
}

/** The place after a postal code: "Hamburg", "EA Amsterdam". */
const PLACE = /^\s\p{Lu}[\p{L}.'-]*(?:\s\p{L}[\p{L}.'-]*){0,3},?$/u;
/** A street with its number, after or before it: "Musterweg 17", "12 rue des Lilas". */
const STREET = /\p{L}\.?,?\s\d{1,4}\s?[a-z]?,?$|^\d{1,4}[a-z]?,?\s\p{L}/iu;

/** Whether a number at the start of a line is the postal code of an address: "Musterweg 17", "20095 Hamburg". */
const isBelowStreet = ({ lines }: ReadPart, index: number, { start, end }: Occurrence) =>
  start === 0 && PLACE.test(lines[index]!.text.slice(end)) && STREET.test(lines[index - 1]?.text ?? '');

const CLAUSE_END = /^\s?[,;.:!?、，；。：！？]/;
const IS =
  /(?:\b(?:is|ist|lautet|est|es|é|è|er|är|luidt|on|jest|brzmi|je|este|adalah|là|la)|[:：는은は为為是]|إلى|هو|है)\s?["“*(]*$/i;

/** A word at the start of brackets, before a candidate that ends them: "(Code 482913)". */
const WORD_IN_BRACKETS = /[(（[]\p{L}[\p{L}\p{M}-]{0,20}[:：]?\s$/u;
/** Whether its line says what it is: "It is 482913", "482913 is what you need". */
export const isSaid = ({ occurrence: { start, end }, part, index }: Place) => {
  const { text } = part.lines[index]!;
  return IS.test(text.slice(Math.max(0, start - 12), start)) || IS_AFTER.test(text.slice(end, end + 12));
};

const isNamedBeside = (text: string, { start, end }: Occurrence) =>
  IS_AFTER.test(text.slice(end, end + 12)) ||
  (/[)）\]]/.test(text[end] ?? '') && WORD_IN_BRACKETS.test(text.slice(Math.max(0, start - 25), start)));

const IS_AFTER =
  /^["”*)]*(?:\s(?:is|ist|est|es|é|è|er|är|on|jest|je|este|adalah|là|la|to|е|це|هو|هي)\s|\s?[是为為がは은는이가])/i;

const codesIn = (part: ReadPart, index: number) =>
  ((part.lines[index]?.words.kinds ?? 0) & (kind.code | kind.strong)) !== 0;

/** How near a unit is after the number: "10432 steps", also with the number in large type on its own line. */
function findUnitAfter(part: ReadPart, index: number, { end }: Occurrence, side: Sides): number {
  const { text } = part.lines[index]!;
  if (/^\s?\p{L}/u.test(text.slice(end, end + 2))) return side.after(kind.unit, 4);
  const below = part.lines[index + 1];
  return end === text.length && below?.words.hits.some((hit) => hit.start === 0 && hit.kinds & kind.unit)
    ? 1
    : 0;
}

/** Returns the kinds of words in the non-empty lines before or after, nearest first. */
function collectKinds(part: ReadPart, index: number, step: 1 | -1, lines: number): number[] {
  const kinds: number[] = [];
  for (let near = index + step; kinds.length < lines; near += step) {
    const line = part.lines[near];
    if (!line) break;
    if (line.text !== '') kinds.push(line.words.trueKinds);
  }
  return kinds;
}

/** Scores a word in the adjacent lines: 1 in the nearest line, less further away, 0 without one. */
function scoreNearLines(kinds: number[], lines: number, bits: number): number {
  for (let index = 0; index < lines && index < kinds.length; index++)
    if (kinds[index]! & bits) return 1 - index * 0.2;
  return 0;
}
