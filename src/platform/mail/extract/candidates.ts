/** Finds strings in a line that have the form of a code. Whether one is a code is decided by score.ts. */

import { isAssignedCode } from './assigned-code.ts';
import { findWords, kind } from './lexicon.ts';
import { isFree, type Masked, maskLine } from './mask.ts';

/** A string in the form of a code, at one place. */
export interface Occurrence {
  /** Its normal form, as a person would type it (docs/decisions.md, Wait and stream). */
  code: string;
  start: number;
  end: number;
  form: 'digits' | 'groups' | 'spaced' | 'mixed' | 'letters';
  /** Whether it is a domain-bound code (`@example.com #123456`) or like `G-123456`: nothing else has these forms. */
  marked: boolean;
  /** Whether it is in a span that may be something else (mask.ts). */
  doubtful: boolean;
}

/** Occurrences in a line. A line with more is a table of numbers. */
const IN_LINE_MAX = 30;
const CODE_MIN = 4;
const CODE_MAX = 12;
/** Characters of letters and digits mixed: recovery codes are longer than others. */
const MIXED_MAX = 24;
const DIGITS_MAX = 10;
/** Characters of a code whose characters are separate. */
const SPACED_MAX = 10;

/** A run of ASCII letters and digits. Characters of other scripts may touch it. */
interface Atom {
  start: number;
  end: number;
  /** Kinds of characters in it. */
  has: number;
  /** The single character between it and the next atom; empty if there are several, or it is the last. */
  gap: string;
}

const DIGIT = 1;
const CAPITAL = 2;
const SMALL = 4;

/** Letters that belong to the same word as an ASCII one. */
const SAME_WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}_]/u;
const DASHES = '-‐‑–—';
const JOINTS = new Set(`${DASHES}·`);
/** Characters inside names and numbers: `a-b`, `1.2`, `a/b`, `a_b`. */
const IN_NAMES = new Set(`${DASHES}·./_+=&'’`);
/** Characters that attach a grammatical ending to a number. */
const BEFORE_ENDING = new Set("-‐‑–'’");
const ORDINAL =
  /^\d+(?:st|nd|rd|th|am|pm|px|pt|gb|mb|kb|tb|kg|km|mi|hr|hrs|min|mins|sec|x|k|m|w|v|mm|cm|ml|hz|mhz|ghz|fps|mbps|kwh|mah|bit|er|en|e|º|ª)$/i;

/** Every form has a digit or two consecutive capitals; most lines have neither. */
const ANY_FORM = /\d|[A-Z]{2}/;

/** Finds everything in a line that has the form of a code, from left to right. */
export function findOccurrences(text: string): Occurrence[] {
  const found: Occurrence[] = [];
  if (!ANY_FORM.test(text)) return found;
  // Computed only when there is something that it could cover.
  let masked: Masked | undefined;
  const atoms = findAtoms(text);
  for (let index = 0; index < atoms.length && found.length < IN_LINE_MAX; ) {
    if (isPlainWord(atoms[index]!)) {
      index++;
      continue;
    }
    const size = runLength(text, atoms, index);
    const occurrence = findSpaced(text, atoms, index) ?? findGroups(text, atoms, index, size);
    if (occurrence) {
      masked ??= maskLine(text);
      if (isFree(occurrence.value, masked)) {
        found.push(finish(text, occurrence.value, masked));
        index += occurrence.atoms;
        continue;
      }
    }
    const groups = spacedGroups(atoms, index);
    if (groups > 2) {
      // A longer number in groups: no part of it is a code.
      index += groups;
      continue;
    }
    const single = size === 1 ? findSingle(text, atoms[index]!) : undefined;
    if (single) {
      masked ??= maskLine(text);
      if (isFree(single, masked)) found.push(finish(text, single, masked));
    }
    index += size;
  }
  return found;
}

function findAtoms(text: string): Atom[] {
  const atoms: Atom[] = [];
  let last: Atom | undefined;
  for (let index = 0; index < text.length; index++) {
    const has = classifyCharacter(text.charCodeAt(index));
    if (has === 0) continue;
    if (last?.end === index) {
      last.end++;
      last.has |= has;
      continue;
    }
    if (last?.end === index - 1) last.gap = text[index - 1]!;
    last = { start: index, end: index + 1, has, gap: '' };
    atoms.push(last);
  }
  return atoms;
}

function classifyCharacter(unit: number): number {
  if (unit >= 0x61) return unit <= 0x7a ? SMALL : 0;
  if (unit >= 0x41) return unit <= 0x5a ? CAPITAL : 0;
  return unit >= 0x30 && unit <= 0x39 ? DIGIT : 0;
}

const countChars = ({ start, end }: Atom) => end - start;
const sliceAtom = (text: string, { start, end }: Atom) => text.slice(start, end);

/** Lower-case letters only, with nothing attached: most of every text, and never a code. */
const isPlainWord = ({ has, gap }: Atom) => (has & DIGIT) === 0 && (has & SMALL) !== 0 && !IN_NAMES.has(gap);

const isNumber = (atom: Atom, min: number, max: number) =>
  atom.has === DIGIT && countChars(atom) >= min && countChars(atom) <= max;

type Bare = Pick<Occurrence, 'code' | 'start' | 'end' | 'form'> & { marked?: boolean };

function finish(text: string, bare: Bare, { spans }: Masked): Occurrence {
  const { start, end } = bare;
  const bound = text[start - 1] === '#' && /@[\w.-]+\s#$/.test(text.slice(Math.max(0, start - 260), start));
  return {
    ...bare,
    marked: bare.marked === true || bound,
    doubtful: spans.some((span) => span.start < end && start < span.end),
  };
}

/** Counts the atoms that are joined by characters that occur inside names and numbers. */
function runLength(text: string, atoms: Atom[], from: number): number {
  let to = from;
  for (; to + 1 < atoms.length; to++) {
    const [atom, next] = [atoms[to]!, atoms[to + 1]!];
    if (!IN_NAMES.has(atom.gap)) break;
    // "123456.Enter it": a full stop without a space after it.
    if (
      atom.gap === '.' &&
      isNumber(atom, 4, 10) &&
      classifyCharacter(text.charCodeAt(next.start)) === CAPITAL
    )
      break;
    if (from === to && (isSuffix(atom, next) || isNameOf(text, atom, next))) break;
  }
  return to - from + 1;
}

/** Whether the next atom is a grammatical ending of a number: "640912-es", "917340'dır". */
const isSuffix = (atom: Atom, next: Atom) =>
  BEFORE_ENDING.has(atom.gap) && isNumber(atom, 4, 10) && next.has === SMALL && countChars(next) <= 5;

const isNameOf = (text: string, atom: Atom, next: Atom) =>
  atom.gap === '=' && isNumber(next, 4, 10) && isAssignedCode(text, next.start);

const touches = (text: string, start: number, end: number) =>
  SAME_WORD.test(text[start - 1] ?? ' ') ||
  SAME_WORD.test(text[end] ?? ' ') ||
  /[=/\\&]/.test(text[start - 1] ?? ' ') ||
  // There is a dash at its edge, so this is only a part of something.
  (/[-‐‑]/.test(text[end] ?? ' ') && !/\p{L}/u.test(text[end + 1] ?? ' '));

/** Finds separate characters: `1 2 3 4 5 6`, `1-2-3-4`, `A 7 K 2 Q`. */
function findSpaced(text: string, atoms: Atom[], from: number) {
  const first = atoms[from]!;
  if (countChars(first) !== 1) return;
  let to = from;
  while (/^[ -]$/.test(atoms[to]!.gap) && countChars(atoms[to + 1]!) === 1) {
    to++;
    if (to - from >= SPACED_MAX) return;
  }
  const code = atoms
    .slice(from, to + 1)
    .map((atom) => sliceAtom(text, atom))
    .join('');
  const { end } = atoms[to]!;
  const isCode = /^\d{4,10}$/.test(code) || (/^[A-Z0-9]{5,10}$/.test(code) && /\d/.test(code));
  if (!isCode || touches(text, first.start, end)) return;
  const value: Bare = { code, start: first.start, end, form: 'spaced' };
  return { value, atoms: to - from + 1 };
}

/** Finds groups: `123 456`, `123-456`, `12 34 56`, `ABCD-EFGH`, `tt226-5398x`, `G-123456`. */
function findGroups(text: string, atoms: Atom[], from: number, joined: number) {
  const { gap } = atoms[from]!;
  if (gap === '.') return findPairs(text, atoms, from, joined) ?? findThousands(text, atoms, from);
  if (gap === ',') return findThousands(text, atoms, from);
  if (gap !== ' ' && !JOINTS.has(gap)) return;
  const several = gap === ' ' ? findMixedGroups(text, atoms, from) : undefined;
  if (several) return several;
  const size = gap === ' ' ? spacedGroups(atoms, from) : joined;
  if (size < 2) return;
  const group = atoms.slice(from, from + size);
  const has = group.reduce((all, atom) => all | atom.has, 0);
  if ((has & DIGIT) === 0 && (has & SMALL) !== 0) return;
  const [start, end] = [group[0]!.start, group.at(-1)!.end];
  if (touches(text, start, end)) return;
  const even = group.every((atom) => countChars(atom) === countChars(group[0]!));
  // Groups of different lengths are a code only if nothing follows that could be the rest of it.
  if (!even && gap === ' ' && !/^\s?(?:$|[.,;!?)\]"”。、])/.test(text.slice(end, end + 2))) return;
  if (gap !== ' ' && !group.slice(0, -1).every((atom) => JOINTS.has(atom.gap))) return;
  const parts = group.map((atom) => sliceAtom(text, atom));
  const value = groupValue(parts, text.slice(start, end));
  return value && { value: { ...value, start, end }, atoms: size };
}

/** Finds `48.29.13`. What could also be a date or a version is masked (mask.ts). */
function findPairs(text: string, atoms: Atom[], from: number, joined: number) {
  const pairs = atoms.slice(from, from + 3);
  if (joined !== 3 || !pairs.every((atom) => isNumber(atom, 2, 2)) || pairs[1]!.gap !== '.') return;
  const [start, end] = [pairs[0]!.start, pairs[2]!.end];
  if (touches(text, start, end)) return;
  const code = pairs.map((atom) => sliceAtom(text, atom)).join('');
  return { value: { code, start, end, form: 'groups' as const }, atoms: 3 };
}

/** Finds `482,913` and `482.913` where it is called a code. Any other is masked (mask.ts). */
function findThousands(text: string, atoms: Atom[], from: number) {
  const [first, second] = [atoms[from]!, atoms[from + 1]!];
  if (!isNumber(first, 3, 3) || !isNumber(second, 3, 3) || second.gap === first.gap) return;
  if (touches(text, first.start, second.end)) return;
  const code = sliceAtom(text, first) + sliceAtom(text, second);
  return { value: { code, start: first.start, end: second.end, form: 'groups' as const }, atoms: 2 };
}

/** Finds `39Z2 B94X E44P QW3V`: most groups have both letters and digits, which words don't. */
function findMixedGroups(text: string, atoms: Atom[], from: number) {
  const size = countMixedGroups(atoms, from);
  if (size < MIXED_GROUPS_MIN || size > MIXED_GROUPS_MAX) return;
  const group = atoms.slice(from, from + size);
  const mixed = group.filter(({ has }) => (has & DIGIT) !== 0 && has !== DIGIT).length;
  const [start, end] = [group[0]!.start, group.at(-1)!.end];
  const isMixed = size === 2 ? mixed === 2 : mixed * 2 >= size;
  if (!isMixed || touches(text, start, end)) return;
  const code = group.map((atom) => sliceAtom(text, atom)).join('');
  return { value: { code, start, end, form: 'mixed' as const }, atoms: size };
}

const MIXED_GROUPS_MIN = 2;
const MIXED_GROUPS_MAX = 8;

/** Counts groups of 4 to 6 characters, all of the same length and case. */
function countMixedGroups(atoms: Atom[], from: number): number {
  const length = countChars(atoms[from]!);
  if (length < 4 || length > 6) return 0;
  let to = from;
  let has = 0;
  for (; to < atoms.length && to - from <= MIXED_GROUPS_MAX && countChars(atoms[to]!) === length; to++) {
    has |= atoms[to]!.has;
    if ((has & CAPITAL) !== 0 && (has & SMALL) !== 0) return to - from;
    if (atoms[to]!.gap !== ' ') return to - from + 1;
  }
  return to - from;
}

function spacedGroups(atoms: Atom[], from: number): number {
  let to = from;
  while (atoms[to]!.gap === ' ' && isNumber(atoms[to]!, 2, 5) && isNumber(atoms[to + 1]!, 2, 5)) to++;
  return to - from + 1;
}

function groupValue(parts: string[], written: string) {
  const code = parts.join('');
  if (parts.every((part) => /^\d+$/.test(part))) {
    const lengths = new Set(parts.map((part) => part.length));
    const shortest = Math.min(...lengths);
    const fits =
      (parts.length <= 3 && lengths.size === 1 && shortest >= 2) || (parts.length === 2 && shortest >= 2);
    if (code.length < CODE_MIN || code.length > DIGITS_MAX || !fits) return;
    return { code, form: 'groups' as const };
  }
  if (written.includes(' ')) return;
  if (parts.length === 2 && /^[A-Z]$/.test(parts[0]!) && /^\d{4,8}$/.test(parts[1]!))
    return { code: parts[1]!, form: 'groups' as const, marked: true };
  const isLong = code.length > 16 || parts.length > 4;
  if (code.length < 6 || code.length > 40 || parts.length > 8) return;
  if (parts.some((part) => part.length < 2 || part.length > 8)) return;
  if (isLong && new Set(parts.map((part) => part.length)).size > 1) return;
  const isCode = /^[A-Z0-9]+$/.test(code) || (/\d/.test(code) && /[A-Za-z]/.test(code));
  if (!isCode || isPhrase(parts)) return;
  const form = /\d/.test(code) ? ('mixed' as const) : ('letters' as const);
  return { code: written.replace(/[‐‑–—·]/g, '-'), form };
}

/** Whether the parts are words ("24-hour", "30-day"). "mango-4417" may be a code. */
function isPhrase(parts: string[]): boolean {
  const pure = parts.every((part) => /^(?:\d+|[A-Za-z]+)$/.test(part));
  return pure && parts.some((part) => /[a-z]/.test(part)) && !parts.some((part) => /^\d{4,}$/.test(part));
}

function findSingle(text: string, atom: Atom): Bare | undefined {
  const { start, end, has } = atom;
  const max = has === DIGIT || (has & DIGIT) === 0 ? CODE_MAX : MIXED_MAX;
  if (countChars(atom) < CODE_MIN || countChars(atom) > max) return;
  if (has === DIGIT) {
    if (countChars(atom) > DIGITS_MAX || isPartOfName(text, start, end)) return;
    return { code: sliceAtom(text, atom), start, end, form: 'digits' };
  }
  if ((has & DIGIT) === 0 && has !== CAPITAL) return;
  const code = sliceAtom(text, atom);
  if (touches(text, start, end) || ORDINAL.test(code) || /[+@]/.test(text[start - 1] ?? '')) return;
  if (has & DIGIT) return { code, start, end, form: 'mixed' };
  // Most words in capitals are ordinary words. Those that the tables know are skipped.
  const { hits } = findWords(code);
  if (hits.some((hit) => hit.end - hit.start === code.length && hit.kinds !== kind.sum)) return;
  return { code, start, end, form: 'letters' };
}

/** Whether digits are part of a name or a longer number. In some scripts a word may touch a code: "123456です". */
function isPartOfName(text: string, start: number, end: number): boolean {
  const [before, after] = [text[start - 1] ?? ' ', text[end] ?? ' '];
  if (before === '=' && !isAssignedCode(text, start)) return true;
  return /[\p{Script=Latin}_/\\&+]/u.test(before) || /[\p{Script=Latin}_/=]/u.test(after);
}
