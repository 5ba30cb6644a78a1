/** The words around a code, as a person reads them. */
import { CONTEXT_CHARS_MAX } from '../bounds.ts';
import type { ReadPart } from './reading.ts';

const MORE = '…';

/** Returns up to 80 characters around the code; if it is alone on its line, with the line before. */
export function readContext(part: ReadPart, index: number, start: number, end: number): string {
  const { text } = part.lines[index]!;
  const alone = text.length - (end - start) <= 6;
  const before = alone ? findLineBefore(part, index) : '';
  const lead = before === '' ? '' : `${before} `;
  return cut(lead + text, lead.length + start, lead.length + end).toWellFormed();
}

function findLineBefore(part: ReadPart, index: number): string {
  for (let at = index - 1; at >= 0 && at >= index - 5; at--) {
    const { text } = part.lines[at]!;
    if (text !== '') return text.slice(-CONTEXT_CHARS_MAX * 2);
  }
  return '';
}

function cut(text: string, start: number, end: number): string {
  if (text.length <= CONTEXT_CHARS_MAX) return text;
  const room = Math.max(0, CONTEXT_CHARS_MAX - (end - start) - 2 * MORE.length);
  const ahead = Math.min(text.length - end, Math.floor(room / 3));
  let from = Math.max(0, start - (room - ahead));
  let to = Math.min(text.length, end + room - (start - from));
  // Cut at word boundaries where possible.
  if (from > 0) from = findWordStart(text, from, start);
  if (to < text.length) to = findWordEnd(text, to, end);
  return `${from > 0 ? MORE : ''}${text.slice(from, to).trim()}${to < text.length ? MORE : ''}`;
}

function findWordStart(text: string, from: number, limit: number): number {
  const space = text.indexOf(' ', from - 1);
  return space >= 0 && space < limit && space - from < 20 ? space + 1 : from;
}

function findWordEnd(text: string, to: number, limit: number): number {
  const space = text.lastIndexOf(' ', to);
  return space >= limit && to - space < 20 ? space : to;
}
