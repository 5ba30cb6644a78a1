/** A mail as a person sees it: lines of text with their looks, and the links in them. */
import { toDisplayed } from '../displayed-text.ts';

/** How characters look; sizes in CSS pixels. */
export interface Look {
  size: number;
  bold: boolean;
  mono: boolean;
  spaced: boolean;
  /** Whether it is crossed out, and so no longer valid. */
  struck: boolean;
  heading: boolean;
  inLink: boolean;
  /** Whether an attribute calls it a one-time code (`autocomplete="one-time-code"`). */
  named: boolean;
}

export const PLAIN_LOOK: Look = {
  size: 14,
  bold: false,
  mono: false,
  spaced: false,
  struck: false,
  heading: false,
  inLink: false,
  named: false,
};

export interface Line {
  text: string;
  /** Looks in order, each from a position on. The first starts at 0. */
  runs: { start: number; look: Look }[];
  /** Number of its table row; -1 outside tables. */
  row: number;
  /** Whether it is part of an earlier mail that this one quotes. */
  quoted: boolean;
}

export interface FoundLink {
  url: string;
  /** Its text, or the description of its picture if it has no text. */
  text: string;
  /** Index of its line. */
  line: number;
  /** Position in the line at which it begins. */
  start: number;
  hidden: boolean;
  quoted: boolean;
  /** Whether it looks like a button. */
  button: boolean;
  /** Whether it contains a picture and no text. */
  picture: boolean;
  /** The largest font size in it. */
  size: number;
}

/** A schema.org action of the mail: its type and its target. */
export interface MailAction {
  type: string;
  url: string;
}

export interface Page {
  lines: Line[];
  links: FoundLink[];
  actions: MailAction[];
  /** The source from where reading stopped at a bound; empty if all was read. */
  rest: string;
}

/** Characters of visible text that are read. A code is near the top, and this bounds the time. */
export const VISIBLE_CHARS_MAX = 48 * 1024;
/** Lines that are read. */
export const LINES_MAX = 2000;
/** Links that are read: more than are reported, because the right one may be further down. */
export const FOUND_LINKS_MAX = 400;
/** Characters of a link's text that are kept. */
export const LINK_TEXT_MAX = 200;

/** Collects text into lines. Collapses white space and drops empty lines. */
export class LineWriter {
  readonly lines: Line[] = [];
  private text = '';
  private endsBlank = true;
  private look: Look | undefined;
  private runs: Line['runs'] = [];
  private chars = 0;

  get isFull(): boolean {
    return this.chars > VISIBLE_CHARS_MAX || this.lines.length > LINES_MAX;
  }

  /** Index of the line being written. */
  get index(): number {
    return this.lines.length;
  }

  /** Position in the line at which the next text begins. */
  get position(): number {
    return this.text.length;
  }

  write(raw: string, look: Look): void {
    if (this.isFull) return;
    const text = toDisplayed(raw);
    const added = this.endsBlank ? text.trimStart() : text;
    if (added === '') return;
    if (this.look !== look) this.runs.push({ start: this.text.length, look });
    this.look = look;
    this.text += added;
    this.endsBlank = added.endsWith(' ');
    this.chars += added.length;
  }

  /** Ends a picture at the beginning of a line with an empty line, so that the text below does not count as near it. */
  endPicture(row: number, quoted: boolean): void {
    if (this.text === '' && !this.isFull) this.lines.push({ text: '', runs: [], row, quoted });
  }

  end(row: number, quoted: boolean): void {
    if (this.text === '') return;
    const text = this.endsBlank ? this.text.trimEnd() : this.text;
    if (text !== '') this.lines.push({ text, runs: this.runs, row, quoted });
    this.text = '';
    this.endsBlank = true;
    this.look = undefined;
    this.runs = [];
  }
}

/** Returns the look of the character at a position. */
export function lookAt(line: Line, position: number): Look {
  return line.runs.findLast(({ start }) => start <= position)?.look ?? PLAIN_LOOK;
}
