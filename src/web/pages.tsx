import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageView } from '../platform/http/wire.ts';
import { call, query } from './api.ts';
import { attempt } from './data.ts';
import { words } from './words/words.ts';

/** The rows of a list that is loaded page by page. */
export interface Pages<Row> {
  /** Undefined until the first page is loaded. */
  rows: Row[] | undefined;
  /** Loads the first page again. */
  reload: () => void;
  /** Adds the next page; null when there is none. */
  loadMore: (() => void) | null;
}

interface Loaded<Row> {
  rows?: Row[];
  cursor: string | null;
}

/**
 * Loads the first page of a route when it is shown, and when the path or the filters change: then `typingMs` later, for
 * filters that somebody types.
 */
export function usePages<Row>(path: string, filters: Record<string, string> = {}, typingMs = 0): Pages<Row> {
  const [{ rows, cursor }, setLoaded] = useState<Loaded<Row>>({ cursor: null });
  const requests = useRef(0);
  const load = (after: string | null) => {
    const request = ++requests.current;
    void attempt(async () => {
      const url = path + query({ ...filters, cursor: after });
      const { data, pagination } = await call<PageView<Row>>('GET', url);
      // A later request has overtaken it: other filters, or a second click.
      if (request !== requests.current) return;
      setLoaded((before) => ({
        rows: after === null ? data : [...(before.rows ?? []), ...data],
        cursor: pagination.next_cursor,
      }));
    });
  };
  useEffect(() => {
    const timer = setTimeout(() => load(null), rows ? typingMs : 0);
    return () => clearTimeout(timer);
  }, [path + query(filters)]);
  return { rows, reload: () => load(null), loadMore: cursor === null ? null : () => load(cursor) };
}

export function LoadMore({ of: { loadMore } }: { of: Pages<unknown> }) {
  if (!loadMore) return null;
  return (
    <button type="button" class="button mt-4" onClick={loadMore}>
      {words.frame.loadMore}
    </button>
  );
}
