/** The named entities that mail has most; those of letters with accents are composed from ACCENTS. */
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  szlig: 'ß',
  rsquo: '’',
  lsquo: '‘',
  rdquo: '”',
  ldquo: '“',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  middot: '·',
  bull: '•',
};

/** The accents in named entities such as `&eacute;`. */
const ACCENTS: Record<string, string> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  cedil: '\u0327',
};

/**
 * Returns roughly what a reader of the HTML sees, in linear time. visible-text.ts reads more closely, and
 * slower.
 */
export function stripHtml(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .split(/<(?=style\b|script\b|title\b)/i)
    .map((piece, index) => (index === 0 ? piece : dropElement(piece)))
    .join(' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(
      /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
      (entity, decimal?: string, hex?: string, name?: string) =>
        name === undefined ? showCode(Number(decimal ?? `0x${hex}`)) : showNamed(name, entity),
    );
}

/** Drops the element at the beginning of a piece, whose `<` is missing. Drops only its tag if it is never closed. */
function dropElement(piece: string): string {
  const closing = /<\/(?:style|script|title)\s*>/i.exec(piece);
  return closing ? piece.slice(closing.index + closing[0].length) : `<${piece}`;
}

function showCode(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}

function showNamed(name: string, entity: string): string {
  const letter = name[0] ?? '';
  const accent = ACCENTS[name.slice(1)];
  if (accent !== undefined) return (letter + accent).normalize('NFC');
  if (/^(zwn?j|shy|lrm|rlm|e[mn]sp|thinsp)$/.test(name)) return ' ';
  return NAMED[name.toLowerCase()] ?? entity;
}
