/** Reads the few CSS declarations that decide whether text is visible and how large it is; ignores all others. */
import { isBlank, mixIn, Names } from './names.ts';

export interface Style {
  hidden?: boolean;
  size?: { value: number; relative: boolean };
  bold?: boolean;
  mono?: boolean;
  spaced?: boolean;
  struck?: boolean;
  button?: boolean;
  /** White space is preserved. */
  preserved?: boolean;
}

/** Characters of a style sheet that are read. */
const SHEET_CHARS_MAX = 64 * 1024;
/** Rules that are kept. */
const RULES_MAX = 400;
/** Characters of a style attribute, or of a rule, that are read. */
const STYLE_CHARS_MAX = 2000;
/** Text this small is not meant to be read. */
const UNREADABLE_PX = 3;

/** The properties that are read. */
const PROPERTIES = [
  'background',
  'background-color',
  'border-radius',
  'color',
  'display',
  'font',
  'font-family',
  'font-size',
  'font-weight',
  'height',
  'left',
  'letter-spacing',
  'max-height',
  'max-width',
  'opacity',
  'overflow',
  'padding',
  'position',
  'text-decoration',
  'text-decoration-line',
  'text-indent',
  'top',
  'visibility',
  'white-space',
  'width',
] as const;

type Given = Partial<Record<(typeof PROPERTIES)[number], string>>;

const properties = new Names(PROPERTIES, (name) => name);

/** Reads the values of those properties, in lower case; null if there are none. */
function readDeclarations(css: string): Given | null {
  let given: Given | null = null;
  let colon = css.indexOf(':');
  for (let from = 0, to = 0; colon >= 0; from = to + 1) {
    to = css.indexOf(';', from);
    if (to < 0) to = css.length;
    if (colon < from) colon = css.indexOf(':', from);
    if (colon < 0 || colon >= to) continue;
    let [nameFrom, nameTo] = [from, colon];
    while (isBlank(css.charCodeAt(nameFrom))) nameFrom++;
    while (nameTo > nameFrom && isBlank(css.charCodeAt(nameTo - 1))) nameTo--;
    let hash = 0;
    for (let at = nameFrom; at < nameTo; at++) hash = mixIn(hash, css.charCodeAt(at));
    const name = properties.find(css, nameFrom, nameTo, hash);
    if (name === undefined) continue;
    given ??= {};
    const value = css
      .slice(colon + 1, to)
      .trim()
      .toLowerCase();
    given[name] = value.includes('!') ? value.replace('!important', '').trim() : value;
  }
  return given;
}

/** Reads a style attribute, or the body of a rule. */
export function readStyle(css: string): Style {
  const given = readDeclarations(css.slice(0, STYLE_CHARS_MAX));
  const style: Style = {};
  if (given === null) return style;
  if (isHidden(given)) style.hidden = true;
  const size = readSize(given['font-size']);
  if (size) style.size = size;
  const weight = given['font-weight'];
  if (weight) style.bold = weight.startsWith('bold') || Number(weight) >= 600;
  const font = given['font-family'] ?? given.font;
  if (font && /mono|courier|consolas|menlo/.test(font)) style.mono = true;
  const spacing = readSize(given['letter-spacing']);
  if (spacing) style.spaced = spacing.relative ? spacing.value >= 0.1 : spacing.value >= 1.5;
  if (
    given.padding !== undefined ||
    given['border-radius'] !== undefined ||
    given['background-color'] !== undefined ||
    given.background !== undefined
  )
    style.button = true;
  const line = given['text-decoration-line'] ?? given['text-decoration'];
  if (line?.includes('line-through')) style.struck = true;
  if (given['white-space']?.startsWith('pre')) style.preserved = true;
  return style;
}

const isZero = (value: string | undefined) =>
  value !== undefined && /^0+(\.0+)?(px|pt|em|rem|%)?$/.test(value);

function isHidden(given: Given): boolean {
  const overflow = given.overflow ?? '';
  const color = given.color;
  return (
    given.display === 'none' ||
    given.visibility === 'hidden' ||
    given.visibility === 'collapse' ||
    /^0?\.?0+$/.test(given.opacity ?? '') ||
    isZero(given['max-height']) ||
    isZero(given['max-width']) ||
    (overflow === 'hidden' && (isZero(given.height) || isZero(given.width))) ||
    /^-\d{3,}/.test(given['text-indent'] ?? '') ||
    (given.position === 'absolute' && /^-\d{3,}/.test(given.left ?? given.top ?? '')) ||
    color === 'transparent' ||
    (color !== undefined && color === given['background-color'])
  );
}

const PIXELS: Record<string, number> = { px: 1, pt: 4 / 3, em: 1, rem: 16, '%': 0.01, '': 1 };
/** A Map, because a stranger writes the key: a plain object would have `constructor`. */
const NAMED = new Map([
  ['large', 18],
  ['x-large', 24],
  ['xx-large', 32],
  ['small', 13],
  ['x-small', 10],
]);

function readSize(value: string | undefined): Style['size'] {
  if (!value) return;
  const named = NAMED.get(value);
  if (named) return { value: named, relative: false };
  const found = /^(\d{0,4}(?:\.\d{1,4})?)(px|pt|em|rem|%|)$/.exec(value);
  if (!found?.[1]) return;
  const unit = found[2]!;
  return { value: Number(found[1]) * PIXELS[unit]!, relative: unit === 'em' || unit === '%' };
}

/** Whether text of this size is meant to be read. */
export const isReadable = (size: number) => size >= UNREADABLE_PX;

/** Adds the rules of a style sheet with simple selectors (`.a`, `td`, `p.b`, `#c`). Skips blocks such as @media. */
export function readSheet(sheet: string, rules: Map<string, Style>): void {
  const css = withoutComments(sheet.slice(0, SHEET_CHARS_MAX));
  let from = 0;
  while (rules.size < RULES_MAX) {
    const open = css.indexOf('{', from);
    if (open < 0) return;
    const selectors = css.slice(from, open).trim();
    const isGroup = /^@(media|supports|layer|container)/i.test(
      selectors.slice(selectors.lastIndexOf(';') + 1).trim(),
    );
    const close = isGroup ? findGroupEnd(css, open) : css.indexOf('}', open);
    if (close < 0) return;
    if (!isGroup) addRule(selectors, css.slice(open + 1, close), rules);
    from = close + 1;
  }
}

function addRule(selectors: string, body: string, rules: Map<string, Style>): void {
  const style = readStyle(body);
  if (Object.keys(style).length === 0) return;
  for (const selector of selectors.slice(0, STYLE_CHARS_MAX).split(',')) {
    const name = selector.trim().toLowerCase();
    if (/^[a-z0-9]*[.#]?[\w-]+$/.test(name)) rules.set(name, { ...rules.get(name), ...style });
  }
}

function findGroupEnd(css: string, open: number): number {
  let depth = 0;
  for (let index = open; index < css.length; index++) {
    const unit = css[index];
    if (unit === '{') depth++;
    else if (unit === '}' && --depth === 0) return index;
  }
  return -1;
}

function withoutComments(css: string): string {
  let out = '';
  let from = 0;
  for (;;) {
    const open = css.indexOf('/*', from);
    if (open < 0) return out + css.slice(from);
    out += css.slice(from, open);
    const close = css.indexOf('*/', open + 2);
    if (close < 0) return out;
    from = close + 2;
  }
}
