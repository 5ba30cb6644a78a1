import type { MessageInList } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { collectIds } from './groups.ts';

/** Most rows that the server returns at once. */
export const MORE_ROWS_MAX = 500;
/** Most rows to load in search of the point where new mail meets the known rows. */
const GAP_ROWS_MAX = 2_000;

type Page = PageView<MessageInList>;

interface Kept {
  data: readonly MessageInList[];
  next_cursor: string | null;
}

/**
 * Reads the top of a list that may already be loaded. `listKept` returns the rows to keep below it, or null to keep none.
 * If more than a page has arrived, the gap is read too; if the gap is too large, only the new top is kept.
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

/** Whether the lists share a row, so that no message can be missing between them. */
function isJoined(upper: readonly MessageInList[], lower: readonly MessageInList[]): boolean {
  const ids = collectIds(lower);
  return upper.some(({ id }) => ids.has(id));
}
