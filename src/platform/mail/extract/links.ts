import { LINK_CHARS_MAX, LINKS_MAX } from '../bounds.ts';
import type { ReadMail } from './reading.ts';

/** Lists a mail's absolute http, https and mailto addresses, in order, without duplicates. */
export function listLinks(reading: ReadMail): { links: string[]; cut: boolean } {
  const found = new Set<string>();
  let cut = false;
  for (const { link } of reading.links) {
    const url = link.url.toWellFormed();
    if (!/^(?:https?:\/\/|mailto:)\S/i.test(url) || found.has(url)) continue;
    if (url.length > LINK_CHARS_MAX || found.size >= LINKS_MAX) cut = true;
    else if (URL.canParse(url)) found.add(url);
  }
  return { links: [...found], cut };
}
