import type { MessageInList } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { call, me } from '../api.ts';
import { tell, tellFault } from '../toast.tsx';
import { listPath, loadInboxes, loadList, mark } from './store.ts';

/** Messages of one request. */
const SLICE_MAX = 500;

/** Runs over every message of the list that is there now, loaded or not. What arrives meanwhile is left alone. */
async function forEachSlice(
  read: 'false' | undefined,
  run: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  const limit = Math.min(SLICE_MAX, me.peek()?.bounds.message_ids ?? 1);
  try {
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const page: PageView<MessageInList> = await call('GET', listPath(after, limit, read));
      if (page.data.length > 0) await run(page.data.map(({ id }) => id));
      after = page.pagination.next_cursor;
    }
  } catch (fault) {
    tellFault(fault);
  }
  await Promise.all([loadList(), loadInboxes()]);
}

/** Marks every message of the list as read. */
export async function markAllRead(): Promise<void> {
  await forEachSlice('false', (ids) => mark(ids, true));
}

/** Deletes every message of the list. */
export async function removeAll(): Promise<void> {
  let deleted = 0;
  await forEachSlice(undefined, async (ids) => {
    const { data } = await call<{ data: { changed: number } }>('POST', 'messages/delete', { ids });
    deleted += data.changed;
  });
  if (deleted > 0) tell(deleted === 1 ? 'Message deleted' : `${deleted.toLocaleString()} messages deleted`);
}
