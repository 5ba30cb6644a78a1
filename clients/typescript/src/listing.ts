import type { Call, CallOptions, Connection, Query } from './connection.js';

export interface PageOptions extends CallOptions {
  /** Rows of one page, 1 to 100. */
  limit?: number;
}

interface PageBody {
  data: unknown;
  pagination: { next_cursor: string | null; has_more: boolean };
}

/** The rows of a list of the API, over all its pages. The next page is asked for when it is needed. */
export class Listing<Item, Shown = Item> implements AsyncIterable<Shown> {
  constructor(
    private readonly connection: Connection,
    /** The request for the page at a cursor; null for the first. */
    private readonly ask: (cursor: string | null) => Call,
    private readonly show: (item: Item) => Shown,
    /** The rows in the `data` of a page. */
    private readonly readRows: (data: unknown) => Item[] = (data) => data as Item[],
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Shown, void, undefined> {
    for (let cursor: string | null = null; ; ) {
      const page: PageBody = await this.connection.object<PageBody>(this.ask(cursor));
      for (const item of this.readRows(page.data)) yield this.show(item);
      cursor = page.pagination?.next_cursor ?? null;
      if (cursor === null) return;
    }
  }

  /** The first rows, at most `count`. */
  async take(count: number): Promise<Shown[]> {
    const items: Shown[] = [];
    if (count <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= count) break;
    }
    return items;
  }

  /** All rows. */
  all(): Promise<Shown[]> {
    return this.take(Number.POSITIVE_INFINITY);
  }
}

/** The rows of a GET, as they are. */
export function listRows<Item>(
  connection: Connection,
  path: string,
  { signal, ...query }: { signal?: AbortSignal } = {},
): Listing<Item> {
  return new Listing(connection, askFor(path, query as Query, signal), (item: Item) => item);
}

/** For a list with filters. */
export function askFor(path: string, query: Query, signal?: AbortSignal): (cursor: string | null) => Call {
  return (cursor) => ({
    method: 'GET',
    path,
    query: { ...query, cursor },
    ...(signal === undefined ? {} : { signal }),
  });
}
