/** Strings of a line that have a code's form. Whether one is a code, score.ts tells. */
import { findWords } from './lexicon.ts';
import { maskedSpans, type Span } from './mask.ts';

/** One place where something with the form of a code stands. */
export interface Occurrence {
  /** The normal form (decisions.md, Wait and stream): what a person would type. */
  code: string;
  start: number;
  end: number;
  form: 'digits' | 'groups' | 'spaced' | 'mixed' | 'letters';
  /** A domain-bound code, or `G-`: a form that nothing else has. */
  marked: boolean;
  /** In a span that may be something else. */
  doubtful: boolean;
}

/** Occurrences in one line; a line with more is a table of numbers. */
const IN_LINE_MAX = 30;
const CODE_MIN = 4;
const CODE_MAX = 12;
const DIGITS_MAX = 10;

interface Atom {
  text: string;
  start: number;
  end: number;
}

/** A run of letters and digits of ASCII; other scripts may touch it. */
const ATOM = /[0-9A-Za-z]+/g;
/** Letters that belong to the same word as an ASCII one. */
const SAME_WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}_]/u;
const JOINT = /^[-‐‑–—·]$/;
const GAP = /^ $/;
const ORDINAL =
  /^\d+(?:st|nd|rd|th|am|pm|px|pt|gb|mb|kb|tb|kg|km|mi|hr|hrs|min|mins|sec|x|k|m|w|v|mm|cm|ml|hz|mhz|ghz|fps|mbps|kwh|mah|bit|er|en|e|º|ª)$/i;

/** Every form has a digit or two capital letters in a row: most lines of most mails have neither. */
const ANY_FORM = /\d|[A-Z]{2}/;

/** Everything in the line with a code's form, from left to right. */
export function occurrencesIn(text: string): Occurrence[] {
  const found: Occurrence[] = [];
  if (!ANY_FORM.test(text)) return found;
  let known_spans: Span[] | undefined;
  // Looked for only when there is something that they could cover: it is the dearest look at a line.
  const spansOf = () => {
    known_spans ??= maskedSpans(text);
    return known_spans;
  };
  const atoms = atomsOf(text);
  for (let index = 0; index < atoms.length && found.length < IN_LINE_MAX; ) {
    const size = runLength(text, atoms, index);
    const occurrence = spacedOf(text, atoms, index) ?? groupsOf(text, atoms, index, size);
    if (occurrence && isFree(occurrence.value, spansOf())) {
      found.push(finish(text, occurrence.value, spansOf()));
      index += occurrence.atoms;
      continue;
    }
    const groups = spacedGroups(atoms, text, index);
    if (groups > 2) {
      // A longer number in groups: no part of it is a code.
      index += groups;
      continue;
    }
    const single = size === 1 ? singleOf(text, atoms[index]!) : undefined;
    if (single && isFree(single, spansOf())) found.push(finish(text, single, spansOf()));
    index += size;
  }
  return found;
}

function atomsOf(text: string): Atom[] {
  return Array.from(text.matchAll(ATOM), (found) => ({
    text: found[0],
    start: found.index,
    end: found.index + found[0].length,
  }));
}

type Bare = Pick<Occurrence, 'code' | 'start' | 'end' | 'form'> & { marked?: boolean };

function isFree({ start, end }: Bare, spans: Span[]): boolean {
  return !spans.some((span) => span.hard && span.start < end && start < span.end);
}

function finish(text: string, bare: Bare, spans: Span[]): Occurrence {
  const { start, end } = bare;
  const bound = text[start - 1] === '#' && /@[\w.-]+\s#$/.test(text.slice(Math.max(0, start - 260), start));
  return {
    ...bare,
    marked: bare.marked === true || bound,
    doubtful: spans.some((span) => span.start < end && start < span.end),
  };
}

const between = (text: string, left: Atom, right: Atom) => text.slice(left.end, right.start);

/** How many atoms hang together by what stands inside of names and numbers: `a-b`, `1.2`, `a/b`, `a_b`. */
function runLength(text: string, atoms: Atom[], from: number): number {
  let to = from;
  while (to + 1 < atoms.length && /^[-‐‑–—·./_+=&'’]$/.test(between(text, atoms[to]!, atoms[to + 1]!))) {
    const gap = between(text, atoms[to]!, atoms[to + 1]!);
    // "123456.Enter it": a full stop without the space after it.
    if (gap === '.' && /^\d{4,10}$/.test(atoms[to]!.text) && /^[A-Z]/.test(atoms[to + 1]!.text)) break;
    if (isSuffix(atoms, from, to, gap)) break;
    to++;
  }
  return to - from + 1;
}

/** "640912-es", "917340'dır": an ending of the language on the number. */
function isSuffix(atoms: Atom[], from: number, to: number, gap: string): boolean {
  return (
    from === to &&
    /^[-‐‑–'’]$/.test(gap) &&
    /^\d{4,10}$/.test(atoms[to]!.text) &&
    /^[a-z]{1,5}$/.test(atoms[to + 1]!.text)
  );
}

const touches = (text: string, start: number, end: number) =>
  SAME_WORD.test(text[start - 1] ?? ' ') ||
  SAME_WORD.test(text[end] ?? ' ') ||
  /[=/\\&]/.test(text[start - 1] ?? ' ') ||
  // A dash at its edge: the rest is missing.
  (/[-‐‑]/.test(text[end] ?? ' ') && !/\p{L}/u.test(text[end + 1] ?? ' '));

/** `1 2 3 4 5 6`, `1-2-3-4`, `A 7 K 2 Q`: characters one by one. */
function spacedOf(text: string, atoms: Atom[], from: number) {
  let to = from;
  const first = atoms[from]!;
  if (first.text.length !== 1) return;
  while (
    to + 1 < atoms.length &&
    atoms[to + 1]!.text.length === 1 &&
    /^[ -]$/.test(between(text, atoms[to]!, atoms[to + 1]!))
  )
    to++;
  const all = atoms.slice(from, to + 1).map((atom) => atom.text);
  const code = all.join('');
  const is_code = /^\d{4,10}$/.test(code) || (/^[A-Z0-9]{5,10}$/.test(code) && /\d/.test(code));
  if (!is_code || touches(text, first.start, atoms[to]!.end)) return;
  const value: Bare = { code, start: first.start, end: atoms[to]!.end, form: 'spaced' };
  return { value, atoms: all.length };
}

/** `123 456`, `123-456`, `12 34 56`, `ABCD-EFGH`, `tt226-5398x`, `G-123456`. */
function groupsOf(text: string, atoms: Atom[], from: number, joined: number) {
  const gap = atoms[from + 1] && between(text, atoms[from]!, atoms[from + 1]!);
  if (gap === undefined || !(JOINT.test(gap) || GAP.test(gap))) return;
  const size = GAP.test(gap) ? spacedGroups(atoms, text, from) : joined;
  if (size < 2) return;
  const group = atoms.slice(from, from + size);
  const parts = group.map((atom) => atom.text);
  const [start, end] = [group[0]!.start, group.at(-1)!.end];
  if (touches(text, start, end)) return;
  const even = new Set(parts.map((part) => part.length)).size === 1;
  // Groups of unlike length are a code only where nothing follows that could be the rest of it.
  if (!even && gap === ' ' && !/^\s?(?:$|[.,;!?)\]"”。、])/.test(text.slice(end, end + 2))) return;
  const value = groupValue(parts, gap === ' ' || same(text, group), text.slice(start, end));
  return value && { value: { ...value, start, end }, atoms: size };
}

const same = (text: string, group: Atom[]) =>
  group.slice(1).every((atom, index) => JOINT.test(between(text, group[index]!, atom)));

function spacedGroups(atoms: Atom[], text: string, from: number): number {
  let to = from;
  const is_group = (atom: Atom | undefined) => atom !== undefined && /^\d{2,5}$/.test(atom.text);
  while (is_group(atoms[to]) && is_group(atoms[to + 1]) && between(text, atoms[to]!, atoms[to + 1]!) === ' ')
    to++;
  return to - from + 1;
}

function groupValue(parts: string[], plain_joints: boolean, written: string) {
  const code = parts.join('');
  if (!plain_joints) return;
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
  if (code.length < 6 || code.length > 16 || parts.length > 4) return;
  if (parts.some((part) => part.length < 2 || part.length > 8)) return;
  const is_code = /^[A-Z0-9]+$/.test(code) || (/\d/.test(code) && /[A-Za-z]/.test(code));
  if (!is_code || isPhrase(parts)) return;
  const form = /\d/.test(code) ? ('mixed' as const) : ('letters' as const);
  return { code: written.replace(/[‐‑–—·]/g, '-'), form };
}

/** "24-hour", "30-day": words, not a code; "mango-4417" may be one. */
function isPhrase(parts: string[]): boolean {
  const pure = parts.every((part) => /^(?:\d+|[A-Za-z]+)$/.test(part));
  return pure && parts.some((part) => /[a-z]/.test(part)) && !parts.some((part) => /^\d{4,}$/.test(part));
}

function singleOf(text: string, { text: code, start, end }: Atom): Bare | undefined {
  if (code.length < CODE_MIN || code.length > CODE_MAX) return;
  if (/^\d+$/.test(code)) {
    if (code.length > DIGITS_MAX || isPartOfName(text, start, end)) return;
    return { code, start, end, form: 'digits' };
  }
  if (touches(text, start, end) || ORDINAL.test(code) || /[+@]/.test(text[start - 1] ?? '')) return;
  if (/\d/.test(code)) return { code, start, end, form: 'mixed' };
  // Capital letters are mostly words; those that are known are.
  if (!/^[A-Z]+$/.test(code) || findWords(code).some((hit) => hit.end - hit.start === code.length)) return;
  return { code, start, end, form: 'letters' };
}

/** Digits inside of a name or of a longer number. Words of most scripts may touch a code: "123456です". */
function isPartOfName(text: string, start: number, end: number): boolean {
  const [before, after] = [text[start - 1] ?? ' ', text[end] ?? ' '];
  return /[\p{Script=Latin}_=/\\&+]/u.test(before) || /[\p{Script=Latin}_/=]/u.test(after);
}
