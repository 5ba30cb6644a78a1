import { signal } from '@preact/signals';
import type { LiveEvents, MessageInList } from '../../doors/dashboard/wire.ts';
import { query, read } from '../api.ts';
import { apiPath } from '../base.ts';
import { readName } from '../format.ts';
import { go, pathTo } from '../router.tsx';
import { showToast } from '../toast.tsx';
import { words } from '../words/words.ts';
import { inboxesFault, loadInboxes } from './inboxes.ts';
import { arrive, listState, loadList } from './list.ts';

/*
 * New mail, live. The browser reconnects by itself and sends the id of the last event it saw (Last-Event-ID), so
 * nothing is lost in between. `reset` means that too much has arrived to be listed: the page loads its list again.
 *
 * A browser allows six connections per host for all tabs together, and a stream holds one. So one tab holds the stream,
 * under a lock, and broadcasts to the others; when it closes, another takes over after the last event. Without HTTPS
 * the locks exist on localhost only, and a browser that keeps nothing for this site has none: there each tab has a
 * stream of its own.
 */

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

/** During a flood of mail the list is loaded at most once in this time. */
const RELOAD_EVERY_MS = 700;
/**
 * The server sends something every 10 seconds (doors/dashboard/live.ts). A connection that was lost while the computer
 * slept, or in a router, brings neither that nor an error.
 */
const SILENT_MS = 25_000;
/** How long to wait before reopening a stream that the server refused: it may be starting. */
const AGAIN_MS = 3_000;

type TabMessage =
  | { what: 'state'; state: typeof connection.value; id: string }
  | { what: 'messages'; messages: MessageInList[]; id: string }
  | { what: 'reset'; id: string }
  /** A new tab asks for the current state. */
  | { what: 'asks' };

/** The id of the last event, in whichever tab it arrived. */
let lastId = '';
/** The stream's position before this page loaded its list. */
let startId = '';
let reload: ReturnType<typeof setTimeout> | undefined;

function receive(message: TabMessage): void {
  if (message.what === 'asks') return;
  if (message.id) lastId = message.id;
  if (message.what === 'state') {
    // After a reconnect it may even be another server, with other mail. A stream that began where it was before the
    // list was loaded has everything that the list lacks, if the list could be loaded.
    const isWhole = connection.peek() === 'connecting' && message.id === startId && !hasFailed();
    if (message.state === 'live' && connection.peek() !== 'live' && !isWhole) loadSoon();
    connection.value = message.state;
  } else if (message.what === 'reset') loadSoon();
  else {
    connection.value = 'live';
    arrive(message.messages);
  }
}

/** Whether the server was lost while the page started: its first requests failed, and the stream is there now. */
const hasFailed = () => listState.peek() === 'failed' || inboxesFault.peek() !== '';

function loadSoon(): void {
  if (reload !== undefined) return;
  reload = setTimeout(() => {
    reload = undefined;
    void loadList();
    void loadInboxes();
  }, RELOAD_EVERY_MS);
}

export function listen(accountId: string, position: string): () => void {
  startId = position;
  lastId ||= position;
  const name = `postern.live.${accountId}`;
  const channel = new BroadcastChannel(name);
  const stop = new AbortController();
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
  channel.postMessage({ what: 'asks' } satisfies TabMessage);
  const lead = () => openSource(channel, stop.signal);
  const leadAlone = () => void (stop.signal.aborted || lead());
  if (navigator.locks) navigator.locks.request(name, { signal: stop.signal }, lead).catch(leadAlone);
  else leadAlone();
  // Reads and deletes in another browser are not broadcast.
  const onShow = () => document.visibilityState === 'visible' && void loadInboxes();
  document.addEventListener('visibilitychange', onShow);
  return () => {
    stop.abort();
    channel.close();
    document.removeEventListener('visibilitychange', onShow);
  };
}

/** Holds the stream until this page closes, and broadcasts its events to every tab. */
function openSource(channel: BroadcastChannel, stop: AbortSignal): Promise<void> {
  const broadcast = (message: TabMessage) => {
    receive(message);
    channel.postMessage(message);
  };
  let source: EventSource;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const awaitNext = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      source.close();
      broadcast({ what: 'state', state: 'lost', id: '' });
      // Where a proxy buffers the stream, only this shows new mail.
      broadcast({ what: 'reset', id: '' });
      open();
    }, SILENT_MS);
  };
  const open = () => {
    source = new EventSource(apiPath(`live${query({ after: lastId })}`));
    awaitNext();
    const on = (name: keyof LiveEvents, run: (event: MessageEvent<string>) => void) =>
      source.addEventListener(name, (event) => {
        awaitNext();
        run(event);
      });
    on('beat', () => {});
    on('hello', ({ lastEventId: id }) => broadcast({ what: 'state', state: 'live', id }));
    on('messages', ({ data, lastEventId: id }) => {
      const { messages } = JSON.parse(data) as LiveEvents['messages'];
      broadcast({ what: 'messages', messages, id });
      notify(messages);
    });
    on('reset', ({ lastEventId: id }) => broadcast({ what: 'reset', id }));
    source.onerror = () => {
      broadcast({ what: 'state', state: 'lost', id: '' });
      if (source.readyState !== EventSource.CLOSED) return;
      // If the session has ended, this request is refused, and the page notices.
      read('unread').catch(() => {});
      clearTimeout(silence);
      setTimeout(() => stop.aborted || open(), AGAIN_MS);
    };
  };
  open();
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.what === 'asks') broadcast({ what: 'state', state: connection.value, id: lastId });
  });
  return new Promise((release) => {
    stop.addEventListener('abort', () => {
      clearTimeout(silence);
      source.close();
      release();
    });
  });
}

const KEY = 'postern.notify';

/** Whether new mail shows a system notification while the page is in the background. */
export const notifying = signal(
  'Notification' in globalThis && Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on',
);

export async function toggleNotifying(): Promise<void> {
  const t = words.list.notifications;
  if (notifying.value) {
    notifying.value = false;
    localStorage.removeItem(KEY);
    showToast(t.off);
    return;
  }
  if (!('Notification' in globalThis)) {
    showToast(t.missing, true);
    return;
  }
  if ((await Notification.requestPermission()) !== 'granted') {
    showToast(t.blocked, true);
    return;
  }
  notifying.value = true;
  localStorage.setItem(KEY, 'on');
  showToast(t.on);
}

/** Notifications for one batch of mail: a flood of mail must not become a flood of notifications. */
const NOTES_MAX = 3;

function notify(messages: readonly MessageInList[]): void {
  if (!notifying.peek() || document.visibilityState === 'visible') return;
  for (const { id, inbox_id, from, subject, otp } of messages.slice(-NOTES_MAX)) {
    const title = otp ? `${otp} · ${readName(from)}` : readName(from);
    const note = new Notification(title, { body: subject || words.list.noSubject, tag: id });
    note.onclick = () => {
      window.focus();
      go(pathTo('inbox', inbox_id, id));
      note.close();
    };
  }
}
