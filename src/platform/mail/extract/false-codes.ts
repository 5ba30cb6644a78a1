/**
 * Finds code words that are part of the name of another number: "promotion code", "booking code", "customer number".
 */
import { type Hit, kind } from './lexicon.ts';

const CODE_WORDS = kind.code | kind.strong;
/** Words for what other numbers are for. */
const OTHERS = kind.order | kind.promo | kind.badcode;
/** Words for what a one-time code is for. */
const PURPOSES = kind.strong | kind.verify | kind.signin | kind.reset | kind.enter | kind.pass;
/** "código de reserva", "kod rezerwacji", "Code der Buchung": at most a short word between the two. */
const JOINT =
  /^(?:['’\s-]|\s(?:de|da|do|di|du|der|des|van|til|for|på|of|la|le|el|del|della|zur|zum)\s|\sd['’]|\sl['’])?$/i;
/** Words for "number", whose meaning depends on the noun before them. */
const NUMBER = /^(?:番号|번호|号码|號碼|编号|編號)$/;
/** What is not a noun: "this number", "the number below", and particles that end another word. */
const NO_NOUN =
  /(?:この|その|の|は|を|、|。|以下|下記|此|该|該|的|아래|다음|이|위|의|은|는|을|를|한|된|할)\s?$/;
const ASIAN_NOUN = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}ー]\s?$/u;

/** Characters between the starts of two words that can belong together. Bounds the work for a long line. */
const NEAR_CHARS = 60;

/** Marks code words that name another number as `badcode`, and removes those inside a longer word for a password. */
export function markFalseCodes(text: string, hits: Hit[], kinds: number): Hit[] {
  if ((kinds & CODE_WORDS) === 0) return hits;
  const kept: Hit[] = [];
  for (let index = 0; index < hits.length; index++) {
    const hit = hits[index]!;
    const isCode = hit.kinds & CODE_WORDS && !(hit.kinds & kind.badcode);
    const judged = isCode ? judgeCode(text, hit, findNear(hits, index)) : hit;
    if (judged) kept.push(judged);
  }
  return kept;
}

/** Returns the code word with the kinds that it counts as; null if it is part of a longer word. */
function judgeCode(text: string, hit: Hit, near: Hit[]): Hit | null {
  if (near.some((word) => word.kinds & (kind.badcode | kind.pass) && isInside(hit, word))) return null;
  if (hit.kinds & kind.strong) return hit;
  // "verification code for ticket 77100292": the word is part of a name that says what the code is for.
  if (near.some((word) => word.kinds & kind.strong && isInside(hit, word))) return hit;
  const isOther =
    near.some((word) => word.kinds & OTHERS && !(word.kinds & CODE_WORDS) && isInside(hit, word)) ||
    near.some((word) => word.kinds & OTHERS && word.end - word.start > 2 && isJoined(text, hit, word)) ||
    isNumberOfOther(text, hit, near);
  return isOther ? { ...hit, kinds: kind.badcode } : hit;
}

/** Returns the hits near one. All hits are in the order of their starts. */
function findNear(hits: Hit[], index: number): Hit[] {
  const { start } = hits[index]!;
  let from = index;
  let to = index;
  while (from > 0 && start - hits[from - 1]!.start < NEAR_CHARS) from--;
  while (to + 1 < hits.length && hits[to + 1]!.start - start < NEAR_CHARS) to++;
  return hits.slice(from, to + 1).filter((hit) => hit !== hits[index]);
}

/** Whether a hit is inside a longer word: "adgangskode" is a password, although it contains `kode`. */
function isInside(hit: Hit, { start, end, kinds }: Hit): boolean {
  const isLonger = kinds & kind.badcode || end - start > hit.end - hit.start;
  return Boolean(isLonger) && hit.start < end && start < hit.end;
}

function isJoined(text: string, hit: Hit, other: Hit): boolean {
  const [first, second] = other.start < hit.start ? [other, hit] : [hit, other];
  if (second.start < first.end) return false;
  // The tables have stems, so the rest of the word belongs to the first ("Buchung|scode", "rezerwac|ji").
  const gap = text.slice(first.end, second.start).replace(/^\p{L}{1,8}/u, '');
  return JOINT.test(gap);
}

function isNumberOfOther(text: string, hit: Hit, hits: Hit[]): boolean {
  if (!NUMBER.test(text.slice(hit.start, hit.end))) return false;
  const before = text.slice(Math.max(0, hit.start - 4), hit.start);
  if (!ASIAN_NOUN.test(before) || NO_NOUN.test(before)) return false;
  return !hits.some(({ kinds, end }) => kinds & PURPOSES && end <= hit.start && hit.start - end <= 1);
}
