import { fold } from './fold.ts';

/*
 * The language of `search`.
 *
 *   query  = { blank } [ term { blank term } ]           at most 1,000 characters and 32 terms
 *   term   = [ "-" ] ( token ":" value | value )         "-" negates the term; all terms must match
 *   token  = a name of `searchTokens`, in any case
 *   value  = phrase | a run of characters without blanks that does not begin with a quote
 *   phrase = '"' { any character, or \" or \\ for these two } '"'    the last quote may be missing
 *
 * A value without a token is text. A word with a colon is text only in a phrase; otherwise the part before its colon must be a
 * token. Text is compared folded (fold.ts), and a run of blanks counts as one.
 */

/** Longest query, and most terms in it: each term is tried on every message that the others leave. */
export const SEARCH_CHARS_MAX = 1_000;
export const SEARCH_TERMS_MAX = 32;

/** The tokens, and the values of each (docs/search.md). The dashboard's suggestions come from this table, too. */
export const searchTokens = {
  from: { takes: 'text' },
  to: { takes: 'text' },
  cc: { takes: 'text' },
  subject: { takes: 'text' },
  body: { takes: 'text' },
  inbox: { takes: 'text' },
  code: { takes: 'text' },
  filename: { takes: 'text' },
  is: { takes: ['read', 'unread'] },
  has: { takes: ['code', 'link', 'attachment', 'html'] },
  before: { takes: 'time' },
  after: { takes: 'time' },
  larger: { takes: 'size' },
  smaller: { takes: 'size' },
  tag: { takes: 'tag' },
} as const satisfies Record<string, { takes: string | readonly string[] }>;

export type SearchToken = keyof typeof searchTokens;
type TokenOf<Takes> = {
  [T in SearchToken]: (typeof searchTokens)[T]['takes'] extends Takes ? T : never;
}[SearchToken];

/** Where to look for a text. `any`: in subject, from, to, cc, code or body. */
export type SearchPlace = TokenOf<'text'> | 'any';
export type Feature = (typeof searchTokens.has.takes)[number];

/** One condition: plain data, because it is sent to the reader thread. */
export type SearchTerm = { not: boolean } & (
  | { kind: 'text'; place: SearchPlace; needle: string }
  | { kind: 'read'; read: boolean }
  | { kind: 'has'; feature: Feature }
  /** `at` in microseconds. */
  | { kind: 'time'; side: 'before' | 'after'; at: number }
  | { kind: 'size'; side: 'larger' | 'smaller'; bytes: number }
  | { kind: 'tag'; tag: string }
);

/** Thrown for a query that is not valid; its message says why. */
export class SearchRefused extends Error {}

/** Folds both sides of a comparison: as `fold`, with each run of blanks as one. */
export function foldSearched(text: string): string {
  return fold(text).replace(/\s+/g, ' ');
}

/** A term as it was written, and its place in the query. */
export interface WrittenTerm {
  from: number;
  to: number;
  not: boolean;
  /** The name before the colon, known or not; undefined without one. */
  name: string | undefined;
  /** Without the quotes of a phrase. */
  value: string;
  isPhrase: boolean;
}

/** Splits a query into its terms, without checking them. Never throws. */
export function splitSearchQuery(query: string): WrittenTerm[] {
  const terms: WrittenTerm[] = [];
  // A NUL is a blank wherever text is compared.
  const text = query.replaceAll('\0', ' ').toWellFormed();
  for (let at = 0; at < text.length; ) {
    const [whole, minus = '', name, phrase, bare = ''] = WRITTEN.exec(text.slice(at)) as RegExpExecArray;
    const from = at + whole.length - whole.trimStart().length;
    at += whole.length;
    const value = phrase === undefined ? bare : phrase.replace(/\\(["\\])/g, '$1');
    if (from < at) {
      terms.push({ from, to: at, not: minus !== '', name, value, isPhrase: phrase !== undefined });
    }
  }
  return terms;
}

/** Parses a query; empty for a blank one. Throws SearchRefused. */
export function readSearchQuery(query: string): SearchTerm[] {
  if (query.length > SEARCH_CHARS_MAX) {
    throw new SearchRefused(`must have at most ${SEARCH_CHARS_MAX} characters`);
  }
  const terms: SearchTerm[] = [];
  for (const written of splitSearchQuery(query)) {
    const term = makeTerm(written);
    if (term && terms.push(term) > SEARCH_TERMS_MAX) {
      throw new SearchRefused(`must have at most ${SEARCH_TERMS_MAX} terms`);
    }
  }
  return terms;
}

/** A term, in a query that a person is typing, that the server would refuse. */
export interface Misread {
  name: string;
  /** The token, if only its value is wrong; null for an unknown token. */
  token: SearchToken | null;
}

/**
 * Returns the query to send while a person is typing. A token that has no value yet is left out, and a term that the server would
 * refuse is put in quotes, so that it is text.
 */
export function readTyped(query: string): { asked: string; misread: Misread[] } {
  const misread: Misread[] = [];
  const asked = splitSearchQuery(query).map((term) => {
    const { from, to, not, name = '', value } = term;
    try {
      makeTerm(term);
      return query.slice(from, to);
    } catch (thrown) {
      if (!(thrown instanceof SearchRefused)) throw thrown;
      const token = name.toLowerCase();
      const isKnown = isSearchToken(token);
      if (isKnown && value.trim() === '') return '';
      misread.push({ name, token: isKnown ? token : null });
      return writeSearchTerm({ not, value: `${name}:${value}` });
    }
  });
  return { asked: asked.filter(Boolean).join(' '), misread };
}

/** Writes a term in the language, in quotes only if it needs them. */
export function writeSearchTerm({
  not,
  name,
  value,
}: Pick<WrittenTerm, 'not' | 'value'> & { name?: SearchToken }): string {
  const isBare = /^[^\s":-][^\s"]*$/.test(value) && (name !== undefined || !value.includes(':'));
  const written = isBare ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `${not ? '-' : ''}${name === undefined ? '' : `${name}:`}${written}`;
}

/** Blanks, a minus before something, a name with its colon, and a phrase or a word. All are optional, so it always matches. */
const WRITTEN = /^\s*(-(?=\S))?(?:([^\s":]*):)?(?:"((?:[^"\\]|\\[\s\S]|\\$)*)(?:"|$)|(\S*))/;

function makeTerm({ not, name, value, isPhrase }: WrittenTerm): SearchTerm | undefined {
  const needle = foldSearched(value);
  if (name === undefined) {
    // A lone minus is text.
    if (needle.trim() === '') return undefined;
    return { not, kind: 'text', place: 'any', needle };
  }
  const token = name.toLowerCase();
  if (!isSearchToken(token)) {
    const quoted = isPhrase ? `"${name}:" before a phrase` : `"${name}:${value}"`;
    throw new SearchRefused(
      `has an unknown token "${name}:"; put ${quoted} in quotes to search for it as text`,
    );
  }
  if (needle.trim() === '') throw new SearchRefused(`has nothing after "${name}:"`);
  return { not, ...readToken(token, value.trim(), needle) };
}

export const isSearchToken = (name: string): name is SearchToken => Object.hasOwn(searchTokens, name);

type Condition = SearchTerm extends infer T ? (T extends SearchTerm ? Omit<T, 'not'> : never) : never;

function readToken(token: SearchToken, value: string, needle: string): Condition {
  switch (token) {
    case 'is': {
      return { kind: 'read', read: readChoice(token, value) === 'read' };
    }
    case 'has':
      return { kind: 'has', feature: readChoice(token, value) as Feature };
    case 'before':
    case 'after':
      return { kind: 'time', side: token, at: readTime(token, value) };
    case 'larger':
    case 'smaller':
      return { kind: 'size', side: token, bytes: readSize(token, value) };
    case 'tag':
      return { kind: 'tag', tag: value.toLowerCase() };
    default:
      return { kind: 'text', place: token, needle };
  }
}

function readChoice(token: 'is' | 'has', value: string): string {
  const known: readonly string[] = searchTokens[token].takes;
  const chosen = known.find((one) => one === value.toLowerCase());
  if (chosen === undefined) throw new SearchRefused(`"${token}:" must be one of ${known.join(', ')}`);
  return chosen;
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[tT]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?([zZ]|[+-]\d\d:\d\d)?)?$/;

/** Reads a time, in microseconds. Without a zone, it is UTC. */
function readTime(token: string, value: string): number {
  const [, date, zone] = TIME.exec(value) ?? [];
  const hasClock = value.length > 10;
  const ms = Date.parse(`${value.toUpperCase()}${hasClock && zone === undefined ? 'Z' : ''}`);
  // Date.parse would read the 30th of February as the 2nd of March.
  const day = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  if (!Number.isFinite(ms) || !Number.isFinite(day) || new Date(day).toISOString().slice(0, 10) !== date) {
    throw new SearchRefused(`"${token}:" must be a date such as 2026-11-22, or an ISO time`);
  }
  return ms * 1_000;
}

function readSize(token: string, value: string): number {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?)(k|m)?b?$/i.exec(value) ?? [];
  if (number === undefined) {
    throw new SearchRefused(`"${token}:" must be a number of bytes, such as 2000, 200k or 2m`);
  }
  return Number(number) * { '': 1, k: 1024, m: 1024 ** 2 }[unit.toLowerCase()]!;
}
