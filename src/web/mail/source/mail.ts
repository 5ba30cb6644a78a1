import { type Coloured, type Fold, listLineStarts, type Token } from './code.ts';

/** Colours a mail's source: header fields, and the lines between its parts (RFC 5322, RFC 2046). */

/** Lines of base64 from which on they are folded at first. */
const FOLDED_LINES = 8;
const BOUNDARIES_MAX = 200;
/** Characters of a part's header that are searched for a boundary. */
const HEADER_CHARS_MAX = 16 * 1024;

interface Part {
  boundary: string;
  /** The line of its boundary. */
  from: number;
}

class MailReader {
  readonly tokens: Token[] = [];
  readonly folds: Fold[] = [];
  private readonly boundaries = new Set<string>();
  private readonly open: Part[] = [];
  private header = '';
  private headerFrom = 0;
  private isInHeader = true;
  private isBase64 = false;
  private bodyFrom = 0;

  read(line: string, index: number, start: number): void {
    if (this.isInHeader) {
      if (line === '') this.endHeader(index);
      else this.readField(line, start);
      return;
    }
    const boundary = this.findBoundary(line);
    if (boundary === null) return;
    this.tokens.push({ kind: 'boundary', from: start, to: start + line.length });
    this.endBody(index);
    this.closeParts(boundary, index);
    if (line.trimEnd() === `--${boundary}--`) return;
    this.open.push({ boundary, from: index });
    this.isInHeader = true;
    this.header = '';
    this.headerFrom = index;
  }

  private readField(line: string, start: number): void {
    const colon = /^[\x21-\x39\x3b-\x7e]{1,200}:/.exec(line)?.[0].length;
    if (colon) this.tokens.push({ kind: 'field', from: start, to: start + colon });
    if (this.header.length < HEADER_CHARS_MAX) this.header += `${line.slice(0, 1_000)}\n`;
  }

  private endHeader(index: number): void {
    this.isInHeader = false;
    this.isBase64 = /^content-transfer-encoding:\s*base64/im.test(this.header);
    this.bodyFrom = index + 1;
    if (this.open.length === 0 && this.headerFrom === 0) this.folds.push({ from: 0, to: index });
    const named = /boundary\s*=\s*(?:"([^"\n]{1,200})"|([^\s;"]{1,200}))/i.exec(this.header);
    const boundary = named?.[1] ?? named?.[2];
    if (boundary && this.boundaries.size < BOUNDARIES_MAX) this.boundaries.add(boundary.trimEnd());
  }

  private findBoundary(line: string): string | null {
    if (!line.startsWith('--') || line.length > 300) return null;
    const name = line.slice(2).trimEnd();
    if (this.boundaries.has(name)) return name;
    return name.endsWith('--') && this.boundaries.has(name.slice(0, -2)) ? name.slice(0, -2) : null;
  }

  private endBody(index: number): void {
    if (this.isBase64 && index - this.bodyFrom >= FOLDED_LINES) {
      this.folds.push({ from: this.bodyFrom, to: index, isClosed: true });
    }
    this.isBase64 = false;
  }

  /** Ends the part before this boundary, with those inside it. */
  private closeParts(boundary: string, index: number): void {
    const at = this.open.findLastIndex((part) => part.boundary === boundary);
    if (at >= 0) for (const { from } of this.open.splice(at)) this.folds.push({ from, to: index });
  }

  end(lines: number): void {
    if (!this.isInHeader) this.endBody(lines);
    for (const { from } of this.open) this.folds.push({ from, to: lines });
  }
}

export function colourMail(text: string): Coloured {
  const reader = new MailReader();
  const starts = listLineStarts(text);
  starts.forEach((start, index) => {
    const end = (starts[index + 1] ?? text.length + 1) - 1;
    reader.read(text.slice(start, end).replace(/\r$/, ''), index, start);
  });
  reader.end(starts.length);
  return reader;
}
