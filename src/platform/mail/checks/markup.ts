import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/*
 * Reads HTML as a flat sequence of tags and text, each with its place. htmlparser2's tokenizer takes time
 * proportional to the length, however elements are nested; its parser, which keeps a stack, takes time that grows
 * with the square of the depth.
 */

export interface OpenTag {
  name: string;
  /** Decoded. Of several with one name, the first. */
  attributes: ReadonlyMap<string, string>;
  /** The offset of its `<`. */
  at: number;
  /** The offset after its `>`. */
  end: number;
}

export interface MarkupHandler {
  open(tag: OpenTag): void;
  close(name: string): void;
  /** The text is decoded, except in `<style>` and `<script>`. */
  text(text: string, at: number): void;
  comment(at: number): void;
  /** For `<!doctype html>`, the text is `!doctype html`. */
  declaration(text: string, at: number): void;
}

/** Attributes of an element that are read. */
const ATTRIBUTES_MAX = 100;

export function readMarkup(html: string, handler: MarkupHandler): void {
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, new Reading(html, handler));
  tokenizer.write(html);
  tokenizer.end();
}

class Reading implements TokenizerCallbacks {
  private tag = { name: '', at: 0, attributes: new Map<string, string>() };
  private attribute = '';
  private value = '';

  constructor(
    private readonly html: string,
    private readonly handler: MarkupHandler,
  ) {}

  onopentagname(start: number, end: number): void {
    this.tag = { name: this.html.slice(start, end).toLowerCase(), at: start - 1, attributes: new Map() };
  }

  onattribname(start: number, end: number): void {
    this.attribute = this.html.slice(start, end).toLowerCase();
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    this.value += this.html.slice(start, end);
  }

  onattribentity(code: number): void {
    this.value += String.fromCodePoint(code);
  }

  onattribend(): void {
    const { attributes } = this.tag;
    if (attributes.size < ATTRIBUTES_MAX && !attributes.has(this.attribute))
      attributes.set(this.attribute, this.value);
  }

  onopentagend(end: number): void {
    this.handler.open({ ...this.tag, end: end + 1 });
  }

  onselfclosingtag(end: number): void {
    this.onopentagend(end);
  }

  onclosetag(start: number, end: number): void {
    this.handler.close(this.html.slice(start, end).toLowerCase());
  }

  ontext(start: number, end: number): void {
    this.handler.text(this.html.slice(start, end), start);
  }

  ontextentity(code: number, end: number): void {
    this.handler.text(String.fromCodePoint(code), end);
  }

  oncomment(start: number): void {
    this.handler.comment(start);
  }

  ondeclaration(start: number, end: number): void {
    this.handler.declaration(this.html.slice(start, end), start);
  }

  oncdata(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

/** Finds the number of the line, from 1, that an offset is in. */
export class LineCounter {
  private readonly starts: number[] = [];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  lineAt(offset: number): number {
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}
