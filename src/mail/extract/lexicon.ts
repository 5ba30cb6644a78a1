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

interface Node {
  next: Map<number, Node>;
  /** Some word behind this one may begin inside of another word. */
  inside: boolean;
  /** Kinds of the word that ends here: by how it must stand in the line. */
  prefix: number;
  whole: number;
  anywhere: number;
}

const newNode = (): Node => ({ next: new Map(), inside: false, prefix: 0, whole: 0, anywhere: 0 });

/** Scripts that put no space between words: a word may begin anywhere. */
const UNSPACED = /^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const ASIAN = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]/;

/** The nodes of first units, by the unit: what is asked once for every character of every mail. */
const first_nodes: (Node | undefined)[] = new Array(0x10000).fill(undefined);
for (const [code, node] of build().next) first_nodes[code] = node;

/**
 * Words are separated by commas. `word` stands at the start of a word and may go on (`verif` finds
 * `verification`), `=word` is a whole word, `*word` may begin inside one; one of three letters or less is whole.
 */
function build(): Node {
  const top = newNode();
  for (const name of kinds) {
    for (const words of Object.values(tables[name] as Record<string, string>)) {
      for (const word of words.split(',')) add(top, word.trim(), kind[name]);
    }
  }
  return top;
}

function add(top: Node, written: string, bit: number): void {
  const given = /^[=*]/.exec(written)?.[0];
  const word = foldWord(given ? written.slice(1) : written);
  // So short a beginning is that of many words.
  const mark = given ?? (SHORT.test(word) ? '=' : undefined);
  if (word === '') return;
  const begins_inside = mark === '*' || (mark !== '=' && UNSPACED.test(word));
  let node = top;
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index);
    let next = node.next.get(code);
    if (!next) {
      next = newNode();
      node.next.set(code, next);
    }
    node = next;
    node.inside ||= begins_inside;
  }
  if (mark === '=') node.whole |= bit;
  else if (begins_inside) node.anywhere |= bit;
  else node.prefix |= bit;
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
    let node = first_nodes[foldedCode(unit)];
    if (!node || (!at_word_start && !node.inside)) continue;
    for (let index = start + 1; node; index++) {
      const found: number =
        node.anywhere |
        (at_word_start ? node.prefix : 0) |
        (node.whole !== 0 && at_word_start && !isInWord(text, index) ? node.whole : 0);
      if (found !== 0) hits.push({ start, end: index, kinds: found });
      if (index >= text.length) break;
      const code = foldedCode(text.charCodeAt(index));
      if (code !== NOTHING) node = node.next.get(code);
      if (!at_word_start && !node?.inside) break;
    }
  }
  return hits;
}
