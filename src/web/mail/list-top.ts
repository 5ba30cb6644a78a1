import type { MessageInList } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';

/** What the server returns at once. */
export const MORE_ROWS_MAX = 500;
/** Rows that are loaded at most to find where new mail meets the rows of before. */
const GAP_ROWS_MAX = 2_000;

type Page = PageView<MessageInList>;

interface Kept {
  data: readonly MessageInList[];
  next_cursor: string | null;
}

/**
 * Reads the top of a list that may be loaded already. `listKept` returns the rows to keep below it, and null where none
 * are kept. If more has come than a page, what is between is read too; beyond a bound the list is only its top.
 */
export async function readTop(
  read: (after: string | null, limit: number) => Promise<Page>,
  limit: number,
  listKept: () => Kept | null,
): Promise<Page> {
  let page = await read(null, limit);
  for (;;) {
    const kept = listKept();
    const { data, pagination } = page;
    if (!kept || pagination.next_cursor === null) return page;
    if (isJoined(data, kept.data)) {
      const { received_at: end } = data.at(-1)!;
      const older = kept.data.filter(({ received_at }) => received_at < end);
      if (older.length === 0) return page;
      return { data: [...data, ...older], pagination: { ...pagination, next_cursor: kept.next_cursor } };
    }
    if (data.length >= GAP_ROWS_MAX) return page;
    const more = await read(pagination.next_cursor, MORE_ROWS_MAX);
    page = { ...more, data: [...data, ...more.data] };
  }
}

/** Whether nothing can be between these lists: they share a row. */
function isJoined(upper: readonly MessageInList[], lower: readonly MessageInList[]): boolean {
  const ids = new Set(lower.map(({ id }) => id));
  return upper.some(({ id }) => ids.has(id));
}
