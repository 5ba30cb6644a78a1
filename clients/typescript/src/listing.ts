import type { Connection, Query } from './connection.js';

interface PageBody<Item> {
  data: Item[];
  pagination: { next_cursor: string | null; has_more: boolean };
}

/** The rows of a list of the API, over all its pages. The next page is asked for when it is needed. */
export class Listing<Item, Shown = Item> implements AsyncIterable<Shown> {
  constructor(
    private readonly connection: Connection,
    private readonly path: string,
    private readonly query: Query,
    private readonly show: (item: Item) => Shown,
    private readonly signal?: AbortSignal,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Shown, void, undefined> {
    for (let cursor: string | null = null; ; ) {
      const page: PageBody<Item> = await this.connection.object<PageBody<Item>>({
        method: 'GET',
        path: this.path,
        query: { ...this.query, cursor },
        ...(this.signal === undefined ? {} : { signal: this.signal }),
      });
      for (const item of page.data) yield this.show(item);
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
