import { QUOTED_HTML_CHARS_MAX, QUOTED_TEXT_CHARS_MAX } from './bounds.ts';
import { sanitizeQuote } from './html/quotable-html.ts';
import { readHtml } from './html/visible-text.ts';
import type { ParsedContent, Quotable, QuoteLook } from './parsed.ts';

const CUT = '[…]';

/** Returns what an email of ours may quote from a mail. Runs only in the parser process (html/quotable-html.ts says why). */
export function readQuotable(
  { text, html }: Pick<ParsedContent, 'text' | 'html'>,
  { pictures, linksInText = false }: QuoteLook,
): Quotable {
  const clean = html === '' ? '' : sanitizeQuote(html, pictures);
  return {
    text: cutText(text.trim() === '' ? readVisibleText(linksInText ? writeLinks(clean) : html) : text),
    html: clean !== '' && html.length > QUOTED_HTML_CHARS_MAX ? `${clean}<p>${CUT}</p>` : clean,
  };
}

function readVisibleText(html: string): string {
  return html === ''
    ? ''
    : readHtml(html)
        .lines.map((line) => line.text)
        .join('\n');
}

/** Writes the address of each link into sanitised HTML, behind the link's words: `Sign in ( https://example.com )`. */
function writeLinks(clean: string): string {
  let link = '';
  let at = 0;
  return clean.replace(
    /<a\b(?: [^>]*?href="([^"]*)")?[^>]*>|<\/a>/g,
    (tag, href: string | undefined, from: number) => {
      if (tag !== '</a>') {
        link = href ?? '';
        at = from + tag.length;
        return tag;
      }
      const address = link.replace(/^mailto:/, '');
      const isShown = address === '' || clean.slice(at, from).trim() === address;
      link = '';
      return isShown ? tag : ` ( ${address} )${tag}`;
    },
  );
}

function cutText(text: string): string {
  const lines = text
    .slice(0, QUOTED_TEXT_CHARS_MAX)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]+/gu, ' ')
    .trimEnd();
  return text.length > QUOTED_TEXT_CHARS_MAX ? `${lines}\n${CUT}` : lines;
}
