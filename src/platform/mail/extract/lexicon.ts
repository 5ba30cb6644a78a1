/** Finds all table words in a line at once, in time that depends only on the line. */
import { foldCode, foldWord, NOTHING } from './fold.ts';
import { actionWords } from './words-action.ts';
import { againstWords } from './words-against.ts';
import { wordsByLanguage } from './words-by-language.ts';
import { codeWords } from './words-code.ts';
import { linkWords } from './words-link.ts';

const tables = { ...codeWords, ...actionWords, ...againstWords, ...linkWords };

/** The known kinds of words. */
export type WordKind = keyof typeof tables;

const kinds = Object.keys(tables) as WordKind[];

/** One bit per kind; a word may have several. */
export const kind = Object.fromEntries(kinds.map((name, index) => [name, 2 ** index])) as Record<
  WordKind,
  number
>;

/** A word found: its position and its kinds (bits of `kind`). */
export interface Hit {
  start: number;
  end: number;
  kinds: number;
  /** Where the number that it identifies ends (own-number.ts); undefined without one. */
  numberEnd?: number;
}

/** All words of a text, and other things noticed on the way. */
export interface Found {
  hits: Hit[];
  /** Kinds of all of them. */
  kinds: number;
  /** Bits of `seen`. */
  sees: number;
}

/** Characters that later patterns need: a text without them is not searched again. */
export const seen = { digit: 8, capital: 16, percent: 32, currency: 64, notAscii: 128 };
const SEEN_MASK = 0xf8;

/** Scripts without spaces between words: a word may begin anywhere. */
const UNSPACED = /^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const ASIAN = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]/;

/** The words with their kinds, one entry for each time the tables list a word. */
const entries = kinds.flatMap((name) => {
  const byLanguage = Object.values<Partial<Record<WordKind, string>>>(wordsByLanguage).map(
    (words) => words[name] ?? '',
  );
  return [...Object.values<string>(tables[name]), ...byLanguage].flatMap((words) =>
    words.split(',').map((written) => ({ written: written.trim(), bit: kind[name] })),
  );
});
/** At most as many nodes as the tables have characters. */
const NODES_MAX = entries.reduce((sum, { written }) => sum + written.length, 1);

/*
 * A trie of units. Most nodes have one child, and it is the next node. The other edges are in one hash table of two flat
 * arrays: an object per node took 12 MB, a list of siblings took most of the time, and a table of all edges did not fit
 * into the processor's cache. Node 0 means none.
 */
const WAYS = 2 ** 14;
const HASH_SHIFT = 32 - Math.log2(WAYS);
const wayKeys = new Uint32Array(WAYS);
const wayEnds = new Uint16Array(WAYS);
let ways = 0;
/** The unit that leads to a node. */
const unitOf = new Uint16Array(NODES_MAX + 1);
/** Kinds of the word that ends at a node, by how it must appear in the line. */
const prefix = new Uint32Array(NODES_MAX);
const whole = new Uint32Array(NODES_MAX);
const anywhere = new Uint32Array(NODES_MAX);
/** Flags of a node. */
const nodes = new Uint8Array(NODES_MAX);
/** A word below it may begin inside another word. */
const INSIDE = 1;
/** A word ends at it. */
const ENDS = 2;
/** The next node is a child of it. */
const NEXT = 4;
/** It has a child in the hash table. */
const ELSEWHERE = 8;
/** Nodes of first units, indexed by unit: looked up once per character of every mail. */
const firstNodes = new Uint16Array(0x10000);

/**
 * A hash of each word's first four units, if they are ASCII letters and spaces: whether some word begins like this at
 * a word start (bit 1) or inside a word (bit 2). Most words of a mail match none.
 */
const BEGINNING = 4;
const beginnings = new Uint8Array(2 ** 15);
const NO_LETTER = 32;
/** 0 for a space, an ASCII letter's position in the alphabet. */
const letters = new Uint8Array(0x10000).fill(NO_LETTER);
letters[0x20] = 0;
for (let place = 1; place <= 26; place++) letters[0x40 + place] = letters[0x60 + place] = place;

let lastNode = 0;
for (const { written, bit } of entries) add(written, bit);

/**
 * `word` starts at a word start and may continue (`verif` finds `verification`), `=word` is a whole word, `*word` may
 * start inside a word; a word of three letters or fewer is whole.
 */
function add(written: string, bit: number): void {
  const given = /^[=*]/.exec(written)?.[0];
  const word = foldWord(given ? written.slice(1) : written);
  // Many words begin with so few letters.
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

/** A shorter word begins with anything that follows it. */
function addBeginning(word: string, bits: number): void {
  if (word.length < BEGINNING)
    for (const next of ' abcdefghijklmnopqrstuvwxyz') addBeginning(word + next, bits);
  else beginnings[hashBeginning(word, 0)]! |= bits;
}

/** Index of the entry for the four units there; -1 unless all are ASCII letters or spaces. */
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
    if (++ways > WAYS / 2) throw new Error('too many words for the table of edges');
    nodes[parent]! |= ELSEWHERE;
    let slot = hashWay(parent, unit);
    while (wayEnds[slot] !== 0) slot = (slot + 1) & (WAYS - 1);
    wayKeys[slot] = (parent << 16) | unit;
    wayEnds[slot] = node;
  }
  return node;
}

/** The child of a node for a unit; 0 without one. */
function findChild(parent: number, unit: number): number {
  const has = nodes[parent]!;
  if ((has & NEXT) !== 0 && unitOf[parent + 1] === unit) return parent + 1;
  if ((has & ELSEWHERE) === 0) return 0;
  const key = ((parent << 16) | unit) >>> 0;
  let slot = hashWay(parent, unit);
  while (wayEnds[slot] !== 0) {
    if (wayKeys[slot] === key) return wayEnds[slot]!;
    slot = (slot + 1) & (WAYS - 1);
  }
  return 0;
}

/** Where the search for an edge starts (Knuth's multiplicative hash). */
function hashWay(parent: number, unit: number): number {
  return Math.imul((parent << 16) | unit, 0x9e3779b1) >>> HASH_SHIFT;
}

/*
 * Everything needed per unit, in one number made on demand: the upper half is the node of the words that begin with
 * the unit, the lower half the flags below.
 */
const LOOKED_UP = 1;
/** A letter or digit that continues the word. */
const IN_WORD = 2;
/** Some word that begins with it may start inside another word. */
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
  const currency = /[$€£¥₹₽₩₺₫฿₴₪円元원]/.test(unit) ? seen.currency : 0;
  const ascii = /\d/.test(unit) ? seen.digit : /[A-Z]/.test(unit) ? seen.capital : 0;
  return ascii | currency | (/[%٪]/.test(unit) ? seen.percent : 0) | (unit > '\x7f' ? seen.notAscii : 0);
}

function isInWord(text: string, index: number): boolean {
  if (index >= text.length) return false;
  const code = text.charCodeAt(index);
  return ((units[code]! || lookUp(code)) & IN_WORD) !== 0;
}

/** All table words in the text, by start; of several with the same start the longest comes last. */
export function findWords(text: string): Found {
  const hits: Hit[] = [];
  let inWord = 0;
  let sees = 0;
  for (let start = 0; start < text.length; start++) {
    const code = text.charCodeAt(start);
    const unit = units[code]! || lookUp(code);
    sees |= unit;
    // A word starts here, or a table word may start inside one: one branch, since neither can be predicted.
    if (((inWord ^ IN_WORD) | (unit & BEGINS_INSIDE)) !== 0 && unit >>> FIRST_NODE_SHIFT !== 0) {
      const atWordStart = inWord === 0;
      const slot = hashBeginning(text, start);
      if (slot < 0 || (beginnings[slot]! & (atWordStart ? 1 : 2)) !== 0)
        walk(text, start, unit >>> FIRST_NODE_SHIFT, atWordStart, hits);
    }
    inWord = unit & IN_WORD;
  }
  return { hits, kinds: mergeKinds(hits), sees: sees & SEEN_MASK };
}

/** Kinds of all of them. */
export function mergeKinds(hits: Hit[]): number {
  let kinds = 0;
  for (const hit of hits) kinds |= hit.kinds;
  return kinds;
}

/** Follows the tables' words along the text from one position. */
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
