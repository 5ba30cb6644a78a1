import { useEffect, useRef, useState } from 'preact/hooks';
import { call, query } from './api.ts';
import { attempt } from './data.ts';
import { words } from './words/words.ts';

/** The rows of a list that is loaded page by page. */
export interface Pages<Row, Data = Row[]> {
  /** Undefined until the first page is loaded. */
  rows: Row[] | undefined;
  /** The `data` of the last page. */
  data: Data | undefined;
  /** Loads the first page again. */
  reload: () => void;
  /** Adds the next page; null when there is none. */
  loadMore: (() => void) | null;
}

interface PagesOptions<Row, Data> {
  filters?: Record<string, string | number>;
  /** Delay of the request when the filters change, for those that somebody types. */
  typingMs?: number;
  /** When it changes, the first page is loaded again. */
  version?: string;
  /** The rows in the `data` of a page, if that is no array. */
  readRows?: (data: Data) => Row[];
}

interface Loaded<Row, Data> {
  path: string;
  rows: Row[];
  data: Data;
  cursor: string | null;
}

interface Page<Data> {
  data: Data;
  pagination: { next_cursor: string | null };
}

/** Loads the first page of a route when it is shown, and when the path or the filters change. */
export function usePages<Row, Data = Row[]>(
  path: string,
  { filters = {}, typingMs = 0, version, readRows = (data) => data as Row[] }: PagesOptions<Row, Data> = {},
): Pages<Row, Data> {
  const [loaded, setLoaded] = useState<Loaded<Row, Data> | null>(null);
  // The rows of another path are not loaded yet.
  const { rows, data, cursor = null } = loaded?.path === path ? loaded : {};
  const requests = useRef(0);
  const load = (after: string | null) => {
    const request = ++requests.current;
    void attempt(async () => {
      const page = await call<Page<Data>>('GET', path + query({ ...filters, cursor: after }));
      // A later request has overtaken it: other filters, or a second click.
      if (request !== requests.current) return;
      const added = readRows(page.data);
      setLoaded((before) => ({
        path,
        rows: after === null ? added : [...(before?.rows ?? []), ...added],
        data: page.data,
        cursor: page.pagination.next_cursor,
      }));
    });
  };
  useEffect(() => {
    const timer = setTimeout(() => load(null), rows ? typingMs : 0);
    return () => clearTimeout(timer);
  }, [path + query(filters), version]);
  return { rows, data, reload: () => load(null), loadMore: cursor === null ? null : () => load(cursor) };
}

export function LoadMore({ of: { loadMore } }: { of: Pick<Pages<unknown>, 'loadMore'> }) {
  if (!loadMore) return null;
  return (
    <button type="button" class="button mt-4" onClick={loadMore}>
      {words.frame.loadMore}
    </button>
  );
}
