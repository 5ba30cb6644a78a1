import { LINK_CHARS_MAX, LINKS_MAX } from '../bounds.ts';
import { scanHrefs } from '../html/hrefs.ts';
import { findUrls } from './plain-text.ts';
import type { ReadMail } from './reading.ts';

/**
 * Lists a mail's absolute http, https and mailto addresses, in order, without duplicates. A long part is not read to its
 * end, but its links are listed.
 */
export function listLinks({ links, rest }: ReadMail): { links: string[]; cut: boolean } {
  const list = new LinkList();
  for (const { link, part } of links) if (part.source === 'html') list.add(link.url);
  scanHrefs(rest.html, list);
  for (const { link, part } of links) if (part.source !== 'html') list.add(link.url);
  for (const { url } of findUrls(rest.text)) {
    if (list.isFull) break;
    list.add(url);
  }
  return { links: [...list.found], cut: list.cut };
}

/** Links that are looked at, also those that are listed already: each takes some time. */
const SEEN_MAX = 10_000;

class LinkList {
  readonly found = new Set<string>();
  cut = false;
  private seen = 0;

  /** Whether further links change nothing. */
  get isFull(): boolean {
    return this.seen > SEEN_MAX || (this.cut && this.found.size >= LINKS_MAX);
  }

  add(raw: string): void {
    this.seen++;
    if (this.seen > SEEN_MAX) this.cut = true;
    const url = raw.toWellFormed();
    if (!/^(?:https?:\/\/|mailto:)\S/i.test(url) || this.found.has(url)) return;
    if (url.length > LINK_CHARS_MAX || this.found.size >= LINKS_MAX) this.cut = true;
    else if (URL.canParse(url)) this.found.add(url);
  }
}
