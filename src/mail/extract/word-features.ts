/** Words beside a candidate, in its line and the lines around, by kind and nearness. */
import type { Occurrence } from './candidates.ts';
import type { CodeVector, Place } from './code-vector.ts';
import { type Hit, kind } from './lexicon.ts';
import type { Part, ReadLine } from './reading.ts';

/** Characters after which a word's nearness has fallen to a third. */
const NEAR = 25;
const SENTENCE_END = /[.!?。！？।]\s/g;
/** A sentence between counts as this many characters. */
const SENTENCE = 15;

type Side = {
  before: (bits: number, near?: number) => number;
  after: (bits: number, near?: number) => number;
};

function sidesOf(line: ReadLine, { start, end }: Occurrence, hits: Hit[]): Side {
  const nearness = (from: number, to: number, near: number) => {
    const ends = line.text.slice(from, to).match(SENTENCE_END)?.length ?? 0;
    return Math.exp(-Math.max(0, to - from + ends * SENTENCE - 3) / near);
  };
  const best = (bits: number, of: (hit: Hit) => number) => {
    let most = 0;
    for (const hit of hits) if (hit.kinds & bits) most = Math.max(most, of(hit));
    return most;
  };
  return {
    before: (bits, near = NEAR) =>
      best(bits, (hit) => (hit.end <= start ? nearness(hit.end, start, near) : 0)),
    after: (bits, near = NEAR) =>
      best(bits, (hit) => (hit.start >= end ? nearness(end, hit.start, near) : 0)),
  };
}

/** Words of a sign-in, a confirmation, a new password. */
export const ACT = kind.verify | kind.signin | kind.reset;

/** What the words around a place say. */
export function wordFeatures({ occurrence, part, index }: Place): Partial<CodeVector> {
  const line = part.lines[index]!;
  const hits = withoutFalseCodes(line.hits);
  const side = sidesOf(line, occurrence, hits);
  const { text } = line;
  const bare = text.length - (occurrence.end - occurrence.start) <= 12;
  const prev = (bits: number, lines = 4) => nearLines(part, index, -1, lines, bits);
  const next = (bits: number, lines = 1) => nearLines(part, index, 1, lines, bits);
  const either = (bits: number, near?: number) => Math.max(side.before(bits, near), side.after(bits, near));
  return {
    strong_before: side.before(kind.strong),
    strong_after: side.after(kind.strong, 40),
    strong_prev: prev(kind.strong) * (bare ? 1 : 0.5),
    strong_next: bare ? next(kind.strong) : 0,
    code_before: side.before(kind.code),
    code_after: side.after(kind.code, 40),
    code_prev: prev(kind.code) * (bare ? 1 : 0.5),
    code_next: bare ? next(kind.code) : 0,
    pass_near: Math.max(either(kind.pass), bare ? prev(kind.pass, 2) : 0),
    act_near: either(ACT, 50),
    act_prev: prev(ACT),
    enter_before: side.before(kind.enter, 6),
    enter_near: Math.max(either(kind.enter, 40), prev(kind.enter, 2)),
    expire_near: Math.max(either(kind.expire, 80), prev(kind.expire, 3), next(kind.expire, 3)),
    share_near: Math.max(either(kind.share, 80), next(kind.share, 3), prev(kind.share, 3)),
    is_near: Number(
      /(?:\b(?:is|ist|est|es|é|è|er|är|on|jest|je|este|adalah|là|la)|[:：는은は为為是]|إلى|هو|है)\s?["“*(]*$/i.test(
        text.slice(Math.max(0, occurrence.start - 12), occurrence.start),
      ),
    ),
    order_before: Math.max(side.before(kind.order, 15), side.after(kind.order, 4)),
    order_prev: bare && !codesIn(part, index - 1) ? prev(kind.order, 1) : 0,
    promo_near: either(kind.promo, 40),
    promo_prev: Math.max(prev(kind.promo, 2), next(kind.promo, 2)),
    badcode_near: Math.max(spread(line, kind.badcode, occurrence), bare ? prev(kind.badcode, 2) : 0),
    ending_before: side.before(kind.ending, 12),
    stale_before: side.before(kind.stale, 25),
    negate_before: side.before(kind.negate, 6),
    example_before: side.before(kind.example, 15),
    unit_after: unitAfter(part, index, occurrence, side),
    month_near: either(kind.month, 4),
    phone_near: either(kind.phone, 8),
    street_near: either(kind.street, 10),
  };
}

export const hasBit = (hits: Hit[], bits: number) => hits.some(({ kinds }) => kinds & bits);
const codesIn = (part: Part, index: number) => hasBit(part.lines[index]?.hits ?? [], kind.code | kind.strong);

/** Code words that belong to "promotion code", "postal code" or "order code" say nothing of a sign-in. */
function withoutFalseCodes(hits: Hit[]): Hit[] {
  const bad = hits.filter(({ kinds }) => kinds & kind.badcode);
  if (bad.length === 0) return hits;
  const inside = (hit: Hit) => bad.some(({ start, end }) => hit.start < end && start < hit.end);
  return hits.filter(
    (hit) => !(hit.kinds & (kind.code | kind.strong)) || hit.kinds & kind.badcode || !inside(hit),
  );
}

function spread(line: ReadLine, bits: number, occurrence: Occurrence): number {
  const side = sidesOf(line, occurrence, line.hits);
  return Math.max(side.before(bits, 30), side.after(bits, 20));
}

/** "10432 steps", also with the number in large type on a line of its own. */
function unitAfter(part: Part, index: number, { end }: Occurrence, side: Side): number {
  const { text } = part.lines[index]!;
  if (/^\s?\p{L}/u.test(text.slice(end, end + 2))) return side.after(kind.unit, 4);
  const below = part.lines[index + 1];
  return end === text.length && below?.hits.some((hit) => hit.start === 0 && hit.kinds & kind.unit) ? 1 : 0;
}

/** A word in the lines before or after: 1 in the next one, less further off. */
function nearLines(part: Part, index: number, step: 1 | -1, lines: number, bits: number): number {
  let seen = 0;
  for (let at = index + step; at >= 0 && at < part.lines.length && seen < lines; at += step) {
    const line = part.lines[at]!;
    if (line.text === '') continue;
    seen++;
    if (hasBit(withoutFalseCodes(line.hits), bits)) return 1 - (seen - 1) * 0.2;
  }
  return 0;
}
