import { batch } from '@preact/signals';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { ask } from '../dialog.tsx';
import { go, pathTo } from '../router.tsx';
import { tell, tellFault } from '../toast.tsx';
import { removeAll } from './bulk.ts';
import type { Group } from './groups.ts';
import { inSearch, search } from './search-text.ts';
import { cursor, groups, isPaneKept, loadInboxes, remove, shownInbox, shownMessage } from './store.ts';

/** Deletes one message at once, and several after a confirmation: a mail to several recipients is several. */
export async function confirmRemove(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const mails = groups.peek().filter((group) => group.ids.some((id) => ids.includes(id)));
  const isSure =
    ids.length === 1 ||
    (await ask({
      title:
        mails.length === 1
          ? `Delete this mail for its ${ids.length} recipients?`
          : `Delete ${ids.length} messages?`,
      body: 'This can’t be undone.',
      action: 'Delete',
      isDanger: true,
    }));
  if (!isSure) return;
  leave(ids);
  await remove(ids);
}

/** Where the deleted row was, the cursor is on the next one, which does not open: it would count as read. */
function leave(ids: readonly string[]): void {
  const list = groups.peek();
  const shown = shownMessage.peek();
  const isGone = (group: Group) => group.ids.every((id) => ids.includes(id));
  const at = list.findIndex((group) =>
    shown === null ? group.row.id === cursor.peek() : group.ids.includes(shown),
  );
  if (at < 0 || !isGone(list[at]!)) return;
  const next =
    list.slice(at + 1).find((group) => !isGone(group)) ??
    list.slice(0, at).findLast((group) => !isGone(group));
  batch(() => {
    if (shown !== null) {
      isPaneKept.value = true;
      openList();
    }
    cursor.value = next?.row.id ?? null;
  });
}

/** Closes the message: its row has the cursor. */
export function closeMessage(): void {
  const shown = shownMessage.peek();
  batch(() => {
    cursor.value = groups.peek().find(({ ids }) => shown !== null && ids.includes(shown))?.row.id ?? null;
    isPaneKept.value = false;
    openList();
  });
}

function openList(): void {
  const inbox = shownInbox.peek() ?? 'all';
  go(inSearch(inbox === 'all' ? pathTo('all') : pathTo('inbox', inbox)));
}

/** Deletes every message of the list, after a confirmation. */
export async function confirmRemoveAll(): Promise<void> {
  const isSearch = search.peek().trim() !== '';
  const isSure = await ask({
    title: isSearch ? 'Delete all matching messages?' : 'Delete all messages of this list?',
    body: 'This can’t be undone.',
    action: 'Delete all',
    isDanger: true,
  });
  if (!isSure) return;
  if (shownMessage.peek() !== null) closeMessage();
  await removeAll();
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
