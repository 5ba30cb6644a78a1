/** Finds all words of the tables in a line at once, in time that depends only on the line. */
import { foldCode, foldWord, NOTHING } from './fold.ts';
import { actionWords } from './words-action.ts';
import { againstWords } from './words-against.ts';
import { wordsByLanguage } from './words-by-language.ts';
import { codeWords } from './words-code.ts';
import { linkWords } from './words-link.ts';

const tables = { ...codeWords, ...actionWords, ...againstWords, ...linkWords };

/** The kinds of words. */
export type WordKind = keyof typeof tables;

const kinds = Object.keys(tables) as WordKind[];

/** One bit per kind; a word may have several. */
export const kind = Object.fromEntries(kinds.map((name, index) => [name, 2 ** index])) as Record<
  WordKind,
  number
>;

/** A word that was found. */
export interface Hit {
  start: number;
  end: number;
  /** Bits of `kind`. */
  kinds: number;
  /** Where the number that belongs to it ends (own-number.ts); undefined if it has none. */
  numberEnd?: number;
}

/** All words of a text, and which characters it has. */
export interface Found {
  hits: Hit[];
  /** The kinds of all hits together. */
  kinds: number;
  /** Bits of `charKind`. */
  charKinds: number;
}

/**
 * Kinds of characters that later patterns need, each a bit. A text without them is not searched with those patterns.
 */
export const charKind = { digit: 8, capital: 16, percent: 32, currency: 64, notAscii: 128 };
const CHAR_KINDS_MASK = 0xf8;

/** Letters of scripts without spaces between words, in which a word may begin anywhere; for a class of a pattern. */
export const UNSPACED_LETTERS =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af';
const UNSPACED = new RegExp(`^[${UNSPACED_LETTERS}]`);
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const ASIAN = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]/;

/** The words of all tables with their kinds: an entry for each time that a table lists a word. */
const entries = kinds.flatMap((name) => {
  const byLanguage = Object.values<Partial<Record<WordKind, string>>>(wordsByLanguage).map(
    (words) => words[name] ?? '',
  );
  return [...Object.values<string>(tables[name]), ...byLanguage].flatMap((words) =>
    words.split(',').map((written) => ({ written: written.trim(), bit: kind[name] })),
  );
});
/** The trie has at most as many nodes as the tables have characters. */
const NODES_MAX = entries.reduce((sum, { written }) => sum + written.length, 1);

/*
 * A trie of UTF-16 units. Most nodes have one child, which is the next node. The other edges are in one hash table of
 * two flat arrays. An object per node took 12 MB, a list of siblings took most of the time, and a table of all edges
 * did not fit into the processor's cache. Node 0 means none.
 */
const EDGE_SLOTS = 2 ** 14;
const HASH_SHIFT = 32 - Math.log2(EDGE_SLOTS);
const edgeKeys = new Uint32Array(EDGE_SLOTS);
const edgeTargets = new Uint16Array(EDGE_SLOTS);
let edgeCount = 0;
/** The unit that leads to a node. */
const unitOf = new Uint16Array(NODES_MAX + 1);
/** Kinds of the word that ends at a node, by where it counts: at a word's start, as a whole word, or anywhere. */
const prefix = new Uint32Array(NODES_MAX);
const whole = new Uint32Array(NODES_MAX);
const anywhere = new Uint32Array(NODES_MAX);
/** Flags of a node. */
const nodes = new Uint8Array(NODES_MAX);
/** A table word through this node may begin inside another word. */
const INSIDE = 1;
/** A table word ends at this node. */
const ENDS = 2;
/** The next node is its child. */
const NEXT = 4;
/** It has a child in the hash table. */
const ELSEWHERE = 8;
/** The node of each first unit, by unit: looked up for every character of every mail. */
const firstNodes = new Uint16Array(0x10000);

/**
 * A filter by the first four units of a word, if they are ASCII letters and spaces: by their hash, whether some table
 * word begins like this at a word's start (bit 1) or inside a word (bit 2). Most words of a mail don't pass.
 */
const BEGINNING = 4;
const beginnings = new Uint8Array(2 ** 15);
const NO_LETTER = 32;
/** 0 for a space, the position in the alphabet for an ASCII letter, NO_LETTER for anything else. */
const letters = new Uint8Array(0x10000).fill(NO_LETTER);
letters[0x20] = 0;
for (let place = 1; place <= 26; place++) letters[0x40 + place] = letters[0x60 + place] = place;

let lastNode = 0;
for (const { written, bit } of entries) add(written, bit);

/**
 * Adds a word as the tables write it. `word` begins where a word begins and may continue (`verif` finds
 * `verification`); `=word` is a whole word; `*word` may begin inside a word. A word of three letters or fewer is
 * always whole. A word with `*` is looked for at each of its first letters, which must not be a frequent one: with e and i,
 * finding words in English took a fifth longer.
 */
function add(written: string, bit: number): void {
  const given = /^[=*]/.exec(written)?.[0];
  const word = foldWord(given ? written.slice(1) : written);
  // Too many words begin with so few letters.
  const mark = given ?? (SHORT.test(word) ? '=' : undefined);
  if (word === '') return;
  const beginsInside = mark === '*' || (mark !== '=' && UNSPACED.test(word));
  let node = 0;
  for (let index = 0; index < word.length; index++) {
    const unit = word.charCodeAt(index);
    node = (index === 0 ? firstNodes[unit]! : findChild(node, unit)) || addNode(node, unit);
    if (beginsInside) nodes[node]! |= INSIDE;
  }
  const ends = mark === '=' ? whole : beginsInside ? anywhere : prefix;
  ends[node]! |= bit;
  nodes[node]! |= ENDS;
  const spaced = mark === '=' && word.length < BEGINNING ? `${word} ` : word;
  if (/^[a-z ]+$/.test(spaced.slice(0, BEGINNING))) addBeginning(spaced, beginsInside ? 3 : 1);
}

/** Adds a beginning to the filter; a word that is shorter than one with every letter that may follow. */
function addBeginning(word: string, bits: number): void {
  if (word.length < BEGINNING)
    for (const next of ' abcdefghijklmnopqrstuvwxyz') addBeginning(word + next, bits);
  else beginnings[hashBeginning(word, 0)]! |= bits;
}

/** Returns the filter's index for the four units at `start`; -1 unless all are ASCII letters or spaces. */
function hashBeginning(text: string, start: number): number {
  if (start + BEGINNING > text.length) return -1;
  const first = letters[text.charCodeAt(start)]!;
  const second = letters[text.charCodeAt(start + 1)]!;
  const third = letters[text.charCodeAt(start + 2)]!;
  const fourth = letters[text.charCodeAt(start + 3)]!;
  if ((first | second | third | fourth) >= NO_LETTER) return -1;
  return Math.imul((first << 15) | (second << 10) | (third << 5) | fourth, 0x9e3779b1) >>> 17;
}

function addNode(parent: number, unit: number): number {
  const node = ++lastNode;
  if (node > 0xffff) throw new Error('too many words for 16 bits');
  unitOf[node] = unit;
  if (parent === 0) firstNodes[unit] = node;
  else if (parent === node - 1) nodes[parent]! |= NEXT;
  else {
    if (++edgeCount > EDGE_SLOTS / 2) throw new Error('too many words for the table of edges');
    nodes[parent]! |= ELSEWHERE;
    let slot = hashEdge(parent, unit);
    while (edgeTargets[slot] !== 0) slot = (slot + 1) & (EDGE_SLOTS - 1);
    edgeKeys[slot] = (parent << 16) | unit;
    edgeTargets[slot] = node;
  }
  return node;
}

/** Returns the child of a node for a unit; 0 if there is none. */
function findChild(parent: number, unit: number): number {
  const has = nodes[parent]!;
  if ((has & NEXT) !== 0 && unitOf[parent + 1] === unit) return parent + 1;
  if ((has & ELSEWHERE) === 0) return 0;
  const key = ((parent << 16) | unit) >>> 0;
  let slot = hashEdge(parent, unit);
  while (edgeTargets[slot] !== 0) {
    if (edgeKeys[slot] === key) return edgeTargets[slot]!;
    slot = (slot + 1) & (EDGE_SLOTS - 1);
  }
  return 0;
}

/** Returns the slot in which the search for an edge starts (Knuth's multiplicative hash). */
function hashEdge(parent: number, unit: number): number {
  return Math.imul((parent << 16) | unit, 0x9e3779b1) >>> HASH_SHIFT;
}

/*
 * All that findWords needs about a unit, in one number that is computed on demand: the upper half is the node of the
 * words that begin with the unit, the lower half has the flags below and those of `charKind`.
 */
const LOOKED_UP = 1;
/** It is a letter or digit that continues a word. */
const IN_WORD = 2;
/** Some table word that begins with it may start inside another word. */
const BEGINS_INSIDE = 4;
const FIRST_NODE_SHIFT = 16;
const units = new Uint32Array(0x10000);

function lookUp(code: number): number {
  const unit = String.fromCharCode(code);
  const first = firstNodes[foldCode(code)]!;
  const inWord = WORD.test(unit) && !ASIAN.test(unit) ? IN_WORD : 0;
  const beginsInside = nodes[first]! & INSIDE ? BEGINS_INSIDE : 0;
  units[code] = (first << FIRST_NODE_SHIFT) | classifyUnit(unit) | beginsInside | inWord | LOOKED_UP;
  return units[code]!;
}

function classifyUnit(unit: string): number {
  const currency = /[$€£¥₹₽₩₺₫฿₴₪円元원]/.test(unit) ? charKind.currency : 0;
  const ascii = /\d/.test(unit) ? charKind.digit : /[A-Z]/.test(unit) ? charKind.capital : 0;
  return (
    ascii | currency | (/[%٪]/.test(unit) ? charKind.percent : 0) | (unit > '\x7f' ? charKind.notAscii : 0)
  );
}

function isInWord(text: string, index: number): boolean {
  if (index >= text.length) return false;
  const code = text.charCodeAt(index);
  return ((units[code]! || lookUp(code)) & IN_WORD) !== 0;
}

/**
 * Finds all words of the tables in a text, ordered by start. Of several with the same start, the longest comes last.
 */
export function findWords(text: string): Found {
  const hits: Hit[] = [];
  let inWord = 0;
  let charKinds = 0;
  for (let start = 0; start < text.length; start++) {
    const code = text.charCodeAt(start);
    const unit = units[code]! || lookUp(code);
    charKinds |= unit;
    // A word starts here, or a table word may start inside one. One branch, because neither can be predicted.
    if (((inWord ^ IN_WORD) | (unit & BEGINS_INSIDE)) !== 0 && unit >>> FIRST_NODE_SHIFT !== 0) {
      const atWordStart = inWord === 0;
      const slot = hashBeginning(text, start);
      if (slot < 0 || (beginnings[slot]! & (atWordStart ? 1 : 2)) !== 0)
        walk(text, start, unit >>> FIRST_NODE_SHIFT, atWordStart, hits);
    }
    inWord = unit & IN_WORD;
  }
  return { hits, kinds: mergeKinds(hits), charKinds: charKinds & CHAR_KINDS_MASK };
}

/** Returns the kinds of all hits together. */
export function mergeKinds(hits: Hit[]): number {
  let kinds = 0;
  for (const hit of hits) kinds |= hit.kinds;
  return kinds;
}

/** Follows the trie along the text from one position, and adds the words that end on the way. */
function walk(text: string, start: number, first: number, atWordStart: boolean, hits: Hit[]): void {
  let node = first;
  for (let index = start + 1; node !== 0 && (atWordStart || nodes[node]! & INSIDE); index++) {
    if (nodes[node]! & ENDS) {
      let found = anywhere[node]!;
      if (atWordStart) found |= prefix[node]!;
      if (atWordStart && whole[node] !== 0 && !isInWord(text, index)) found |= whole[node]!;
      if (found !== 0) hits.push({ start, end: index, kinds: found });
    }
    if (index >= text.length) return;
    const code = foldCode(text.charCodeAt(index));
    if (code !== NOTHING) node = findChild(node, code);
  }
}
