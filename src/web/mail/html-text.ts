import { readTags } from './source/html.ts';

/** The text of an HTML mail without a text part: a rough version for reading, never searched for codes. */

const HTML_CHARS_MAX = 512 * 1024;
const UNSEEN = new Set('head title script style template noscript'.split(' '));
const LINES = new Set(
  'address article aside blockquote br center div dl dt dd figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
/** Those with a blank line around them. */
const PARAGRAPHS = new Set('blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre ul'.split(' '));

export function makeText(html: string): string {
  const source = html.slice(0, HTML_CHARS_MAX);
  const writer = new Writer();
  let at = 0;
  let unseen: string | null = null;
  for (const { name, isClosing, from, to } of readTags(source)) {
    if (unseen === null) writer.write(source.slice(at, from));
    at = to;
    if (unseen !== null) {
      if (isClosing && name === unseen) unseen = null;
    } else if (UNSEEN.has(name) && !isClosing) unseen = name;
    else writer.tag(name, isClosing, () => source.slice(from, to));
  }
  if (unseen === null) writer.write(source.slice(at));
  return writer.finish();
}

class Writer {
  private readonly pieces: string[] = [];
  /** Line breaks at the end of the output. */
  private breaks = 2;
  private link: { url: string; from: number } | null = null;
  private space = false;
  /** Open elements that preserve line breaks. */
  private kept = 0;

  write(source: string): void {
    if (this.kept > 0) {
      this.writeLines(source);
      return;
    }
    const text = decodeEntities(source).replace(/[\s\u00a0]+/g, ' ');
    if (text === ' ' || text === '') {
      this.space ||= text === ' ';
      return;
    }
    if ((this.space || text.startsWith(' ')) && this.breaks === 0) this.pieces.push(' ');
    this.pieces.push(text.trim());
    this.space = text.endsWith(' ');
    this.breaks = 0;
  }

  private writeLines(source: string): void {
    const text = decodeEntities(source).replace(/\r\n?/g, '\n');
    if (text === '') return;
    this.pieces.push(text);
    this.breaks = text.endsWith('\n') ? 1 : 0;
  }

  tag(name: string, isClosing: boolean, readSource: () => string): void {
    if (name === 'a') this.turnLink(isClosing, readSource);
    else if (name === 'td' || name === 'th') this.space = true;
    else if (name === 'img') this.write(readAttribute(readSource(), 'alt') ?? '');
    else if (name === 'br') this.break(Math.min(2, this.breaks + 1));
    else if (LINES.has(name)) {
      this.break(PARAGRAPHS.has(name) ? 2 : 1);
      if (name === 'pre') this.kept = Math.max(0, this.kept + (isClosing ? -1 : 1));
      if (name === 'li' && !isClosing) this.write('• ');
    }
  }

  private break(wanted: number): void {
    while (this.breaks < wanted) {
      this.pieces.push('\n');
      this.breaks++;
    }
    this.space = false;
  }

  private turnLink(isClosing: boolean, readSource: () => string): void {
    if (!isClosing) {
      const url = decodeEntities(readAttribute(readSource(), 'href') ?? '').trim();
      this.link = /^(?:https?:|mailto:)/i.test(url) ? { url, from: this.pieces.length } : null;
      return;
    }
    const { link } = this;
    this.link = null;
    if (!link) return;
    const shown = this.pieces.slice(link.from).join('').trim();
    if (shown !== link.url && `mailto:${shown}` !== link.url)
      this.write(shown === '' ? link.url : ` <${link.url}>`);
  }

  finish(): string {
    return this.pieces.join('').trim();
  }
}

function readAttribute(tag: string, name: string): string | null {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}

/** The names of U+00A0 to U+00FF, in order (HTML, named character references). */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'.split(
    ' ',
  );
const OTHERS = new Map(
  'amp & lt < gt > quot " apos \' ndash – mdash — hellip … bull • lsquo ‘ rsquo ’ ldquo “ rdquo ” sbquo ‚ bdquo „ lsaquo ‹ rsaquo › euro € trade ™ rarr → larr ←'
    .split(' ')
    .map((name, index, all) => [name, all[index + 1] ?? ''] as const)
    .filter((_, index) => index % 2 === 0),
);
/** Spaces and invisible characters. */
const BLANKS: Record<string, string> = { ensp: ' ', emsp: ' ', thinsp: ' ', zwnj: '', zwj: '', shy: '' };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(x?)([0-9a-f]{1,6})|([a-z]{2,8}\d{0,2}));/gi,
    (all, hex, digits, name: string) => {
      if (digits === undefined) return decodeName(name) ?? all;
      const point = Number.parseInt(digits, hex ? 16 : 10);
      // U+00AD and U+200B to U+200F are hidden, as fillers behind the preview of a newsletter are.
      if (point === 0xad || (point >= 0x200b && point <= 0x200f) || point === 0x34f) return '';
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : all;
    },
  );
}

function decodeName(name: string): string | undefined {
  const latin = LATIN.indexOf(name);
  return BLANKS[name] ?? (latin >= 0 ? String.fromCharCode(0xa0 + latin) : OTHERS.get(name));
}
