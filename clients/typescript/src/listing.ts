import type { Call, CallOptions, Connection, Query } from './connection.js';

export interface PageOptions extends CallOptions {
  /** Rows per page, 1 to 100. */
  limit?: number;
}

interface PageBody {
  data: unknown;
  pagination: { next_cursor: string | null; has_more: boolean };
}

/** The rows of a list of the API, over all its pages. The next page is fetched when it is needed. */
export class Listing<Item, Shown = Item> implements AsyncIterable<Shown> {
  constructor(
    private readonly connection: Connection,
    /** Returns the request for the page at a cursor; null is the first page. */
    private readonly ask: (cursor: string | null) => Call,
    private readonly show: (item: Item) => Shown,
    /** Returns the rows in the `data` of a page. */
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

  /** Returns the first rows, at most `count`. */
  async take(count: number): Promise<Shown[]> {
    const items: Shown[] = [];
    if (count <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= count) break;
    }
    return items;
  }

  /** Returns all rows. */
  all(): Promise<Shown[]> {
    return this.take(Number.POSITIVE_INFINITY);
  }
}

/** Lists the rows of a GET unchanged. */
export function listRows<Item>(
  connection: Connection,
  path: string,
  { signal, ...query }: { signal?: AbortSignal } = {},
): Listing<Item> {
  return new Listing(connection, askFor(path, query as Query, signal), (item: Item) => item);
}

/** Returns the requests for the pages of a GET with filters. */
export function askFor(path: string, query: Query, signal?: AbortSignal): (cursor: string | null) => Call {
  return (cursor) => ({
    method: 'GET',
    path,
    query: { ...query, cursor },
    ...(signal === undefined ? {} : { signal }),
  });
}
