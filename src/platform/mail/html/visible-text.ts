/**
 * Reduces HTML to its visible text. It loads, runs and lays out nothing: the elements and simple styles decide what is
 * visible.
 */
import { HREF_CHARS_MAX } from '../bounds.ts';
import { readActions } from './actions.ts';
import type { Attributes, Tag } from './elements.ts';
import {
  FOUND_LINKS_MAX,
  type FoundLink,
  LINK_TEXT_MAX,
  LineWriter,
  type Look,
  type MailAction,
  type Page,
  PLAIN_LOOK,
} from './page.ts';
import { joinSplitCodes } from './split-codes.ts';
import { isReadable, readSheet, readStyle, type Style } from './style.ts';
import { scanTags, type TagVisitor } from './tag-reader.ts';

/** Characters of HTML that are read. */
const HTML_CHARS_MAX = 256 * 1024;
/** Nested elements. */
const DEPTH_MAX = 400;
/** Elements that are read. */
const ELEMENTS_MAX = 20_000;
/** Characters that are kept of one style sheet or JSON-LD script. */
const RAW_CHARS_MAX = 64 * 1024;

const NO_STYLE: Style = Object.freeze({});
const QUOTE_CLASS = /(^|\s)(gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote|gmail_extra)(\s|$)/;

/**
 * The elements that Outlook puts above the answered mail. The header and the text of that mail follow, outside them.
 */
const REPLY_ID = /^(?:divRplyFwdMsg|appendonsend)$/;

interface Element {
  name: string;
  block: boolean;
  hidden: boolean;
  quoted: boolean;
  look: Look;
  row: number;
  preserved: boolean;
  /** Type of the schema.org action described here. */
  action: string;
}

/** Digits, or capitals with digits, as in the description of a picture that shows a code. */
const MAY_SHOW_CODE = /\d(?:[ -]?\d){3}|(?=[A-Z]*\d)[A-Z\d]{5}/;

/** Returns what a person sees of an HTML part: its lines, links and schema.org actions. */
export function readHtml(html: string): Page {
  const bounded = html.slice(0, HTML_CHARS_MAX);
  const reader = new Reader(!/<(?:br|p|div|td|li|h[1-6])\b/i.test(bounded));
  const stop = scanTags(bounded, reader);
  // A tag that the bound cuts in two belongs to the rest.
  const isWhole = stop < bounded.length || bounded.length === html.length;
  return { ...reader.page(), rest: html.slice(isWhole ? stop : Math.max(0, bounded.lastIndexOf('<'))) };
}

class Reader implements TagVisitor {
  private readonly writer = new LineWriter();
  private readonly links: FoundLink[] = [];
  private readonly actions: MailAction[] = [];
  private readonly rules = new Map<string, Style>();
  private readonly styles = new Map<string, Style>();
  private readonly stack: Element[] = [];
  private elements = 0;
  private depth = 0;
  private row = -1;
  /** Whether everything from here on is the mail that this one answers. */
  private isBelowReply = false;
  private link: FoundLink | undefined;
  private raw: { kind: 'style' | 'json'; text: string } | undefined;

  /** @param keepsNewlines true if line ends count, because the part has no block elements. */
  constructor(private readonly keepsNewlines: boolean) {}

  get isFull(): boolean {
    return this.writer.isFull || this.depth > DEPTH_MAX || this.elements > ELEMENTS_MAX;
  }

  openTag(tag: Tag, attributes: Readonly<Attributes>): void {
    this.depth++;
    this.elements++;
    const { name } = tag;
    const parent = this.stack.at(-1);
    const style = this.findStyle(name, attributes);
    const element: Element = {
      name,
      block: tag.block,
      hidden: (parent?.hidden ?? false) || tag.unseen || isHidden(name, attributes, style),
      quoted: (parent?.quoted ?? false) || this.isBelowReply || isQuote(name, attributes),
      look: nameLook(deriveLook(parent?.look ?? PLAIN_LOOK, tag.look, style), attributes),
      row: parent?.row ?? -1,
      preserved: name === 'pre' || (style.preserved ?? parent?.preserved ?? this.keepsNewlines),
      action: readActionType(attributes) || (parent?.action ?? ''),
    };
    if (element.block) this.endLine(parent ?? element);
    if (name === 'tr') element.row = ++this.row;
    this.stack.push(element);
    this.isBelowReply ||= REPLY_ID.test(attributes.id ?? '');
    if (name === 'a' || name === 'area') this.openLink(attributes, element, style);
    if (name === 'input' && !element.hidden && attributes.value) this.seeField(attributes.value, element);
    if (name === 'img') this.seePicture(attributes.alt ?? '', element);
    if (name === 'style') this.raw = { kind: 'style', text: '' };
    if (name === 'script' && /ld\+json/i.test(attributes.type ?? '')) this.raw = { kind: 'json', text: '' };
    const actionUrl = attributes.href ?? attributes.content;
    if (element.action && actionUrl && /^(url|target)$/.test(attributes.itemprop ?? ''))
      this.addActions([{ type: element.action, url: actionUrl }]);
  }

  text(text: string): void {
    if (this.raw) {
      if (this.raw.text.length < RAW_CHARS_MAX) this.raw.text += text;
      return;
    }
    const element = this.stack.at(-1);
    if (element?.hidden || this.writer.isFull) return;
    const look = element?.look ?? PLAIN_LOOK;
    if (!isReadable(look.size)) return;
    if (this.link && this.link.text.length < LINK_TEXT_MAX) {
      this.link.text += this.link.picture ? '' : text.slice(0, LINK_TEXT_MAX);
      if (text.trim() !== '' && this.link.picture) Object.assign(this.link, { text, picture: false });
      this.link.size = Math.max(this.link.size, look.size);
    }
    if (!(element?.preserved ?? this.keepsNewlines) || !text.includes('\n')) {
      this.writer.write(text, look);
      return;
    }
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) this.endLine(element);
      this.writer.write(line, look);
    }
  }

  closeTag({ name }: Tag): void {
    this.depth--;
    const element = this.stack.at(-1);
    if (element?.name !== name) return;
    if (this.raw && (name === 'style' || name === 'script')) this.endRaw();
    if (element.block) this.endLine(element);
    if (name === 'a') this.endLink(element);
    this.stack.pop();
  }

  page(): Omit<Page, 'rest'> {
    this.endLine(this.stack.at(-1));
    const { lines } = this.writer;
    joinSplitCodes(lines);
    return { lines, links: this.links, actions: this.actions };
  }

  private endLine(element: Element | undefined): void {
    this.writer.end(element?.row ?? -1, this.isBelowReply || (element?.quoted ?? false));
  }

  private endRaw(): void {
    if (this.raw?.kind === 'style') readSheet(this.raw.text, this.rules);
    else if (this.raw) this.addActions(readActions(this.raw.text));
    this.raw = undefined;
  }

  private addActions(found: MailAction[]): void {
    for (const action of found) if (this.actions.length < 10) this.actions.push(action);
  }

  private openLink(attributes: Readonly<Attributes>, element: Element, style: Style): void {
    this.link = undefined;
    const url = (attributes.href ?? '').trim().replace(/[\t\r\n]+/g, '');
    if (url === '' || url.length > HREF_CHARS_MAX || this.links.length >= FOUND_LINKS_MAX) return;
    if (/^(url|target)$/.test(attributes.itemprop ?? '') && element.action)
      this.addActions([{ type: element.action, url }]);
    element.look = { ...element.look, inLink: true };
    this.link = {
      url,
      text: '',
      line: this.writer.index,
      start: this.writer.position,
      hidden: element.hidden,
      quoted: element.quoted,
      button: style.button === true || /btn|button/i.test(attributes.class ?? ''),
      picture: false,
      size: 0,
    };
    this.links.push(this.link);
  }

  private endLink({ row, quoted }: Element): void {
    if (this.link?.picture) this.writer.endPicture(row, quoted);
    this.link = undefined;
  }

  /**
   * Reads a picture's description: it becomes the text of a link that has none, or a line, if the picture may show a
   * code.
   */
  private seePicture(alt: string, element: Element): void {
    if (this.link?.text === '') {
      this.link.picture = true;
      this.link.text = alt.slice(0, LINK_TEXT_MAX);
    } else if (!this.link && !element.hidden && alt.length <= LINK_TEXT_MAX && MAY_SHOW_CODE.test(alt)) {
      this.addLine(alt, element);
    }
  }

  /** Reads a field's value: a code to copy, or one character of it. */
  private seeField(value: string, element: Element): void {
    if (value.length === 1) this.text(value);
    else this.addLine(value, element);
  }

  private addLine(text: string, element: Element): void {
    this.endLine(element);
    this.text(text);
    this.endLine(element);
  }

  private findStyle(name: string, attributes: Readonly<Attributes>): Style {
    const { style, class: classes, id } = attributes;
    if (this.rules.size === 0) return style ? this.readOnce(style) : NO_STYLE;
    if (!style && !classes && !id) return this.rules.get(name) ?? NO_STYLE;
    let found: Style = { ...this.rules.get(name) };
    for (const one of (classes ?? '').toLowerCase().split(/\s+/, 8)) {
      if (one === '') continue;
      found = { ...found, ...this.rules.get(`.${one}`), ...this.rules.get(`${name}.${one}`) };
    }
    if (id) found = { ...found, ...this.rules.get(`#${id.toLowerCase()}`) };
    return style ? { ...found, ...this.readOnce(style) } : found;
  }

  private readOnce(css: string): Style {
    const known = this.styles.get(css);
    if (known) return known;
    const style = readStyle(css);
    if (this.styles.size < 500) this.styles.set(css, style);
    return style;
  }
}

function deriveLook(parent: Look, own: Tag['look'], style: Style): Look {
  if (style === NO_STYLE && own === null) return parent;
  const heading = own?.heading;
  const size = style.size
    ? style.size.value * (style.size.relative ? parent.size : 1)
    : (heading ?? parent.size);
  const look: Look = {
    size,
    bold: style.bold ?? (parent.bold || own?.bold === true),
    mono: style.mono ?? (parent.mono || own?.mono === true),
    spaced: style.spaced ?? parent.spaced,
    struck: style.struck ?? (parent.struck || own?.struck === true),
    heading: parent.heading || heading !== undefined,
    inLink: parent.inLink,
    named: parent.named,
  };
  return isSameLook(look, parent) ? parent : look;
}

const CODE_NAME =
  /one-?time-?(?:code|password)|\b(?:otp|otp-?code|verification-?code|auth-?code|login-?code|security-?code)\b/i;

/**
 * Marks text that an attribute calls a one-time code: `autocomplete` as in the HTML standard, or a usual class name.
 */
function nameLook(look: Look, { autocomplete, itemprop, class: classes, id }: Readonly<Attributes>): Look {
  if ((autocomplete ?? itemprop ?? classes ?? id) === undefined) return look;
  const isNamed = [autocomplete, itemprop, classes, id].some(
    (name) => name !== undefined && CODE_NAME.test(name.slice(0, 200)),
  );
  return isNamed ? { ...look, named: true } : look;
}

function isSameLook(one: Look, other: Look): boolean {
  return (
    one.size === other.size &&
    one.bold === other.bold &&
    one.mono === other.mono &&
    one.spaced === other.spaced &&
    one.struck === other.struck &&
    one.heading === other.heading &&
    one.named === other.named
  );
}

function isHidden(name: string, attributes: Readonly<Attributes>, style: Style): boolean {
  if (style.hidden || attributes.hidden !== undefined) return true;
  if (name === 'input') return !showsCode(attributes);
  // A preheader, hidden from screen readers as well.
  return attributes.ariaHidden === 'true' && /preheader|preview/i.test(attributes.class ?? '');
}

const TEXT_FIELD = /^(?:text|tel|number)?$/i;
const FIELD_VALUE = /^[A-Z\d]$/i;

/** Whether a field is there to be read: its value looks like a code, or like one character of it. */
function showsCode({ type = '', value = '', autocomplete = '' }: Readonly<Attributes>): boolean {
  if (type === 'hidden') return false;
  if (/one-time-code/i.test(autocomplete)) return true;
  const isShort = value.length <= LINK_TEXT_MAX && MAY_SHOW_CODE.test(value);
  return TEXT_FIELD.test(type) && (isShort || FIELD_VALUE.test(value));
}

function isQuote(name: string, attributes: Readonly<Attributes>): boolean {
  if (name === 'blockquote' && attributes.type === 'cite') return true;
  return attributes.class !== undefined && QUOTE_CLASS.test(attributes.class);
}

function readActionType({ itemtype }: Readonly<Attributes>): string {
  return itemtype ? (/schema\.org\/(\w*Action)$/i.exec(itemtype)?.[1] ?? '') : '';
}
