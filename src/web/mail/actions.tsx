import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { ask } from '../dialog.tsx';
import { go, pathTo } from '../router.tsx';
import { tell, tellFault } from '../toast.tsx';
import { loadInboxes, remove, rows, shownInbox, shownMessage } from './store.ts';

/** What can't be undone is asked for, once. One message goes at a key: many go after a question. */
export async function confirmRemove(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const isSure =
    ids.length === 1 ||
    (await ask({
      title: `Delete ${ids.length} messages?`,
      body: 'They are erased for good.',
      action: 'Delete',
      isDanger: true,
    }));
  if (isSure) await removeAndGoOn(ids);
}

/** When the message that is shown goes, the next one takes its place. */
async function removeAndGoOn(ids: readonly string[]): Promise<void> {
  const shown = shownMessage.peek();
  if (shown !== null && ids.includes(shown)) {
    const list = rows.peek();
    const at = list.findIndex(({ id }) => id === shown);
    const next = list.slice(at + 1).find(({ id }) => !ids.includes(id));
    goToMessage(next?.id ?? null);
  }
  await remove(ids);
}

/** Another message of the list that is shown, or the list alone. */
export function goToMessage(id: string | null): void {
  const inbox = shownInbox.peek() ?? 'all';
  const list = inbox === 'all' ? pathTo('all') : pathTo('inbox', inbox);
  go(id === null ? list : `${list}/${id}`, { replace: id !== null });
}

export async function confirmDeleteInbox({ id, address }: InboxWithUnread): Promise<void> {
  const isSure = await ask({
    title: 'Delete this inbox?',
    body: (
      <>
        <strong class="text-ink">{address}</strong> takes no more mail, and its messages are erased for good.
        The address stays yours: you can make the inbox again.
      </>
    ),
    action: 'Delete inbox',
    isDanger: true,
  });
  if (!isSure) return;
  try {
    await call('DELETE', `inboxes/${id}`);
    tell('Inbox deleted');
    go(pathTo('all'));
    await loadInboxes();
  } catch (fault) {
    tellFault(fault);
  }
}
