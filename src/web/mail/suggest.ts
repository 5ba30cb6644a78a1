import {
  isSearchToken,
  type SearchToken,
  searchTokens,
  splitSearchQuery,
  writeSearchTerm,
} from '../../rules/search-language.ts';
import { words } from '../words/words.ts';

/** Values that the page knows and can suggest. */
export interface Known {
  senders: readonly { name: string; address: string }[];
  recipients: readonly string[];
  inboxes: readonly { address: string; label: string }[];
  tags: readonly string[];
  today: Date;
}

export interface Suggestion {
  /** The text that replaces the term. */
  written: string;
  about: string;
  /** Whether this completes the term. */
  isWhole: boolean;
}

export interface Suggestions {
  /** The range of the term in the text. */
  from: number;
  to: number;
  list: Suggestion[];
}

/** Most values to suggest for a token. */
const VALUES_MAX = 8;

const names = Object.keys(searchTokens) as SearchToken[];

/** Returns the suggestions for the term at the caret. */
export function suggest(text: string, caret: number, known: Known): Suggestions {
  const term = splitSearchQuery(text).find(({ from, to }) => from < caret && caret <= to);
  if (!term) return { from: caret, to: caret, list: listTokenNames('', false) };
  const { from, to, not, name, value, isPhrase } = term;
  if (name === undefined) {
    return { from, to, list: isPhrase ? [] : listTokenNames(value.replace(/^-$/, ''), not || value === '-') };
  }
  const token = name.toLowerCase();
  if (!isSearchToken(token)) return { from, to, list: [] };
  const needle = value.toLowerCase();
  const fitting = listValues(token, known).filter(
    (one) => `${one.value} ${one.about}`.toLowerCase().includes(needle) && one.value !== value,
  );
  // Values that begin with it come first.
  const list = [
    ...fitting.filter((one) => begins(one, needle)),
    ...fitting.filter((one) => !begins(one, needle)),
  ]
    .slice(0, VALUES_MAX)
    .map((one) => ({
      written: writeSearchTerm({ not, name: token, value: one.value }),
      about: one.about,
      isWhole: true,
    }));
  return { from, to, list };
}

function listTokenNames(start: string, not: boolean): Suggestion[] {
  return names
    .filter((name) => name.startsWith(start.toLowerCase()))
    .map((name) => ({
      written: `${not ? '-' : ''}${name}:`,
      about: words.search.tokens[name],
      isWhole: false,
    }));
}

const begins = ({ value, about }: Value, needle: string) =>
  [value, about].some((text) => text.toLowerCase().startsWith(needle));

interface Value {
  value: string;
  about: string;
}

function listValues(token: SearchToken, known: Known): Value[] {
  const { takes } = searchTokens[token];
  if (typeof takes !== 'string') return takes.map((value) => ({ value, about: '' }));
  switch (token) {
    case 'from':
      return known.senders.map(({ name, address }) => ({ value: address, about: name }));
    case 'to':
      return known.recipients.map((value) => ({ value, about: '' }));
    case 'inbox':
      return known.inboxes.map(({ address, label }) => ({ value: address, about: label }));
    case 'tag':
      return known.tags.map((value) => ({ value, about: '' }));
    case 'before':
    case 'after':
      return listDays(known.today);
    case 'larger':
    case 'smaller':
      return ['10k', '100k', '1m', '10m'].map((value) => ({ value, about: '' }));
    default:
      return [];
  }
}

/** Days in the form of the search language, which is in UTC. */
function listDays(today: Date): Value[] {
  const t = words.search.days;
  const days: [about: string, before: number][] = [
    [t.today, 0],
    [t.yesterday, 1],
    [t.week, 7],
    [t.month, 30],
  ];
  return days.map(([about, before]) => {
    const value = new Date(today.getTime() - before * 86_400_000).toISOString().slice(0, 10);
    return { value, about };
  });
}

/** Returns the text with the term replaced by a suggestion, and the new position of the caret. */
export function accept(
  text: string,
  { from, to }: Pick<Suggestions, 'from' | 'to'>,
  { written, isWhole }: Suggestion,
): { text: string; caret: number } {
  const begin = text.slice(0, from);
  const gap = begin === '' || /\s$/.test(begin) ? '' : ' ';
  const head = `${begin}${gap}${written}${isWhole ? ' ' : ''}`;
  return { text: head + text.slice(to).replace(/^\s+/, isWhole ? '' : ' '), caret: head.length };
}
