import { batch, computed, effect, signal } from '@preact/signals';
import type { InboxWithUnread, MessageInList } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { call, me, query, read } from '../api.ts';
import { preferences } from '../preferences.ts';
import { searched, segments } from '../router.tsx';
import { showFault } from '../toast.tsx';
import { collectIds, groupRows } from './groups.ts';
import { MORE_ROWS_MAX, readTop } from './list-top.ts';
import { openedMessages } from './opened.ts';
import { countHidden, isHidden } from './removals.ts';
import { readSearch } from './search-text.ts';

/*
 * The state of the Mail pages. The path says which inbox and which message; everything else is here. Lists are loaded
 * a page at a time, and grow at the top as mail arrives (live.ts).
 */

export const inboxes = signal<InboxWithUnread[]>([]);
export const inboxesMore = signal<string | null>(null);
export const inboxesLoaded = signal(false);
/** Why the last request for the inboxes failed. */
export const inboxesFault = signal('');
export const inboxSearch = signal('');
export const unread = signal(0);

/** The path of the sidebar's page on a phone. On wider screens it shows all mail, beside the sidebar. */
export const INBOXES = 'inboxes';

/** `all`, an inbox's id, or null on other pages. */
export const shownInbox = computed(() => {
  const [place, what] = segments.value;
  if (place === 'inbox' && what) return what;
  return place === undefined || place === 'all' || place === INBOXES ? 'all' : null;
});

/** The id of the message in the path, if any. */
export const shownMessage = computed(() => {
  const [place, what, which] = segments.value;
  if (place === 'inbox') return which ?? null;
  return place === 'all' ? (what ?? null) : null;
});

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

export function startMail(): () => void {
  void loadInboxes();
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
    unread.value += messages.length;
    for (const { inbox_id, received_at } of messages) countIn(inbox_id, 1, received_at);
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

export function countIn(inboxId: string, by: number, lastAt?: string): void {
  inboxes.value = inboxes
    .peek()
    .map((inbox) =>
      inbox.id === inboxId
        ? { ...inbox, unread: Math.max(0, inbox.unread + by), last_at: lastAt ?? inbox.last_at }
        : inbox,
    );
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
    for (const { inbox_id } of changed) countIn(inbox_id, isRead ? -1 : 1);
    unread.value = Math.max(0, unread.peek() + changed.length * (isRead ? -1 : 1));
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
