import { batch } from '@preact/signals';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { ask } from '../dialog.tsx';
import { go, pathTo } from '../router.tsx';
import { showFault, showToast } from '../toast.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import type { Group } from './groups.ts';
import { inboxes, loadInboxes } from './inboxes.ts';
import { cursor, groups, isPaneKept } from './list.ts';
import { inSearch } from './search-text.ts';
import { shownInbox, shownMessage } from './shown.ts';

/** Moves the cursor to the row after the deleted one, without opening it, which would mark it as read. */
export function leave(ids: readonly string[]): void {
  const list = groups.peek();
  const shown = shownMessage.peek();
  const isGone = (group: Group) => group.ids.every((id) => ids.includes(id));
  const at = list.findIndex((group) =>
    shown === null ? group.row.id === cursor.peek() : group.ids.includes(shown),
  );
  // A link can open a message that is not in the list.
  const isShownGone = shown !== null && ids.includes(shown);
  if (at < 0 ? !isShownGone : !isGone(list[at]!)) return;
  const next =
    at < 0
      ? undefined
      : (list.slice(at + 1).find((group) => !isGone(group)) ??
        list.slice(0, at).findLast((group) => !isGone(group)));
  batch(() => {
    if (shown !== null) {
      isPaneKept.value = true;
      openList();
    }
    cursor.value = next?.row.id ?? null;
  });
}

/** Closes the message and leaves the cursor on its row. */
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

export async function confirmDeleteInbox({ id, address }: InboxWithUnread): Promise<void> {
  const t = words.list.inboxes;
  const isSure = await ask({
    title: t.deleteTitle,
    body: fill(t.deleteBody, { address: <strong class="text-ink">{address}</strong> }),
    action: t.delete,
    isDanger: true,
  });
  if (!isSure) return;
  try {
    await call('DELETE', `inboxes/${id}`);
    showToast(t.deleted);
    inboxes.value = inboxes.peek().filter((inbox) => inbox.id !== id);
    go(pathTo('all'));
    await loadInboxes();
  } catch (fault) {
    showFault(fault);
  }
}
