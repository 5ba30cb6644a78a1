import { stripHtml } from './html/strip-html.ts';

/** Characters of a text that a list shows beside the subject. */
export const SNIPPET_CHARS_MAX = 160;
/** Characters of text that are read for a snippet: newsletters pad their first line with blanks that nobody sees. */
const READ_CHARS = 2_000;
/** Characters of HTML that are read for one, from `<body>` on: it has more tags than text. */
const READ_HTML_CHARS = 16 * 1024;

/** White space other than a blank, and characters without width, which pad the previews of newsletters. */
const PADS =
  '\\t-\\r\u00a0\u00ad\u061c\u115f\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u2069\u3000\ufeff';
/** Runs of them and of blanks, but not the single blanks between words. */
const PADDING = new RegExp(`(?:  | ?(?:\u034f|[${PADS}]))(?:\u034f|[ ${PADS}])*`, 'g');

/** Characters that are enough for the whole snippet, unless there is much padding. */
const USUAL_CHARS = 2 * SNIPPET_CHARS_MAX;

/** Returns the beginning of a mail's text, or of what its HTML shows, in one line. */
export function cutSnippet({ text, html }: { text: string; html: string }): string {
  const shown = /\S/.test(text) ? text.slice(0, READ_CHARS) : showBeginning(html);
  const usual = shown.slice(0, USUAL_CHARS).replace(PADDING, ' ').trimStart();
  // If enough characters are left, the rest makes no difference.
  const line = usual.length > SNIPPET_CHARS_MAX ? usual : shown.replace(PADDING, ' ').trim();
  return line.slice(0, SNIPPET_CHARS_MAX).toWellFormed();
}

/** Returns what the beginning of HTML shows, however long it is. */
export function showBeginning(html: string): string {
  const body = Math.max(0, html.search(/<body\b/i));
  const piece = html.slice(body, body + READ_HTML_CHARS);
  // The last tag may be cut in two.
  const whole = piece.length < READ_HTML_CHARS ? piece : piece.slice(0, piece.lastIndexOf('<'));
  return stripHtml(whole);
}
