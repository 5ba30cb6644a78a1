import { type Coloured, type Fold, findLine, type Kind, listLineStarts, type Token } from './code.ts';

/*
 * Colours the HTML of a mail, which may be anything: each character is read once, and an unclosed tag ends with the text,
 * so every input takes linear time.
 */

/** A tag, or a comment, whose name is `!`. */
interface Tag {
  name: string;
  isClosing: boolean;
  from: number;
  to: number;
}

const VOID = new Set('! area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose content is text. */
const RAW = new Set('script style textarea title'.split(' '));
/** Open elements that a closing tag may close; deeper ones stay unclosed. */
const LOOK_BACK = 100;

class Reader {
  readonly tokens: Token[] = [];
  readonly tags: Tag[] = [];
  private at = 0;
  /** The next `&`, which may be far behind many tags. */
  private ampersand = 0;

  constructor(private readonly text: string) {}

  run(): this {
    const { text } = this;
    while (this.at < text.length) {
      const open = text.indexOf('<', this.at);
      this.readEntities(this.at, open < 0 ? text.length : open);
      if (open < 0) break;
      this.at = open;
      if (text.startsWith('<!--', open)) this.readComment('-->', open + 4);
      else if (/[!?]/.test(text[open + 1] ?? '')) this.readComment('>', open + 1);
      else if (/^<\/?[a-z]/i.test(text.slice(open, open + 3))) this.readTag();
      else this.at = open + 1;
    }
    return this;
  }

  private readComment(ending: string, from: number): void {
    const open = this.at;
    this.take('comment', this.after(ending, from));
    this.tags.push({ name: '!', isClosing: false, from: open, to: this.at });
  }

  private take(kind: Kind, to: number): void {
    if (to > this.at) this.tokens.push({ kind, from: this.at, to });
    this.at = to;
  }

  private after(ending: string, from: number): number {
    const found = this.text.indexOf(ending, from);
    return found < 0 ? this.text.length : found + ending.length;
  }

  /** The end of the match of a sticky pattern here; this position if it does not match. */
  private end(pattern: RegExp): number {
    pattern.lastIndex = this.at;
    return pattern.test(this.text) ? pattern.lastIndex : this.at;
  }

  private readEntities(from: number, to: number): void {
    const entity = /&#?\w{1,32};/y;
    if (this.ampersand < from) this.ampersand = this.findAmpersand(from);
    for (; this.ampersand < to; this.ampersand = this.findAmpersand(this.ampersand + 1)) {
      entity.lastIndex = this.ampersand;
      if (entity.test(this.text)) {
        this.tokens.push({ kind: 'entity', from: this.ampersand, to: entity.lastIndex });
      }
    }
  }

  /** The position of the next ampersand; the end of the text if there is none. */
  private findAmpersand(from: number): number {
    const found = this.text.indexOf('&', from);
    return found < 0 ? this.text.length : found;
  }

  private readTag(): void {
    const from = this.at;
    const isClosing = this.text[from + 1] === '/';
    this.take('mark', from + (isClosing ? 2 : 1));
    const nameFrom = this.at;
    this.take('tag', this.end(/[^\s/>]+/y));
    const name = this.text.slice(nameFrom, Math.min(this.at, nameFrom + 40)).toLowerCase();
    this.readAttributes();
    this.tags.push({ name, isClosing, from, to: this.at });
    if (RAW.has(name) && !isClosing) this.readRaw(name);
  }

  private readAttributes(): void {
    const { text } = this;
    while (this.at < text.length) {
      this.at = this.end(/\s+/y);
      const sign = text[this.at];
      if (sign === '>' || sign === '/' || sign === '=') this.take('mark', this.at + 1);
      if (sign === '>') return;
      if (sign !== undefined && !/[/=]/.test(sign)) this.readAttribute();
    }
  }

  private readAttribute(): void {
    this.take('attribute', this.end(/[^\s=>/]+/y));
    const equals = this.end(/\s*=\s*/y);
    if (equals === this.at) return;
    this.take('mark', equals);
    const quote = this.text[this.at];
    const isQuoted = quote === '"' || quote === "'";
    this.take('value', isQuoted ? this.after(quote, this.at + 1) : this.end(/[^\s>]+/y));
  }

  private readRaw(name: string): void {
    const closing = new RegExp(`</${name}`, 'gi');
    closing.lastIndex = this.at;
    const to = closing.exec(this.text)?.index ?? this.text.length;
    if (name === 'style') this.readStyle(to);
    this.at = to;
  }

  private readStyle(to: number): void {
    const sheet = this.text.slice(this.at, to);
    const pattern = /\/\*[\s\S]*?(?:\*\/|$)|"[^"\n]*"|'[^'\n]*'|(@?[\w-]+)(\s*:)?/g;
    for (let found = pattern.exec(sheet); found; found = pattern.exec(sheet)) {
      const [all, word, colon] = found;
      const kind = word === undefined ? (all.startsWith('/*') ? 'comment' : 'value') : findKind(word, colon);
      if (!kind) continue;
      const from = this.at + found.index;
      this.tokens.push({ kind, from, to: from + (word ?? all).length });
    }
  }
}

function findKind(word: string, colon: string | undefined): Kind | null {
  if (word.startsWith('@')) return 'tag';
  return colon === undefined ? null : 'attribute';
}

/** The tags and comments of HTML, in order. */
export function readTags(text: string): Tag[] {
  return new Reader(text).run().tags;
}

export function colourHtml(text: string): Coloured {
  const { tokens, tags } = new Reader(text).run();
  return { tokens, folds: findFolds(text, tags) };
}

/** Elements of more than two lines. A closing tag closes the nearest open element of its name. */
function findFolds(text: string, tags: readonly Tag[]): Fold[] {
  const starts = listLineStarts(text);
  const open: Tag[] = [];
  const folds: Fold[] = [];
  for (const tag of tags) {
    if (!tag.isClosing) {
      if (!VOID.has(tag.name)) open.push(tag);
      continue;
    }
    const floor = Math.max(0, open.length - LOOK_BACK);
    let index = open.length - 1;
    while (index >= floor && open[index]!.name !== tag.name) index--;
    if (index < floor) continue;
    folds.push({ from: findLine(starts, open[index]!.from), to: findLine(starts, tag.from) });
    open.length = index;
  }
  return folds;
}

const BLOCK = new Set(
  'html head body title meta link style script base table thead tbody tfoot tr td th caption colgroup div p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd section article header footer main nav aside center blockquote form figure figcaption address hr'.split(
    ' ',
  ),
);
const DEPTH_SHOWN = 24;

/** Puts each block element on a line of its own, indented. Only white space around such tags changes. */
export function indentHtml(text: string): string {
  const tags = readTags(text);
  const pieces: string[] = [];
  let at = 0;
  let depth = 0;
  let kept = 0;
  for (const { name, isClosing, from, to } of tags) {
    if (name === 'pre' || name === 'textarea') kept = Math.max(0, kept + (isClosing ? -1 : 1));
    if (!BLOCK.has(name) || kept > 0) continue;
    if (isClosing) depth = Math.max(0, depth - 1);
    const line = `\n${'  '.repeat(Math.min(depth, DEPTH_SHOWN))}`;
    pieces.push(text.slice(at, from).trim(), line, text.slice(from, to), line);
    at = to;
    if (!isClosing && !VOID.has(name)) {
      depth += 1;
      pieces[pieces.length - 1] = `\n${'  '.repeat(Math.min(depth, DEPTH_SHOWN))}`;
    }
  }
  pieces.push(text.slice(at).trim());
  return joinLines(pieces.join(''));
}

/** Removes blank lines, and joins an element that has only a short text into one line. */
function joinLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const joined: string[] = [];
  for (const line of lines) {
    const [opening = '', content = ''] = joined.slice(-2);
    const isShort = opening.length + content.length < 160 && !content.trimStart().startsWith('<');
    // On a long line, the pattern takes quadratic time.
    const name = isShort ? /^\s*<([a-z0-9]+)[^<]*>$/i.exec(opening)?.[1] : undefined;
    if (name && line.trim().toLowerCase() === `</${name.toLowerCase()}>`) {
      joined.splice(-2, 2, opening + content.trim() + line.trim());
    } else joined.push(line);
  }
  return joined.join('\n');
}
