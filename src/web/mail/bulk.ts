import type { MessageInList } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { call, me } from '../api.ts';
import { showFault } from '../toast.tsx';
import { loadInboxes } from './inboxes.ts';
import { listPath, loadList, mark } from './list.ts';

/** Most messages in one request. */
const SLICE_MAX = 500;

/**
 * Marks every message that is in the list now as read, loaded or not. Messages that arrive meanwhile are left alone.
 * Resolves to the messages that were unread.
 */
export async function markAllRead(): Promise<MessageInList[]> {
  const limit = Math.min(SLICE_MAX, me.peek()?.bounds.message_ids ?? 1);
  const changed: MessageInList[] = [];
  try {
    let after: string | null = null;
    do {
      const page: PageView<MessageInList> = await call('GET', listPath(after, limit, 'false'));
      if (page.data.length > 0) {
        await mark(
          page.data.map(({ id }) => id),
          true,
        );
      }
      changed.push(...page.data);
      after = page.pagination.next_cursor;
    } while (after !== null);
  } catch (fault) {
    showFault(fault);
  }
  await Promise.all([loadList(), loadInboxes()]);
  return changed;
}
