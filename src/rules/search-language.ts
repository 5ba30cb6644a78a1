import { fold } from './fold.ts';

/*
 * The language of `search`. Pure.
 *
 *   query  = { blank } [ term { blank term } ]           at most 1,000 characters and 32 terms
 *   term   = [ "-" ] ( token ":" value | value )         "-" keeps what does not fit; all terms must hold
 *   token  = a name of `searchTokens`, in any case
 *   value  = phrase | one or more characters that are neither blank nor begin with a quote
 *   phrase = '"' { any character, or \" or \\ for these two } '"'    the last quote may be missing
 *
 * A value without a token is text. A word with a colon is text only as a phrase; else the part before its colon must be
 * a token. Text is compared folded (fold.ts), and a run of blanks is one blank.
 */

/** Longest query, and most terms in it: each term is compared with every message that the others leave. */
export const SEARCH_CHARS_MAX = 1_000;
export const SEARCH_TERMS_MAX = 32;

/** What each token accepts (docs/search.md); suggestions are made from this table. */
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

/** Where a text is looked for; `any`: in subject, from, to, cc, code or body. */
export type SearchPlace = TokenOf<'text'> | 'any';
export type Feature = (typeof searchTokens.has.takes)[number];

/** One condition. It goes to the reader thread, so it is plain data. */
export type SearchTerm = { not: boolean } & (
  | { kind: 'text'; place: SearchPlace; needle: string }
  | { kind: 'read'; read: boolean }
  | { kind: 'has'; feature: Feature }
  /** Microseconds. */
  | { kind: 'time'; side: 'before' | 'after'; at: number }
  | { kind: 'size'; side: 'larger' | 'smaller'; bytes: number }
  | { kind: 'tag'; tag: string }
);

/** What is wrong with a query. */
export class SearchRefused extends Error {}

/** Lower case, composed, runs of blanks as one: both sides of a comparison. */
export function foldSearched(text: string): string {
  return fold(text).replace(/\s+/g, ' ');
}

/** A term as it is written, and where. */
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

/** Never fails, whatever the query is. */
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

/** Empty for a blank query. Throws SearchRefused. */
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

/** A term of a search that a person types and that the server would refuse. */
export interface Misread {
  name: string;
  /** The token whose value is not one of its kind; null for an unknown one. */
  token: SearchToken | null;
}

/**
 * What to ask for while a person types: a token without a value yet is left out, and what the server would refuse is
 * put in quotes, so that it is text.
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

/** A term in the language; in quotes only if it must be. */
export function writeSearchTerm({
  not,
  name,
  value,
}: Pick<WrittenTerm, 'not' | 'value'> & { name?: SearchToken }): string {
  const isBare = /^[^\s":-][^\s"]*$/.test(value) && (name !== undefined || !value.includes(':'));
  const written = isBare ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `${not ? '-' : ''}${name === undefined ? '' : `${name}:`}${written}`;
}

/** Blanks; a minus before something; a name and its colon; a phrase or a word. It matches at every place. */
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

/** Microseconds; a time without a zone is UTC. */
function readTime(token: string, value: string): number {
  const [, date, zone] = TIME.exec(value) ?? [];
  const hasClock = value.length > 10;
  const ms = Date.parse(`${value.toUpperCase()}${hasClock && zone === undefined ? 'Z' : ''}`);
  // The 30th of February would be the 2nd of March.
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
