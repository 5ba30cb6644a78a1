/** A mail as a person sees it: lines of text with their looks, and the links in them. Knows nothing about codes. */
import { toDisplayed } from './fold.ts';

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

const ONE_CHARACTER = /^[0-9A-Za-z]$/;
const SEPARATOR = /^[-–•·]$/;
const DIGITS = /^\d{2,4}$/;
/** Characters of a group in a code. */
const PIECE_MAX = 4;

/** Joins a code into one line if each of its characters or groups is in a cell or block of its own. */
export function joinSplitCodes(lines: Line[]): void {
  for (let start = 0; start < lines.length; start++) {
    if (lines[start]!.text.length > PIECE_MAX) continue;
    const end = findEndOfCharacters(lines, start) || findEndOfGroups(lines, start);
    if (end === 0) continue;
    const parts = lines.slice(start, end);
    const first = parts[0]!;
    lines[start] = { ...first, text: parts.map(({ text }) => text).join('') };
    for (let index = start + 1; index < end; index++) lines[index] = { ...lines[index]!, text: '', runs: [] };
    start = end - 1;
  }
}

/** Finds the end of a run of four to ten one-character lines; 0 if there is none. A scale of links does not count. */
function findEndOfCharacters(lines: Line[], start: number): number {
  let end = start;
  let count = 0;
  for (; end < lines.length; end++) {
    const line = lines[end]!;
    if (line.runs[0]?.look.inLink) break;
    if (line.text.length > 1) break;
    if (ONE_CHARACTER.test(line.text)) count++;
    else if (count === 0 || !SEPARATOR.test(line.text)) break;
  }
  return count >= 4 && count <= 10 ? end : 0;
}

/** Finds the end of a row whose cells contain only the groups of a code; 0 if it is not such a row. */
function findEndOfGroups(lines: Line[], start: number): number {
  const first = lines[start]!;
  if (first.row < 0 || !DIGITS.test(first.text) || lines[start - 1]?.row === first.row) return 0;
  let end = start;
  let groups = 0;
  for (; lines[end]?.row === first.row; end++) {
    const { text } = lines[end]!;
    // "2020 – 2025" is a range of years, "0900 – 1700" one of hours.
    if (groups > 0 && first.text.length === 3 && SEPARATOR.test(text)) continue;
    if (text.length !== first.text.length || !DIGITS.test(text)) return 0;
    groups++;
  }
  const length = groups * first.text.length;
  return groups >= 2 && groups <= 3 && length >= 4 && length <= 9 ? end : 0;
}
