import { type Colour, formatColour, measureContrast, readColour } from './colours.ts';
import { FINDINGS_MAX, formatPlace, type MailFindings } from './findings.ts';
import type { LineCounter, OpenTag } from './markup.ts';

type Rule = MailFindings['accessibility'][number]['rule'];

/** What contrast needs to know about an open element. A colour is null if it is not known. */
interface OpenElement {
  name: string;
  at: number;
  end: number;
  colour: Colour | null;
  background: Colour | null;
  size: number;
  bold: boolean;
  hidden: boolean;
}

/** Open elements that are kept, and how many of them an end tag is compared with. Mails nest about 40 deep. */
const DEPTH_MAX = 1_000;
const LOOK_UP_MAX = 100;

const VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|param)$/;

/** Texts of links that say nothing when a screen reader lists the links. */
const VAGUE =
  /^(click( here)?|here|more|more info|read more|learn more|this|link|this link|go|hier|klicken sie hier|mehr|mehr erfahren|weiterlesen|ici|cliquez ici|en savoir plus|lire la suite|aquí|haga clic aquí|leer más|más|clicca qui|qui|leggi|clique aqui|saiba mais|klik hier|lees meer)[.!>» →]*$/i;

/** The least contrast of text, and the size in pixels from which text is large (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5;
const LARGE_CONTRAST_MIN = 3;
const LARGE_PX = 24;
const LARGE_BOLD_PX = 18.66;

const ROOT: OpenElement = {
  name: '',
  at: 0,
  end: 0,
  colour: null,
  background: null,
  size: 16,
  bold: false,
  hidden: false,
};

/** Finds what keeps people who are blind or have low vision from reading a mail. */
export class AccessibilityReading {
  private readonly found: MailFindings['accessibility'] = [];
  private readonly stack: OpenElement[] = [];
  private readonly pairs = new Set<string>();
  private hasLanguage = false;
  private root: OpenTag | undefined;
  private heading: { tag: OpenTag; text: string } | undefined;
  private level = 0;
  private hasSheet = false;

  constructor(
    private readonly html: string,
    private readonly lines: LineCounter,
  ) {}

  open(tag: OpenTag, declared: ReadonlyMap<string, string>): void {
    const { name, attributes } = tag;
    if (name === 'style') this.hasSheet = true;
    if (name === 'html') {
      this.root ??= tag;
      this.hasLanguage ||= (attributes.get('lang') ?? attributes.get('xml:lang') ?? '').trim() !== '';
    }
    const isDecoration = /^(presentation|none)$/.test(attributes.get('role') ?? '');
    if (name === 'img' && !attributes.has('alt') && !isDecoration && attributes.get('aria-hidden') !== 'true')
      this.add('alt', tag);
    if (name === 'img' && this.heading) this.heading.text += attributes.get('alt') ?? '';
    if (/^h[1-6]$/.test(name)) this.openHeading(tag);
    if (!VOID.test(name) && this.stack.length < DEPTH_MAX)
      this.stack.push(this.describe(tag, declared, this.stack.at(-1) ?? ROOT));
  }

  close(name: string): void {
    if (/^h[1-6]$/.test(name)) this.closeHeading();
    const lowest = Math.max(0, this.stack.length - LOOK_UP_MAX);
    for (let index = this.stack.length - 1; index >= lowest; index--) {
      if (this.stack[index]!.name !== name) continue;
      this.stack.length = index;
      return;
    }
  }

  text(text: string): void {
    if (this.heading && this.heading.text.length < 100) this.heading.text += text.trim();
    const element = this.stack.at(-1);
    if (!element || element.hidden || !element.colour || !element.background) return;
    if (!/[\p{L}\p{N}]/u.test(text)) return;
    const isLarge = element.size >= LARGE_PX || (element.bold && element.size >= LARGE_BOLD_PX);
    const contrast = measureContrast(element.colour, element.background);
    if (contrast >= (isLarge ? LARGE_CONTRAST_MIN : CONTRAST_MIN)) return;
    const pair = `${formatColour(element.colour)} on ${formatColour(element.background)}`;
    if (this.pairs.has(pair)) return;
    this.pairs.add(pair);
    // Rounded down, so that 4.49 does not look like enough.
    this.add('contrast', element, `${pair}, ${Math.floor(contrast * 10) / 10}:1 `);
  }

  /**
   * Checks a link, when it ends.
   *
   * @param text what is read aloud: its text, or else the description of its picture.
   */
  link(tag: OpenTag, text: string): void {
    const label = tag.attributes.get('aria-label') ?? tag.attributes.get('title') ?? '';
    const spoken = (text.trim() || label).replace(/\s+/g, ' ').trim();
    if (!this.stack.at(-1)?.hidden && (spoken === '' || VAGUE.test(spoken.slice(0, 60))))
      this.add('link_text', tag);
  }

  /** Returns what was found, in the order of the mail. */
  judge(): MailFindings['accessibility'] {
    if (this.html.trim() !== '' && !this.hasLanguage) {
      const element = this.root ? this.place(this.root) : formatPlace(1, 'no <html> element');
      this.found.unshift({ rule: 'lang', element });
    }
    return this.found.slice(0, FINDINGS_MAX);
  }

  private openHeading(tag: OpenTag): void {
    this.heading = { tag, text: '' };
    const level = Number(tag.name.slice(1));
    if (this.level > 0 && level > this.level + 1) this.add('heading', tag, `h${this.level} before `);
    this.level = level;
  }

  private closeHeading(): void {
    if (this.heading && this.heading.text.trim() === '') this.add('heading', this.heading.tag, 'empty ');
    this.heading = undefined;
  }

  private describe(
    { name, attributes, at, end }: OpenTag,
    style: ReadonlyMap<string, string>,
    parent: OpenElement,
  ) {
    // A class may set colours in a style sheet, and a link has its own colour.
    const isStyled = this.hasSheet && (attributes.has('class') || attributes.has('id'));
    const colour =
      style.get('color') ?? attributes.get('color') ?? (name === 'body' ? attributes.get('text') : undefined);
    const background = style.get('background-color') ?? style.get('background') ?? attributes.get('bgcolor');
    const hasPicture = style.has('background-image') || attributes.has('background');
    return {
      name,
      at,
      end,
      colour:
        colour === undefined
          ? isStyled || name === 'a'
            ? null
            : parent.colour
          : readDeclared(colour, parent.colour),
      background: hasPicture
        ? null
        : background === undefined
          ? isStyled
            ? null
            : parent.background
          : readDeclared(background, parent.background),
      size: readSize(style.get('font-size'), parent.size),
      bold:
        /^(b|strong|th|h[1-6])$/.test(name) ||
        /^(bold|[6-9]00)/.test(style.get('font-weight') ?? '') ||
        parent.bold,
      hidden: parent.hidden || isUnseen(name, style),
    };
  }

  private add(rule: Rule, tag: Pick<OpenTag, 'at' | 'end'>, before = ''): void {
    if (this.found.length < FINDINGS_MAX) this.found.push({ rule, element: this.place(tag, before) });
  }

  private place({ at, end }: Pick<OpenTag, 'at' | 'end'>, before = ''): string {
    return formatPlace(this.lines.lineAt(at), before + this.html.slice(at, end));
  }
}

/** Reads a declared colour. `inherit` and `transparent` show what is behind. */
function readDeclared(written: string, inherited: Colour | null): Colour | null {
  const value = written.replace(/\s*!important$/, '').trim();
  return /^(inherit|transparent|none|currentcolor|unset)?$/.test(value) ? inherited : readColour(value);
}

function readSize(written: string | undefined, inherited: number): number {
  const [, number, unit] = /^(\d{1,4}(?:\.\d{1,4})?)(px|pt|em|rem|%)/.exec(written ?? '') ?? [];
  const value = Number(number);
  if (number === undefined) return inherited;
  if (unit === 'px') return value;
  if (unit === 'pt') return (value * 4) / 3;
  if (unit === 'rem') return value * 16;
  return unit === 'em' ? value * inherited : (value / 100) * inherited;
}

function isUnseen(name: string, style: ReadonlyMap<string, string>): boolean {
  return (
    /^(head|style|script|title|template|noscript)$/.test(name) ||
    /^none/.test(style.get('display') ?? '') ||
    /^hidden/.test(style.get('visibility') ?? '') ||
    /^0/.test(style.get('opacity') ?? '1') ||
    /^[01](px|pt)?( |$)/.test(style.get('font-size') ?? '') ||
    /^all/.test(style.get('mso-hide') ?? '')
  );
}
