import {
  DecodingMode,
  decodeHTMLAttribute,
  EntityDecoder,
  fromCodePoint,
  htmlDecodeTree,
} from 'entities/decode';
import {
  type Attributes,
  attributeFields,
  makeAttributes,
  makeOtherTag,
  NO_ATTRIBUTES,
  type Tag,
  tagNames,
} from './elements.ts';
import { isBlank, mixIn } from './names.ts';

/*
 * Reads HTML into tags and text in one pass. Its test compares it with htmlparser2: the same implied end tags, and
 * the same text where something looks like markup but isn't. Every mail goes through it, so it creates strings only
 * for what is used: names are matched by their characters, and most attributes are skipped. Memory is proportional to
 * the length. So is time, as the visitor bounds the depth: an end tag searches the open elements for its own. A tag
 * or comment that is unfinished at the end is dropped, as in browsers.
 */

export interface TagVisitor {
  openTag(tag: Tag, attributes: Readonly<Attributes>): void;
  text(text: string): void;
  closeTag(tag: Tag): void;
  /** Read every few thousand characters. Once it is true, reading stops, and the open elements are closed. */
  readonly isFull: boolean;
}

/** Characters after which `isFull` is read again. */
const STRIDE = 8 * 1024;

const BANG = 0x21;
const DASH = 0x2d;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;
const DOUBLE = 0x22;
const SINGLE = 0x27;

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Returns where reading stopped: the length, unless the visitor was full before. */
export function scanTags(html: string, visitor: TagVisitor): number {
  return new TagReader(html, visitor).read();
}

class TagReader {
  /** The open elements, outermost first. */
  private readonly open: Tag[] = [];
  /** True for each open element that begins SVG or MathML, false for each in which HTML begins again. */
  private readonly foreign: boolean[] = [];
  /** Where to read next. */
  private at = 0;
  /** The next ampersand, or the end. */
  private ampersand: number;
  private readonly end: number;
  private readonly entities = new EntityDecoder(htmlDecodeTree, (code, consumed) => {
    this.consumed = consumed;
    this.decoded.push(code);
  });
  private decoded: number[] = [];
  private consumed = 0;
  /** Whether the last start tag ended with "/>". Its content is then not raw. */
  private hasSlash = false;

  constructor(
    private readonly html: string,
    private readonly visitor: TagVisitor,
  ) {
    this.end = html.length;
    this.ampersand = this.seek('&', 0);
  }

  read(): number {
    let asked = 0;
    /** Start of the text that is not passed on yet. It may begin with a `<` that is not markup. */
    let from = 0;
    while (this.at < this.end) {
      if (this.at >= asked) {
        if (this.visitor.isFull) break;
        asked = this.at + STRIDE;
      }
      const start = this.seek('<', this.at);
      if (start > from) this.passText(from, start);
      from = start;
      this.at = start + 1;
      if (start < this.end && this.readMarkup(start)) from = this.at;
    }
    if (from < this.end && this.at >= this.end) this.passText(from, this.end);
    while (this.open.length > 0) this.visitor.closeTag(this.open.pop()!);
    return Math.min(this.at, this.end);
  }

  private seek(unit: string, from: number): number {
    const found = this.html.indexOf(unit, from);
    return found < 0 ? this.end : found;
  }

  /** Moves past the next occurrence, or to the end. */
  private skipPast(what: string, from: number): void {
    this.at = this.seek(what, from) + what.length;
  }

  /** Reads the markup that begins at `start` and moves past it. Returns false if it is text. */
  private readMarkup(start: number): boolean {
    const unit = this.html.charCodeAt(start + 1);
    if (isLetter(unit)) this.readStartTag(start + 1);
    else if (unit === SLASH) return this.readEndTag(start + 2);
    else if (unit === BANG) this.skipDeclaration(start + 2);
    else if (unit === QUESTION) this.skipPast('>', start + 2);
    else return false;
    return true;
  }

  /** Skips a comment, a CDATA section (a comment in HTML) or a document type. */
  private skipDeclaration(from: number): void {
    // "<!-->" is a comment too: its end may share dashes with its start.
    if (this.html.startsWith('--', from)) this.skipPast('-->', from);
    else if (this.html.startsWith('[CDATA[', from)) this.skipPast(']]>', from + 7);
    // As in htmlparser2, its first character may even be ">".
    else this.skipPast('>', from + (this.html.charCodeAt(from) === DASH ? 2 : 1));
  }

  private readEndTag(from: number): boolean {
    let at = from;
    while (isBlank(this.html.charCodeAt(at))) at++;
    // "</>" is text.
    if (at >= this.end || this.html.charCodeAt(at) === GREATER) return false;
    if (!isLetter(this.html.charCodeAt(at))) {
      this.skipPast('>', at);
      return true;
    }
    const nameFrom = at;
    let hash = 0;
    for (; at < this.end; at++) {
      const unit = this.html.charCodeAt(at);
      if (unit === GREATER || isBlank(unit)) break;
      hash = mixIn(hash, unit);
    }
    this.skipPast('>', at);
    if (at < this.end) this.closeTag(this.tagAt(nameFrom, at, hash));
    return true;
  }

  private tagAt(from: number, to: number, hash: number): Tag {
    return tagNames.find(this.html, from, to, hash) ?? makeOtherTag(this.html.slice(from, to).toLowerCase());
  }

  private closeTag(tag: Tag): void {
    if (tag.foreign !== null) this.foreign.pop();
    if (tag.isVoid) {
      if (tag.name === 'br') this.passTag(tag, NO_ATTRIBUTES);
      return;
    }
    let place = this.open.length - 1;
    while (place >= 0 && this.open[place]!.name !== tag.name) place--;
    if (place >= 0) while (this.open.length > place) this.visitor.closeTag(this.open.pop()!);
    else if (tag.name === 'p') this.passTag(tag, NO_ATTRIBUTES);
  }

  /** Passes on an element without content. */
  private passTag(tag: Tag, attributes: Readonly<Attributes>): void {
    this.visitor.openTag(tag, attributes);
    this.visitor.closeTag(tag);
  }

  private closeImplied({ ends }: Tag): void {
    while (ends !== null && this.open.length > 0 && ends.has(this.open.at(-1)!.name))
      this.visitor.closeTag(this.open.pop()!);
  }

  private readStartTag(from: number): void {
    let at = from;
    let hash = 0;
    for (; at < this.end; at++) {
      const unit = this.html.charCodeAt(at);
      if (unit === GREATER || unit === SLASH || isBlank(unit)) break;
      hash = mixIn(hash, unit);
    }
    const tag = this.tagAt(from, at, hash);
    this.at = at;
    const attributes = this.readAttributes();
    if (!attributes) return;
    this.closeImplied(tag);
    if (tag.isVoid) {
      this.passTag(tag, attributes);
      return;
    }
    if (tag.foreign !== null) this.foreign.push(tag.foreign);
    if (this.hasSlash && this.foreign.at(-1) === true) {
      this.passTag(tag, attributes);
      return;
    }
    this.open.push(tag);
    this.visitor.openTag(tag, attributes);
    if (tag.isRaw && !this.hasSlash) this.readRaw(tag);
  }

  /** Reads the attributes up to the end of the tag; null if the tag has no end. */
  private readAttributes(): Readonly<Attributes> | null {
    const { html, end } = this;
    let attributes: Attributes | null = null;
    let at = this.at;
    this.hasSlash = false;
    while (at < end) {
      const unit = html.charCodeAt(at);
      if (unit === GREATER) {
        this.at = at + 1;
        return attributes ?? NO_ATTRIBUTES;
      }
      if (unit === SLASH || isBlank(unit)) {
        if (unit === SLASH) this.hasSlash = true;
        at++;
        continue;
      }
      this.hasSlash = false;
      this.at = at;
      attributes = this.readAttribute(attributes);
      at = this.at;
    }
    this.at = end;
    return null;
  }

  private readAttribute(attributes: Attributes | null): Attributes | null {
    const { html, end } = this;
    const from = this.at;
    let at = from + 1;
    let hash = mixIn(0, html.charCodeAt(from));
    for (; at < end; at++) {
      const unit = html.charCodeAt(at);
      if (unit === EQUALS || unit === GREATER || unit === SLASH || isBlank(unit)) break;
      hash = mixIn(hash, unit);
    }
    const name = attributeFields.find(html, from, at, hash);
    while (isBlank(html.charCodeAt(at))) at++;
    let [valueFrom, valueTo] = [at, at];
    if (html.charCodeAt(at) === EQUALS) {
      at++;
      while (isBlank(html.charCodeAt(at))) at++;
      const quote = html.charCodeAt(at);
      if (quote === DOUBLE || quote === SINGLE) {
        valueFrom = at + 1;
        valueTo = this.seek(quote === DOUBLE ? '"' : "'", valueFrom);
        at = valueTo + 1;
      } else {
        valueFrom = at;
        while (at < end && html.charCodeAt(at) !== GREATER && !isBlank(html.charCodeAt(at))) at++;
        valueTo = at;
      }
    }
    this.at = at;
    if (name === undefined) return attributes;
    const kept = attributes ?? makeAttributes();
    kept[name] ??= this.readValue(valueFrom, valueTo);
    return kept;
  }

  private readValue(from: number, to: number): string {
    const value = this.html.slice(from, to);
    return value.includes('&') ? decodeHTMLAttribute(value) : value;
  }

  /** Passes on the text of an element that contains no tags, unchanged, up to its end tag. */
  private readRaw(tag: Tag): void {
    let close = this.at;
    for (;;) {
      close = this.seek('</', close);
      if (close >= this.end) break;
      const after = this.html.charCodeAt(close + 2 + tag.name.length);
      if (
        (after === GREATER || isBlank(after)) &&
        this.html.slice(close + 2, close + 2 + tag.name.length).toLowerCase() === tag.name
      )
        break;
      close += 2;
    }
    if (close > this.at) this.visitor.text(this.html.slice(this.at, close));
    this.at = close;
  }

  /** Passes text on, each character reference separately. */
  private passText(from: number, to: number): void {
    if (this.ampersand < from) this.ampersand = this.seek('&', from);
    while (this.ampersand < to) {
      from = this.passReference(from);
      this.ampersand = this.seek('&', this.ampersand + 1);
    }
    if (from < to) this.visitor.text(this.html.slice(from, to));
  }

  /** Passes on the character reference at the ampersand and the text before it, and returns where both end. */
  private passReference(from: number): number {
    this.decoded.length = 0;
    this.entities.startEntity(DecodingMode.Legacy);
    if (this.entities.write(this.html, this.ampersand + 1) < 0) this.entities.end();
    if (this.decoded.length === 0) return from;
    if (from < this.ampersand) this.visitor.text(this.html.slice(from, this.ampersand));
    for (const code of this.decoded) this.visitor.text(fromCodePoint(code));
    return this.ampersand + this.consumed;
  }
}
