/** Finds the tables' words in a line, all at once, in time that depends on the line alone. */
import { foldedCode, foldWord, NOTHING } from './fold.ts';
import { action_words } from './words-action.ts';
import { against_words } from './words-against.ts';
import { code_words } from './words-code.ts';
import { link_words } from './words-link.ts';

const tables = { ...code_words, ...action_words, ...against_words, ...link_words };

/** The kinds of words that are known. */
export type Kind = keyof typeof tables;

const kinds = Object.keys(tables) as Kind[];

/** One bit for each kind; a word may be of several. */
export const kind = Object.fromEntries(kinds.map((name, index) => [name, 2 ** index])) as Record<
  Kind,
  number
>;

/** A word found: where, and of which kinds (bits of `kind`). */
export interface Hit {
  start: number;
  end: number;
  kinds: number;
}

/** Scripts that put no space between words: a word may begin anywhere. */
const UNSPACED = /^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const ASIAN = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]/;

/** The words with their kinds, one entry for each time that a word is written in the tables. */
const entries = kinds.flatMap((name) =>
  Object.values(tables[name] as Record<string, string>).flatMap((words) =>
    words.split(',').map((written) => ({ written: written.trim(), bit: kind[name] })),
  ),
);
/** At most as many nodes as the tables have characters. */
const NODES_MAX = entries.reduce((sum, { written }) => sum + written.length, 1);

/*
 * A tree of units. The way from a node by a unit to its child stands in a hash table of two flat arrays (an object
 * for each node took 12 MB; a list of siblings was what most of the time went into). Node 0 is none.
 */
const WAYS = 2 ** Math.ceil(Math.log2(NODES_MAX * 2));
const HASH_SHIFT = 32 - Math.log2(WAYS);
const way_keys = new Uint32Array(WAYS);
const way_ends = new Uint16Array(WAYS);
/** Kinds of the word that ends at a node: by how it must stand in the line. */
const prefix = new Uint32Array(NODES_MAX);
const whole = new Uint32Array(NODES_MAX);
const anywhere = new Uint32Array(NODES_MAX);
/** Some word behind this node may begin inside of another word. */
const inside = new Uint8Array(NODES_MAX);
/** The nodes of first units, by the unit: what is asked once for every character of every mail. */
const first_nodes = new Uint16Array(0x10000);

let last_node = 0;
for (const { written, bit } of entries) add(written, bit);

/**
 * `word` stands at the start of a word and may go on (`verif` finds `verification`), `=word` is a whole word,
 * `*word` may begin inside one; one of three letters or less is whole.
 */
function add(written: string, bit: number): void {
  const given = /^[=*]/.exec(written)?.[0];
  const word = foldWord(given ? written.slice(1) : written);
  // So short a beginning is that of many words.
  const mark = given ?? (SHORT.test(word) ? '=' : undefined);
  if (word === '') return;
  const begins_inside = mark === '*' || (mark !== '=' && UNSPACED.test(word));
  let node = 0;
  for (let index = 0; index < word.length; index++) {
    const unit = word.charCodeAt(index);
    node = (index === 0 ? first_nodes[unit]! : childOf(node, unit)) || newNode(node, unit);
    if (begins_inside) inside[node] = 1;
  }
  const ends = mark === '=' ? whole : begins_inside ? anywhere : prefix;
  ends[node] = ends[node]! | bit;
}

function newNode(parent: number, unit: number): number {
  const node = ++last_node;
  if (parent === 0) first_nodes[unit] = node;
  else {
    let slot = slotOf(parent, unit);
    while (way_ends[slot] !== 0) slot = (slot + 1) & (WAYS - 1);
    way_keys[slot] = (parent << 16) | unit;
    way_ends[slot] = node;
  }
  return node;
}

/** The node that a unit leads to; 0 when there is none. */
function childOf(parent: number, unit: number): number {
  const key = ((parent << 16) | unit) >>> 0;
  let slot = slotOf(parent, unit);
  while (way_ends[slot] !== 0) {
    if (way_keys[slot] === key) return way_ends[slot]!;
    slot = (slot + 1) & (WAYS - 1);
  }
  return 0;
}

/** Where the search for a way begins (Knuth's multiplicative hash). */
function slotOf(parent: number, unit: number): number {
  return Math.imul((parent << 16) | unit, 0x9e3779b1) >>> HASH_SHIFT;
}

/** By code unit, filled as it is needed: 0 not known, 1 between words, 2 inside of one. */
const word_units = new Uint8Array(0x10000);

/** Whether a letter or digit stands there that belongs to the same word. */
function isInWord(text: string, index: number): boolean {
  return index < text.length && isWordUnit(text.charCodeAt(index));
}

function isWordUnit(code: number): boolean {
  if (word_units[code] === 0) {
    const unit = String.fromCharCode(code);
    word_units[code] = WORD.test(unit) && !ASIAN.test(unit) ? 2 : 1;
  }
  return word_units[code] === 2;
}

/** Every word of the tables in the text, by its start; the longest of those that begin at one place last. */
export function findWords(text: string): Hit[] {
  const hits: Hit[] = [];
  let was_in_word = false;
  for (let start = 0; start < text.length; start++) {
    const unit = text.charCodeAt(start);
    const at_word_start = !was_in_word;
    was_in_word = isWordUnit(unit);
    const first = first_nodes[foldedCode(unit)]!;
    if (first !== 0 && (at_word_start || inside[first] === 1)) walk(text, start, first, at_word_start, hits);
  }
  return hits;
}

/** Goes as far as the tables' words go with the text, from one place. */
function walk(text: string, start: number, first: number, at_word_start: boolean, hits: Hit[]): void {
  let node = first;
  for (let index = start + 1; node !== 0 && (at_word_start || inside[node] === 1); index++) {
    const found =
      anywhere[node]! |
      (at_word_start ? prefix[node]! : 0) |
      (whole[node] !== 0 && at_word_start && !isInWord(text, index) ? whole[node]! : 0);
    if (found !== 0) hits.push({ start, end: index, kinds: found });
    if (index >= text.length) return;
    const code = foldedCode(text.charCodeAt(index));
    if (code !== NOTHING) node = childOf(node, code);
  }
}
