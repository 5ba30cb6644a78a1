import type { SearchTerm } from '../../../rules/search-language.ts';
import { listSpellings, markInbox, quotePhrase, splitTrigrams } from '../search-text.ts';
import { asciiAfter, markAccount, markFeature, markSizes } from './document.ts';

/*
 * Builds the index query of a search. Pure. The query finds every message that has the trigrams of each text somewhere.
 * check.ts then reads the message to see whether it has the text, and where.
 */

/** Bounds the trigrams of one text. Each is compared with every match of the others, but might be the rare one. */
const TRIGRAMS_MAX = 24;
/** Bounds the trigrams of all texts together. */
const TRIGRAMS_IN_ALL_MAX = 96;
/** Bounds the trigrams into which a text of one or two characters is expanded. */
export const EXPANDED_MAX = 300;

export interface IndexQuery {
  /** The FTS5 expression. */
  match: string;
  /** How many terms it has. */
  terms: number;
}

/** Look-ups in the store that the query depends on. */
export interface Lookups {
  /** The numbers of the inboxes whose address or label has the text; null if there are too many to compare. */
  listInboxes(needle: string): readonly number[] | null;
  /** Up to `EXPANDED_MAX` + 1 indexed trigrams with a character beyond ASCII that begin with this. */
  listTrigrams(start: string): readonly string[];
}

export type SearchScope = { inbox_no: number } | { account_no: number };

/** Returns the query, `none` if nothing can match, or `any` if the index is no help. */
export function buildIndexQuery(
  scope: SearchScope,
  terms: readonly SearchTerm[],
  lookups: Lookups,
): IndexQuery | 'none' | 'any' {
  const groups = [...listTexts(terms, lookups), ...listMarks(terms, lookups)];
  if (groups.some((group) => group.length === 0)) return 'none';
  if (groups.length === 0) return 'any';
  const place = 'inbox_no' in scope ? markInbox(scope.inbox_no) : markAccount(scope.account_no);
  const all = [...groups, [place]];
  return {
    match: all.map((group) => `(${group.map(quotePhrase).join(' OR ')})`).join(' AND '),
    terms: all.reduce((sum, group) => sum + group.length, 0),
  };
}

/** Returns groups of trigrams. A message must have one of each group. */
function listTexts(terms: readonly SearchTerm[], { listTrigrams }: Lookups): string[][] {
  const needles = terms.flatMap((term) =>
    term.kind === 'text' && !term.not && term.place !== 'inbox' ? [term.needle.trim()] : [],
  );
  const long = needles.flatMap(pickTrigrams);
  if (long.length > 0) return [...new Set(long)].slice(0, TRIGRAMS_IN_ALL_MAX).map(listSpellings);
  // A short text is only worth a query if there is nothing better.
  return needles
    .map((needle) => expand(needle, listTrigrams))
    .filter((group): group is string[] => group !== null && group.length <= EXPANDED_MAX)
    .slice(0, 1);
}

/** Picks trigrams that are spread over the needle, including its first and last one. */
function pickTrigrams(needle: string): string[] {
  const all = [...new Set(splitTrigrams(needle))];
  if (all.length <= TRIGRAMS_MAX) return all;
  const step = (all.length - 1) / (TRIGRAMS_MAX - 1);
  return Array.from({ length: TRIGRAMS_MAX }, (_, at) => all[Math.floor(at * step)]!);
}

/** Lists the trigrams that begin with one or two characters. Null for one ASCII character, which begins too many. */
function expand(needle: string, listTrigrams: Lookups['listTrigrams']): string[] | null {
  const isAscii = Array.from(needle).every((character) => character < '\x80');
  if (isAscii && needle.length < 2) return null;
  return [
    ...(isAscii ? asciiAfter.map((last) => needle + last) : []),
    ...listSpellings(needle).flatMap(listTrigrams),
  ];
}

/** Returns groups of marks. A message must have one of each group. */
function listMarks(terms: readonly SearchTerm[], { listInboxes }: Lookups): string[][] {
  return terms.flatMap((term): string[][] => {
    if (term.not) return [];
    if (term.kind === 'has') return [[markFeature(term.feature)]];
    if (term.kind === 'size') return [markSizes(term.side, term.bytes)];
    if (term.kind !== 'text' || term.place !== 'inbox') return [];
    const inboxes = listInboxes(term.needle);
    return inboxes === null ? [] : [inboxes.map(markInbox)];
  });
}
