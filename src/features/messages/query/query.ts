/** The filter parameters of lists of messages. */
import { z } from 'zod';
import { defineTextFilter, type Param, QueryRefused } from '../../../platform/http/query.ts';
import type { CursorScope } from '../../../platform/store/cursor.ts';
import { readSearchQuery, SEARCH_CHARS_MAX, SearchRefused } from '../../../rules/search-language.ts';
import type { MessageFilter, SearchQuery } from '../sql.ts';

const FILTER_CHARS_MAX = 200;

/** Ignores invalid values instead of failing (docs/api-v1.md, Messages). */
export const listFilters = {
  has_otp: {
    schema: z.boolean(),
    about: 'true keeps only messages with a code.',
    read: (text) => text === 'true',
  } satisfies Param<boolean>,
  read: {
    schema: z.enum(['true', 'false', 'all']).default('all'),
    about: 'Only read, only unread, or all messages.',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : null),
  } satisfies Param<boolean | null>,
  q: defineTextFilter('Case-insensitive substring of subject or From.', FILTER_CHARS_MAX),
  subject_contains: defineTextFilter('Case-insensitive substring of the subject.', FILTER_CHARS_MAX),
  from: defineTextFilter('Case-insensitive substring of From.', null),
  search: {
    schema: z.string().max(SEARCH_CHARS_MAX),
    about: 'Words, "phrases" and tokens such as from:ann. A message must match all of them (docs/search.md).',
    read: readSearchParam,
  } satisfies Param<SearchQuery | null>,
};

function readSearchParam(text: string | null): SearchQuery | null {
  if (text === null) return null;
  try {
    const terms = readSearchQuery(text);
    return terms.length === 0 ? null : { text, terms };
  } catch (thrown) {
    throw thrown instanceof SearchRefused ? new QueryRefused(thrown.message) : thrown;
  }
}

/**
 * Returns the exact filters of a list, to which its cursors are bound. Without `search` it has the form from before
 * there was one, so that older cursors stay valid.
 */
export function makeListScope({
  has_otp,
  read,
  q,
  subject_contains,
  from,
  search,
}: MessageFilter): CursorScope {
  return [has_otp, read, q, subject_contains, from, ...(search ? ['search', search.text] : [])];
}
