import { toOneLine } from './one-line.ts';
import type { Quotable } from './parsed.ts';

/** Headers of a quoted mail, all written by a stranger. */
export interface QuotedHead {
  from: string;
  to: readonly string[];
  cc: readonly string[];
  subject: string;
  /** When it was received. */
  date: string;
}

/** What the sender writes above a quoted mail. A part that the sender left out is empty. */
export interface Note {
  text: string;
  html: string;
}

const RULE = '---------- Forwarded message ----------';

/**
 * Composes the bodies of an email that forwards a mail: text unless the note is only HTML, and HTML if the note or the
 * mail has some. Every line of the quoted mail is marked, so it can't pass for the sender's own words.
 */
export function composeForwardBodies(note: Note, head: QuotedHead, quoted: Quotable): Note {
  const hasText = note.text !== '' || note.html === '';
  const hasHtml = note.html !== '' || quoted.html !== '';
  return {
    text: hasText ? forwardText(note.text, head, quoted.text) : '',
    html: hasHtml ? forwardHtml(note, head, quoted) : '',
  };
}

/** Composes the bodies of an email with a mail attached: the note, and the headers of the attached mail. */
export function composeAttachedBodies(note: Note, head: QuotedHead): Note {
  const lines = [RULE, ...formatHead(head)];
  const hasText = note.text !== '' || note.html === '';
  const above = note.text === '' ? '' : `${note.text.trimEnd()}\n\n`;
  return {
    text: hasText ? `${above}${lines.join('\n')}\n` : '',
    html:
      note.html === '' ? '' : putBelow(note.html, `<div>${lines.map(Bun.escapeHTML).join('<br>\n')}</div>\n`),
  };
}

function forwardText(note: string, head: QuotedHead, text: string): string {
  const marked = text
    .split('\n')
    .map((line) => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`));
  const above = note === '' ? '' : `${note.trimEnd()}\n\n`;
  return `${above}${[RULE, ...formatHead(head)].join('\n')}\n\n${marked.join('\n')}\n`;
}

function forwardHtml(note: Note, head: QuotedHead, quoted: Quotable): string {
  const lines = [RULE, ...formatHead(head)].map(Bun.escapeHTML).join('<br>\n');
  const copy = quoted.html === '' ? toHtml(quoted.text) : quoted.html;
  const below = `<div>${lines}</div>\n<blockquote>\n${copy}\n</blockquote>\n`;
  const above = note.html === '' ? toHtml(note.text) : note.html;
  return above === '' ? below : putBelow(above, below);
}

function putBelow(above: string, below: string): string {
  // If the body is a whole document, inside its <body>.
  const end = above.toLowerCase().lastIndexOf('</body>');
  if (end >= 0) return `${above.slice(0, end)}<br>\n${below}${above.slice(end)}`;
  return `${above}\n<br>\n${below}`;
}

function formatHead({ from, to, cc, subject, date }: QuotedHead): string[] {
  return [
    `From: ${toOneLine(from)}`,
    `Date: ${date}`,
    `Subject: ${toOneLine(subject)}`,
    ...(to.length > 0 ? [`To: ${toOneLine(to.join(', '))}`] : []),
    ...(cc.length > 0 ? [`Cc: ${toOneLine(cc.join(', '))}`] : []),
  ];
}

function toHtml(text: string): string {
  return text === '' ? '' : `<div>${Bun.escapeHTML(text).replace(/\r\n|\r|\n/g, '<br>\n')}</div>`;
}
