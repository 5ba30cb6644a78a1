import type { MessageInList } from '../../doors/dashboard/wire.ts';
/** Turns search text such as `from:ann subject:code is:unread has:code word` into the filters of the API. */

export interface Filter {
  q: string;
  from: string;
  subject_contains: string;
  read: 'true' | 'false' | '';
  has_otp: boolean;
}

const TOKEN = /(from|subject|is|has):("[^"]*"|\S+)/gi;

export function readSearch(text: string): Filter {
  const filter: Filter = { q: '', from: '', subject_contains: '', read: '', has_otp: false };
  filter.q = text
    .replace(TOKEN, (_, name: string, quoted: string) => {
      const value = quoted.replace(/^"|"$/g, '');
      if (name.toLowerCase() === 'from') filter.from = value;
      else if (name.toLowerCase() === 'subject') filter.subject_contains = value;
      else if (value.toLowerCase() === 'unread') filter.read = 'false';
      else if (value.toLowerCase() === 'read') filter.read = 'true';
      else if (value.toLowerCase() === 'code') filter.has_otp = true;
      return '';
    })
    .replace(/\s+/g, ' ')
    .trim();
  return filter;
}

/** The search text with a word added or removed, for the filter buttons. */
export function toggled(text: string, word: string): string {
  const words = text.split(/\s+/).filter(Boolean);
  return (words.includes(word) ? words.filter((each) => each !== word) : [...words, word]).join(' ');
}

const fold = (text: string) => text.toLowerCase().normalize('NFC');

/** Whether a new message belongs in the filtered list; the same rule as the server's (features/messages/search.ts). */
export function fits(filter: Filter, { subject, from, otp, read }: MessageInList): boolean {
  const has = (text: string, part: string) => part === '' || fold(text).includes(fold(part));
  return (
    (has(subject, filter.q) || has(from, filter.q)) &&
    has(from, filter.from) &&
    has(subject, filter.subject_contains) &&
    (!filter.has_otp || otp !== null) &&
    (filter.read === '' || String(read) === filter.read)
  );
}
