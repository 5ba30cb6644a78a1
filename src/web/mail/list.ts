import { batch, computed, effect, signal } from '@preact/signals';
import type { MessageInList } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { call, me, query } from '../api.ts';
import { preferences } from '../preferences.ts';
import { searched } from '../router.tsx';
import { showFault } from '../toast.tsx';
import { collectIds, groupRows } from './groups.ts';
import { addUnread, countArrived, loadInboxes, loadInboxesSoon } from './inboxes.ts';
import { MORE_ROWS_MAX, readTop } from './list-top.ts';
import { openedMessages } from './opened.ts';
import { isHidden } from './removals.ts';
import { readSearch } from './search-text.ts';
import { shownInbox } from './shown.ts';

/*
 * The list of messages of the shown inbox, or of a search in it. It is loaded a page at a time, and grows at the top as
 * mail arrives (live.ts).
 */

export const rows = signal<MessageInList[]>([]);
/** The rows of the list, each of which may be several messages. */
export const groups = computed(() => groupRows(rows.value));
export const listState = signal<'loading' | 'ready' | 'failed'>('loading');
/** Why the list could not be loaded. */
export const listFault = signal('');
export const selected = signal<ReadonlySet<string>>(new Set());
/** The first id of the row that keys act on while no message is open, such as after a deletion. */
export const cursor = signal<string | null>(null);
/** Whether the message pane stays open although it is empty, because its message was deleted. */
export const isPaneKept = signal(false);
/** Whether the reader has scrolled away from the newest rows. */
export const isAway = signal(false);
/** Ids that arrived while the list was on screen; they are highlighted for a moment. */
export const fresh = signal<ReadonlySet<string>>(new Set());

let nextCursor: string | null = null;
let readingMore = false;
/** Numbers the requests, so that outdated answers are ignored. */
let asked = 0;
/** The largest `pageRows` (preferences.ts). */
const PAGE_ROWS_MAX = 100;

/** Identifies the list: another inbox or search starts a new one. */
export const listKey = computed(() => `${shownInbox.value}\n${searched.value.trim()}`);
/** The list that `rows` belong to. It lags behind `listKey` until a search is answered. */
export const loadedList = signal('');
export const isStale = computed(() => loadedList.value !== listKey.value);

/** Loads the list that the path asks for, now and whenever it changes. Returns a function that stops that. */
export function followList(): () => void {
  return effect(() => {
    if (listKey.value.startsWith('null\n')) return;
    const [inbox] = listKey.peek().split('\n');
    nextCursor = null;
    batch(() => {
      selected.value = new Set();
      cursor.value = null;
      isPaneKept.value = false;
      isAway.value = false;
      if (loadedList.peek().split('\n')[0] === inbox && listState.peek() === 'ready') return;
      rows.value = [];
      listState.value = 'loading';
    });
    void loadList();
  });
}

export function listPath(after: string | null, limit: number, read?: 'false'): string {
  const inbox = shownInbox.peek();
  const where = inbox === 'all' || inbox === null ? 'messages' : `inboxes/${inbox}/messages`;
  return where + query({ search: readSearch().asked, read, cursor: after, limit });
}

/** Reloads the top of the list; the current rows stay until it is loaded. */
export async function loadList(): Promise<void> {
  const mine = ++asked;
  try {
    // With the default preference, the document's headers preload this request (doors/dashboard/page-routes.ts).
    const page = await readTop(readRows, preferences.peek().pageRows, listKept);
    if (mine !== asked) return;
    batch(() => {
      rows.value = asChanged(page.data);
      loadedList.value = listKey.peek();
      nextCursor = page.pagination.next_cursor;
      listState.value = 'ready';
    });
  } catch (fault) {
    if (mine !== asked) return;
    // Outdated rows are better than none.
    if (rows.peek().length > 0 && !isStale.peek()) return showFault(fault);
    batch(() => {
      rows.value = [];
      listState.value = 'failed';
      listFault.value = fault instanceof Error ? fault.message : '';
    });
  }
}

/** Returns the loaded rows if the list is scrolled down and they must stay; null to load them again. */
const listKept = () =>
  isAway.peek() && !isStale.peek() ? { data: rows.peek(), next_cursor: nextCursor } : null;

const readRows = (after: string | null, limit: number) =>
  call<PageView<MessageInList>>('GET', listPath(after, limit));

let listSoon: ReturnType<typeof setTimeout> | undefined;
const LIST_SOON_MS = 200;

/** Reloads a search after new mail: only the server can tell whether it matches. */
function loadListSoon(): void {
  if (listSoon !== undefined) return;
  listSoon = setTimeout(() => {
    listSoon = undefined;
    void loadList();
  }, LIST_SOON_MS);
}

/** Whether the list goes on beyond `rows`. */
export const hasMoreRows = () => nextCursor !== null;

/** Scrolling to the end again within this time loads twice as many rows, up to what the server returns at once. */
const SOON_AGAIN_MS = 2_000;
let lastMore = { at: Number.NEGATIVE_INFINITY, count: 0 };

function countMore(): number {
  const { pageRows } = preferences.peek();
  const at = performance.now();
  const count = at - lastMore.at < SOON_AGAIN_MS ? Math.min(MORE_ROWS_MAX, 2 * lastMore.count) : pageRows;
  lastMore = { at, count };
  return count;
}

/** Loads the next page, when the end of the list is near. */
export async function loadMore(): Promise<void> {
  if (readingMore || nextCursor === null || listState.peek() !== 'ready') return;
  readingMore = true;
  const [mine, from] = [asked, nextCursor];
  try {
    const page = await readRows(from, countMore());
    // If the list was reloaded in the meantime, it may end elsewhere.
    if (mine !== asked || from !== nextCursor) return;
    nextCursor = page.pagination.next_cursor;
    // The page starts after the last row, so only messages that arrived in the meantime can be there already.
    const known = collectIds(rows.peek().slice(-2 * PAGE_ROWS_MAX));
    rows.value = rows.peek().concat(asChanged(page.data.filter(({ id }) => !known.has(id))));
  } catch (fault) {
    showFault(fault);
  } finally {
    readingMore = false;
  }
}

/** Adds new messages, given oldest first. */
export function arrive(messages: readonly MessageInList[]): void {
  const inbox = shownInbox.peek();
  const known = collectIds(rows.peek().slice(0, 2 * PAGE_ROWS_MAX));
  const added = messages.filter(
    (message) => !known.has(message.id) && (inbox === 'all' || message.inbox_id === inbox),
  );
  const isSearch = searched.peek().trim() !== '';
  if (isSearch && added.length > 0) loadListSoon();
  batch(() => {
    if (!isSearch && added.length > 0 && listState.peek() === 'ready') {
      rows.value = [...[...added].reverse(), ...rows.peek()];
      fresh.value = new Set([...[...fresh.peek()].slice(-200), ...added.map(({ id }) => id)]);
    }
    countArrived(messages);
  });
}

/** Messages marked a moment ago: a list requested before that still has their old state. */
const marked = new Map<string, boolean>();
const CHANGED_MS = 5_000;

function asChanged(list: readonly MessageInList[]): MessageInList[] {
  return list
    .filter((row) => !isHidden(row))
    .map((row) => ({ ...row, read: marked.get(row.id) ?? row.read }));
}

/** What to request from the server for the list on screen. */
export function askedList(): { inbox_id: string | null; search: string } {
  const inbox = shownInbox.peek();
  return { inbox_id: inbox === 'all' ? null : inbox, search: readSearch().asked };
}

/** Marks messages on the page at once, then on the server. */
export async function mark(ids: readonly string[], isRead: boolean): Promise<void> {
  const wanted = new Set(ids);
  for (const id of ids) marked.set(id, isRead);
  setTimeout(() => {
    for (const id of ids) marked.delete(id);
  }, CHANGED_MS);
  const changed = rows.peek().filter((row) => wanted.has(row.id) && row.read !== isRead);
  batch(() => {
    showRead(wanted, isRead);
    for (const { inbox_id } of changed) addUnread(inbox_id, isRead ? -1 : 1);
  });
  try {
    await inSlices(ids, (some) => call('POST', 'messages/mark', { ids: some, read: isRead }));
    loadInboxesSoon(300);
  } catch (fault) {
    showFault(fault);
    // Roll back.
    for (const id of ids) marked.delete(id);
    showRead(collectIds(changed), !isRead);
    await Promise.all([loadList(), loadInboxes()]);
  }
}

function showRead(ids: ReadonlySet<string>, isRead: boolean): void {
  rows.value = rows.peek().map((row) => (ids.has(row.id) ? { ...row, read: isRead } : row));
  for (const id of ids) {
    const message = openedMessages.get(id);
    if (message) message.value = { ...message.peek(), read: isRead };
  }
}

/** Returns all messages of the mails that these belong to: a row is one mail, with a message for each recipient. */
export function wholeMails(ids: readonly string[]): string[] {
  const wanted = new Set(ids);
  const found = groups.peek().filter((group) => group.ids.some((id) => wanted.has(id)));
  return [...new Set([...ids, ...found.flatMap((group) => group.ids)])];
}

export async function inSlices(ids: readonly string[], run: (some: readonly string[]) => Promise<unknown>) {
  const most = me.value?.bounds.message_ids ?? 1;
  for (let at = 0; at < ids.length; at += most) await run(ids.slice(at, at + most));
}
