import { batch, signal } from '@preact/signals';
import type { InboxWithUnread, MessageInList } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { call, query, read } from '../api.ts';
import { showFault } from '../toast.tsx';
import { countHidden } from './removals.ts';

/*
 * The inboxes of the sidebar, loaded a page at a time, and how many of their messages are unread. Counts change here at
 * once, with what the page knows; a reload corrects them.
 */

export const inboxes = signal<InboxWithUnread[]>([]);
export const inboxesMore = signal<string | null>(null);
export const inboxesLoaded = signal(false);
/** Why the last request for the inboxes failed. */
export const inboxesFault = signal('');
export const inboxSearch = signal('');
export const unread = signal(0);

/** The search that `inboxes` answers, and the number of that request. */
let inboxesOf = '';
let inboxesShown = 0;
let inboxesAsked = 0;

/** Reloads the first page of the inboxes. Later pages that are loaded stay. */
export async function loadInboxes(): Promise<void> {
  inboxesFault.value = '';
  try {
    const q = inboxSearch.peek();
    const mine = ++inboxesAsked;
    const [page, total] = await Promise.all([
      call<PageView<InboxWithUnread>>('GET', `inboxes${query({ q })}`),
      read<{ unread: number }>('unread'),
    ]);
    // Ignore counts older than those shown.
    if (q !== inboxSearch.peek() || mine < inboxesShown) return;
    inboxesShown = mine;
    const last = inboxes.peek().findIndex(({ id }) => id === page.data.at(-1)?.id);
    const rest = q === inboxesOf && last >= 0 ? inboxes.peek().slice(last + 1) : [];
    inboxesOf = q;
    batch(() => {
      const top = page.data.map((inbox) => ({
        ...inbox,
        unread: Math.max(0, inbox.unread - countHidden(inbox.id)),
      }));
      inboxes.value = [...top, ...rest];
      if (rest.length === 0) inboxesMore.value = page.pagination.next_cursor;
      unread.value = Math.max(0, total.unread - countHidden(null));
      inboxesLoaded.value = true;
    });
  } catch (fault) {
    showFault(fault);
    inboxesFault.value = fault instanceof Error ? fault.message : '';
  }
}

export async function loadMoreInboxes(): Promise<void> {
  const cursor = inboxesMore.peek();
  if (cursor === null) return;
  inboxesMore.value = null;
  const q = inboxSearch.peek();
  try {
    const page = await call<PageView<InboxWithUnread>>('GET', `inboxes${query({ q, cursor })}`);
    // A new search or a reload has a cursor of its own.
    if (q !== inboxSearch.peek() || inboxesMore.peek() !== null) return;
    batch(() => {
      inboxes.value = [...inboxes.peek(), ...page.data];
      inboxesMore.value = page.pagination.next_cursor;
    });
  } catch (fault) {
    showFault(fault);
    if (q === inboxSearch.peek()) inboxesMore.value ??= cursor;
  }
}

/** Counts new messages, given oldest first. */
export function countArrived(messages: readonly MessageInList[]): void {
  batch(() => {
    for (const { inbox_id, received_at } of messages) addUnread(inbox_id, 1, received_at);
  });
  // Capture mode creates an inbox with its first message. A reload also corrects counts that two changes raced on.
  const isNew = messages.some(({ inbox_id }) => !inboxes.peek().some(({ id }) => id === inbox_id));
  loadInboxesSoon(isNew ? 80 : 2_000);
}

let soon: { timer: ReturnType<typeof setTimeout>; at: number } | undefined;

/** Reloads the inboxes within this time, once for any number of calls. */
export function loadInboxesSoon(withinMs: number): void {
  const at = Date.now() + withinMs;
  if (soon && soon.at <= at) return;
  clearTimeout(soon?.timer);
  const timer = setTimeout(() => {
    soon = undefined;
    void loadInboxes();
  }, withinMs);
  soon = { timer, at };
}

/** Adds to the number of unread messages of an inbox, and of all mail. */
export function addUnread(inboxId: string, count: number, lastAt?: string): void {
  batch(() => {
    unread.value = Math.max(0, unread.peek() + count);
    inboxes.value = inboxes
      .peek()
      .map((inbox) =>
        inbox.id === inboxId
          ? { ...inbox, unread: Math.max(0, inbox.unread + count), last_at: lastAt ?? inbox.last_at }
          : inbox,
      );
  });
}
