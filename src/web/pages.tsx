import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ActionButton } from './action-button.tsx';
import { type ApiFailure, call, query } from './api.ts';
import { attempt } from './data.ts';
import { Loaded } from './rows.tsx';
import { words } from './words/words.ts';

/** The rows of a list that is loaded page by page. */
export interface Pages<Row, Data = Row[]> {
  /** Undefined until the first page is loaded. */
  rows: Row[] | undefined;
  /** The `data` of the last page. */
  data: Data | undefined;
  /** Why nothing could be loaded. */
  fault: string | undefined;
  /** Loads the first page again. */
  reload: () => Promise<unknown>;
  /** Adds the next page; null when there is none. */
  loadMore: (() => Promise<unknown>) | null;
}

interface PagesOptions<Row, Data> {
  filters?: Record<string, string | number>;
  /** The text of a search field. It is requested as `q` once the person stops typing. */
  search?: string;
  /** When it changes, the first page is loaded again. */
  version?: string;
  /** Returns the rows in the `data` of a page, where that is not the array itself. */
  readRows?: (data: Data) => Row[];
}

/** How long after the last key a search is requested. */
const TYPING_MS = 200;

interface LoadedPages<Row, Data> {
  path: string;
  search: string | undefined;
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
  { filters: others, search, version, readRows = (data) => data as Row[] }: PagesOptions<Row, Data> = {},
): Pages<Row, Data> {
  const filters = { ...others, q: search };
  const [loaded, setLoaded] = useState<LoadedPages<Row, Data> | null>(null);
  // The rows of another path are not loaded yet.
  const { rows, data, cursor = null } = loaded?.path === path ? loaded : {};
  const [fault, setFault] = useState<string>();
  const requests = useRef(0);
  const load = (after: string | null) => {
    const request = ++requests.current;
    // A later request has replaced it: the filters changed, or it was clicked twice.
    const isOutdated = () => request !== requests.current;
    return attempt(async () => {
      setFault(undefined);
      const asked = call<Page<Data>>('GET', path + query({ ...filters, cursor: after }));
      const page = await asked.catch((thrown: ApiFailure) => {
        if (!isOutdated()) {
          setFault(thrown.message);
          // Rows of another search would be mistaken for what was found.
          if (loaded?.search !== search) setLoaded(null);
        }
        throw thrown;
      });
      if (isOutdated()) return;
      const added = readRows(page.data);
      setLoaded((before) => ({
        path,
        search,
        rows: after === null ? added : [...(before?.rows ?? []), ...added],
        data: page.data,
        cursor: page.pagination.next_cursor,
      }));
    });
  };
  useEffect(() => {
    const timer = setTimeout(() => void load(null), rows && search !== undefined ? TYPING_MS : 0);
    return () => clearTimeout(timer);
  }, [path + query(filters), version]);
  return {
    rows,
    data,
    fault: rows ? undefined : fault,
    reload: () => load(null),
    // A cursor is valid for its own search only, and these rows may still be of the search before the last keys.
    loadMore: cursor === null || loaded?.search !== search ? null : () => load(cursor),
  };
}

/** The rows, or else a skeleton or the error. */
export function LoadedRows<Row>({
  of: { rows, fault, reload },
  children,
}: {
  of: Pick<Pages<Row, unknown>, 'rows' | 'fault' | 'reload'>;
  children: (rows: Row[]) => ComponentChildren;
}) {
  return <Loaded of={{ data: rows, fault, reload }}>{children}</Loaded>;
}

export function LoadMore({ of: { loadMore } }: { of: Pick<Pages<unknown>, 'loadMore'> }) {
  if (!loadMore) return null;
  return (
    <ActionButton class="button mt-4" onRun={loadMore}>
      {words.frame.loadMore}
    </ActionButton>
  );
}
