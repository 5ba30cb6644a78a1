import { z } from 'zod';
import type { PlatformServices } from '../services.ts';
import { type CursorScope, readCursor, readTextCursor, sealCursor } from '../store/cursor.ts';
import type { Answer } from './reply.ts';
import { type PageView, Pagination } from './wire.ts';

/** Lists go from newest to oldest, by falling numbers. This is the position before the first page. */
const BEFORE_ALL = Number.MAX_SAFE_INTEGER;

/** The part of a list that a request asks for. */
export interface PageRange {
  scope: CursorScope;
  /** The page has rows whose position is before this. */
  before: number;
  /** One more row than the page shows, to know whether more follow. */
  rowsWanted: number;
}

/** The same of a list that goes up by a text. The page has rows whose text is after this. */
export type TextRange = Omit<PageRange, 'before'> & { after: string };

/** Position of a row in a list that is ordered by `no`. */
export const byNo = ({ no }: { no: number }) => no;

/** Reads the range from a query. `scope` is the owner of the list and its exact filters. */
export function readPageRange(
  services: PlatformServices,
  scope: CursorScope,
  query: { limit: number; cursor: string | null },
): PageRange {
  const before = query.cursor === null ? BEFORE_ALL : readCursor(services.key, scope, query.cursor);
  return { scope, before, rowsWanted: query.limit + 1 };
}

/** Like readPageRange, for a list that goes up by a text that is never empty. */
export function readTextRange(
  services: PlatformServices,
  scope: CursorScope,
  query: { limit: number; cursor: string | null },
): TextRange {
  const after = query.cursor === null ? '' : readTextCursor(services.key, scope, query.cursor);
  return { scope, after, rowsWanted: query.limit + 1 };
}

/** Returns 200 `{data, pagination}`. `rows` are those that were found for `range`. */
export function page<Row, View>(
  services: PlatformServices,
  range: PageRange | TextRange,
  rows: readonly Row[],
  position: (row: Row) => number | string,
  view: (row: Row) => View,
): Answer {
  const shown = rows.slice(0, range.rowsWanted - 1);
  const hasMore = rows.length > shown.length;
  const last = shown.at(-1);
  const pagination = makePagination(services, range.scope, hasMore && last ? position(last) : null);
  return { status: 200, json: { data: shown.map(view), pagination } satisfies PageView<View> };
}

/** @param next The position after which the next page starts; null for the last page. */
export function makePagination({ key }: PlatformServices, scope: CursorScope, next: number | string | null) {
  return { next_cursor: next === null ? null : sealCursor(key, scope, next), has_more: next !== null };
}

/** Returns the schema of a page, for a route's `responses`. Its name is that of a row, and `Page`. */
export function describePage(row: z.ZodType): z.ZodType {
  return nameAfter(row, 'Page', z.object({ data: z.array(row), pagination: Pagination }));
}

/** Returns the schema of `{data}`. Its name is that of the resource, and `Data`. */
export function describeData(resource: z.ZodType): z.ZodType {
  return nameAfter(resource, 'Data', z.object({ data: resource }));
}

/** Names an envelope. Every schema of a response has a name, because generated clients name their types after it. */
function nameAfter(inner: z.ZodType, ending: string, envelope: z.ZodType): z.ZodType {
  const id = inner.meta()?.id;
  if (id === undefined) throw new Error('the schema of a response has no name: add .meta({ id })');
  return envelope.meta({ id: `${id}${ending}` });
}
