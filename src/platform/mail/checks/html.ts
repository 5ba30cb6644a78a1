import { AccessibilityReading } from './accessibility.ts';
import { otherFeatures } from './feature-names.ts';
import { FeatureUses } from './feature-uses.ts';
import type { MailFindings } from './findings.ts';
import type { WrittenLink } from './judge-links.ts';
import { LineCounter, type MarkupHandler, type OpenTag, readMarkup } from './markup.ts';

/** Links that are read. The list has at most JUDGED_LINKS_MAX different ones. */
const LINKS_READ_MAX = 2_000;
const LINK_TEXT_CHARS_MAX = 500;

export interface HtmlFindings {
  support: MailFindings['html'];
  accessibility: MailFindings['accessibility'];
  links: WrittenLink[];
}

/** Reads a mail's HTML once, for every check. */
export function checkHtml(html: string): HtmlFindings {
  const reading = new HtmlReading(html);
  readMarkup(html, reading);
  reading.end();
  return {
    support: reading.uses.judge(),
    accessibility: html === '' ? [] : reading.accessibility.judge(),
    links: reading.links,
  };
}

class HtmlReading implements MarkupHandler {
  readonly uses: FeatureUses;
  readonly accessibility: AccessibilityReading;
  readonly links: WrittenLink[] = [];
  private link: { tag: OpenTag; text: string } | undefined;
  private sheet: { css: string; at: number } | undefined;
  private isScript = false;

  constructor(html: string) {
    const lines = new LineCounter(html);
    this.uses = new FeatureUses(html, lines);
    this.accessibility = new AccessibilityReading(html, lines);
  }

  open(tag: OpenTag): void {
    const { name, attributes } = tag;
    // Data for mail programs, not a script.
    const isData = name === 'script' && /json/i.test(attributes.get('type') ?? '');
    const declared = isData ? new Map<string, string>() : this.uses.addTag(tag);
    if (name === 'a') this.endLink();
    this.accessibility.open(tag, declared);
    if (name === 'style') this.sheet = { css: '', at: tag.end };
    this.isScript = name === 'script';
    if (name === 'a' && attributes.has('href')) this.link = { tag, text: '' };
    if (name === 'area' && attributes.has('href')) this.keepLink(tag, attributes.get('alt') ?? '');
    if (name === 'img' && this.link) this.link.text += ` ${attributes.get('alt') ?? ''}`;
  }

  close(name: string): void {
    if (name === 'style' && this.sheet) this.endSheet(this.sheet);
    if (name === 'script') this.isScript = false;
    if (name === 'a') this.endLink();
    this.accessibility.close(name);
  }

  text(text: string): void {
    if (this.sheet) {
      this.sheet.css += text;
      return;
    }
    if (this.isScript) return;
    if (this.link && this.link.text.length < LINK_TEXT_CHARS_MAX)
      this.link.text += text.slice(0, LINK_TEXT_CHARS_MAX);
    this.accessibility.text(text);
  }

  comment(at: number): void {
    this.uses.add(otherFeatures.htmlComment, Math.max(0, at - '<!--'.length), at + 40);
  }

  declaration(text: string, at: number): void {
    if (/^!?doctype\s+html/i.test(text.slice(0, 100)))
      this.uses.add(otherFeatures.doctype, Math.max(0, at - 2), at + text.length + 1);
  }

  /** Ends what is still open when the HTML ends. */
  end(): void {
    if (this.sheet) this.endSheet(this.sheet);
    this.endLink();
  }

  private endSheet({ css, at }: { css: string; at: number }): void {
    this.sheet = undefined;
    this.uses.addSheet(css, at);
  }

  private endLink(): void {
    if (!this.link) return;
    const { tag, text } = this.link;
    this.link = undefined;
    this.accessibility.link(tag, text);
    this.keepLink(tag, text);
  }

  private keepLink({ attributes }: OpenTag, text: string): void {
    if (this.links.length < LINKS_READ_MAX) this.links.push({ url: attributes.get('href') ?? '', text });
  }
}
