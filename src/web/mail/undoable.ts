import { batch } from '@preact/signals';
import type { MessageInList } from '../../doors/dashboard/wire.ts';
import { call, callAtClose } from '../api.ts';
import { ask } from '../dialog.tsx';
import { endUndo, showFault, showToastWithUndo } from '../toast.tsx';
import { words } from '../words/words.ts';
import { closeMessage, leave } from './actions.tsx';
import { markAllRead } from './bulk.ts';
import { collectIds } from './groups.ts';
import { showHeldRows } from './held-rows.ts';
import { addUnread, inboxes, loadInboxes, loadInboxesSoon } from './inboxes.ts';
import {
  askedList,
  groups,
  inSlices,
  isStale,
  listKey,
  loadList,
  loadMore,
  mark,
  rows,
  selected,
} from './list.ts';
import { forgetMessages } from './opened.ts';
import { addRemoval, dropRemoval, type Removal } from './removals.ts';
import { shownMessage } from './shown.ts';

/*
 * Deleting asks nothing and offers an Undo instead. The server learns of the deletion only when the offer ends, so Undo
 * restores everything, whatever happens to the server in between. A page that is closed earlier sends the deletion as its
 * last request. If the browser crashes, the messages are not deleted.
 */

/** What a closing page can send: browsers take 64 KiB of such requests, and an id has 39 bytes. */
const AT_CLOSE_IDS_MAX = 1_000;
/** How long an answer to an earlier request may still contain deleted messages. */
const LATE_MS = 5_000;

/** A deletion that has not been sent. */
interface Pending {
  removal: Removal;
  text: string;
  /** Sends it with `call`, or with `callAtClose` from a page that is closing. */
  send: (request: typeof call) => Promise<unknown>;
  putBack: () => void;
}

let pending: Pending | null = null;

addEventListener('pagehide', () => {
  if (!pending) return;
  void pending.send(callAtClose).catch(() => {});
  // The browser may keep this page and show it again on Back: there must be nothing left to undo.
  endUndo();
  forgetLater(pending.removal);
  pending = null;
});

/**
 * Deletes messages, with an Undo for a few seconds. `'listed'` means every message of the list, loaded or not; mail that
 * arrives in the meantime stays.
 */
export async function removeWithUndo(what: readonly string[] | 'listed'): Promise<void> {
  const next = what === 'listed' ? makeListedRemoval() : await makeRemoval(what);
  if (!next) return;
  // Not awaited: the messages must disappear at once, however slow the server is.
  void sendPending();
  if (what !== 'listed') leave(what);
  else if (shownMessage.peek() !== null) closeMessage();
  pending = { ...next, putBack: hide(next.removal) };
  if (what !== 'listed' && rows.peek().length === 0) void loadMore();
  showToastWithUndo(next.text, {
    onUndo() {
      pending?.putBack();
      pending = null;
    },
    onEnd: sendPending,
  });
}

type NewRemoval = Omit<Pending, 'putBack'>;

/** Prepares the removal of these messages; null if the person cancels. */
async function makeRemoval(ids: readonly string[]): Promise<NewRemoval | null> {
  if (ids.length === 0) return null;
  if (ids.length > AT_CLOSE_IDS_MAX && !(await confirmMany(ids.length))) return null;
  const gone = new Set(ids);
  return {
    removal: {
      covers: ({ id }) => gone.has(id),
      unread: countUnread(rows.peek().filter(({ id }) => gone.has(id))),
    },
    text: describe(ids),
    send: (request) => inSlices(ids, (some) => request('POST', 'messages/delete', { ids: some })),
  };
}

/** A mail to several recipients is several messages, and one row of the list. */
function describe(ids: readonly string[]): string {
  const mails = groups.peek().filter((group) => group.ids.some((id) => ids.includes(id))).length;
  const t = words.list.deleted;
  return mails > 1 || ids.length === 1 ? t.messages(Math.max(1, mails)) : t.copies(ids.length);
}

function confirmMany(count: number): Promise<boolean> {
  return ask({
    title: words.list.deleted.askTitle(count),
    body: words.list.deleted.askBody,
    action: words.frame.delete,
    isDanger: true,
  });
}

/** Prepares the removal of the whole list. Only the server can match a search, so of a search it hides the loaded rows. */
function makeListedRemoval(): NewRemoval | null {
  const [newest] = rows.peek();
  // Until a search is answered, the rows on screen belong to another list.
  if (!newest || isStale.peek()) return null;
  const listed = askedList();
  const loaded = collectIds(rows.peek());
  const isWhole = listed.search === '';
  return {
    removal: {
      covers: isWhole
        ? ({ inbox_id, received_at }) =>
            (listed.inbox_id === null || inbox_id === listed.inbox_id) && received_at <= newest.received_at
        : ({ id }) => loaded.has(id),
      unread: isWhole
        ? new Map(
            inboxes
              .peek()
              .filter(({ id }) => listed.inbox_id === null || id === listed.inbox_id)
              .map(({ id, unread: count }) => [id, count]),
          )
        : countUnread(rows.peek()),
    },
    text: isWhole ? words.list.deleted.all : words.list.deleted.matching,
    send: (request) => request('POST', 'messages/delete-listed', { ...listed, through: newest.id }),
  };
}

function countUnread(list: readonly MessageInList[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { inbox_id, read } of list) if (!read) counts.set(inbox_id, (counts.get(inbox_id) ?? 0) + 1);
  return counts;
}

/** Sends the deletion that was waiting for an Undo. */
async function sendPending(): Promise<void> {
  if (!pending) return;
  const { removal, send, putBack } = pending;
  pending = null;
  endUndo();
  try {
    await send(call);
    forgetMessages(removal.covers);
    forgetLater(removal);
  } catch (fault) {
    putBack();
    showFault(fault);
  }
}

/** Removes messages from the list and the counts. Returns a function that puts them back. */
function hide(removal: Removal): () => void {
  addRemoval(removal);
  const key = listKey.peek();
  const lost = rows.peek().filter(removal.covers);
  const count = (sign: 1 | -1) => {
    for (const [inboxId, unreadRows] of removal.unread) addUnread(inboxId, sign * unreadRows);
  };
  batch(() => {
    rows.value = rows.peek().filter((row) => !removal.covers(row));
    const left = collectIds(rows.peek());
    selected.value = new Set([...selected.peek()].filter((id) => left.has(id)));
    count(-1);
  });
  return () => {
    if (!dropRemoval(removal)) return;
    // What is put back is not new mail, which could wait.
    showHeldRows();
    batch(() => {
      count(1);
      if (key !== listKey.peek()) return;
      const known = collectIds(rows.peek());
      const back = lost.filter(({ id }) => !known.has(id));
      rows.value = [...rows.peek(), ...back].sort(byNewest);
    });
    void Promise.all([loadList(), loadInboxes()]);
  };
}

function byNewest({ received_at: one }: MessageInList, { received_at: other }: MessageInList): number {
  return one === other ? 0 : one < other ? 1 : -1;
}

/** Keeps deleted messages hidden a little longer, because an answer to an earlier request may still contain them. */
function forgetLater(removal: Removal): void {
  dropRemoval(removal);
  // Counts that are loaded from now on no longer include them.
  const hidden: Removal = { ...removal, unread: new Map() };
  addRemoval(hidden);
  setTimeout(() => dropRemoval(hidden), LATE_MS);
  loadInboxesSoon(300);
  if (rows.peek().length === 0) void loadList();
}

/** Marks the whole list as read, with an Undo. */
export async function markAllWithUndo(): Promise<void> {
  // Messages that are being deleted are still unread on the server.
  await sendPending();
  const changed = await markAllRead();
  const mails = new Set(changed.map(({ mail }) => mail)).size;
  if (mails === 0) return;
  const ids = changed.map(({ id }) => id);
  showToastWithUndo(words.list.markedRead(mails), {
    onUndo: () => void mark(ids, false),
  });
}
