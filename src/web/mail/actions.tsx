import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { ask } from '../dialog.tsx';
import { go, pathTo } from '../router.tsx';
import { tell, tellFault } from '../toast.tsx';
import { loadInboxes, remove, rows, shownInbox, shownMessage } from './store.ts';

/** Deletes one message at once, and several after a confirmation. */
export async function confirmRemove(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const isSure =
    ids.length === 1 ||
    (await ask({
      title: `Delete ${ids.length} messages?`,
      body: 'This can’t be undone.',
      action: 'Delete',
      isDanger: true,
    }));
  if (isSure) await removeAndOpenNext(ids);
}

/** When the open message is deleted, the next one opens. */
async function removeAndOpenNext(ids: readonly string[]): Promise<void> {
  const shown = shownMessage.peek();
  if (shown !== null && ids.includes(shown)) {
    const list = rows.peek();
    const at = list.findIndex(({ id }) => id === shown);
    const next = list.slice(at + 1).find(({ id }) => !ids.includes(id));
    goToMessage(next?.id ?? null);
  }
  await remove(ids);
}

/** Opens another message of the current list, or only the list. */
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
        <strong class="text-ink">{address}</strong> will stop receiving mail, and its messages will be
        deleted. The address stays reserved for you, so you can create the inbox again.
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
