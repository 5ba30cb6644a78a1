import { signal } from '@preact/signals';
import type { LiveEvents, MessageInList } from '../../doors/dashboard/wire.ts';
import { query, read } from '../api.ts';
import { nameOf } from '../format.ts';
import { go, pathTo } from '../router.tsx';
import { tell } from '../toast.tsx';
import { arrive, loadInboxes, loadList } from './store.ts';

/*
 * New mail as it comes. The browser connects again by itself and says what it saw last (Last-Event-ID), so nothing
 * is lost in between; `reset` means that too much has come to be told one by one.
 *
 * A browser has six connections for all tabs of a host, and a stream holds one. So one tab holds the stream, by a lock,
 * and tells the others; when it closes, another takes over from where the last event was. Without https there are no
 * locks beyond this machine: then each tab has its own.
 */

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

/** A flood of mail makes at most so many lists be read. */
const RELOAD_EVERY_MS = 700;
/** A stream that was refused for good is asked for again: the server may be starting. */
const AGAIN_MS = 3_000;

type Said =
  | { what: 'state'; state: typeof connection.value; id: string }
  | { what: 'messages'; messages: MessageInList[]; id: string }
  | { what: 'reset'; id: string }
  /** A tab that has just come asks how things stand. */
  | { what: 'asks' };

/** Where the last event left off, whoever heard it. */
let lastId = '';
let reload: ReturnType<typeof setTimeout> | undefined;

function hear(said: Said): void {
  if (said.what === 'asks') return;
  if (said.id) lastId = said.id;
  if (said.what === 'state') {
    // It may be another server that answers now, with other mail.
    if (said.state === 'live' && connection.peek() === 'lost') loadSoon();
    connection.value = said.state;
  } else if (said.what === 'reset') loadSoon();
  else {
    connection.value = 'live';
    arrive(said.messages);
  }
}

function loadSoon(): void {
  if (reload !== undefined) return;
  reload = setTimeout(() => {
    reload = undefined;
    void loadList();
    void loadInboxes();
  }, RELOAD_EVERY_MS);
}

export function listen(accountId: string): () => void {
  const name = `postern.live.${accountId}`;
  const channel = new BroadcastChannel(name);
  const stop = new AbortController();
  channel.onmessage = ({ data }: MessageEvent<Said>) => hear(data);
  channel.postMessage({ what: 'asks' } satisfies Said);
  const lead = () => openSource(channel, stop.signal);
  if (navigator.locks) navigator.locks.request(name, { signal: stop.signal }, lead).catch(() => {});
  else void lead();
  // What was read or deleted elsewhere is not told live.
  const onShow = () => document.visibilityState === 'visible' && void loadInboxes();
  document.addEventListener('visibilitychange', onShow);
  return () => {
    stop.abort();
    channel.close();
    document.removeEventListener('visibilitychange', onShow);
  };
}

/** Holds the stream until this page goes; what it says, every tab hears. */
function openSource(channel: BroadcastChannel, stop: AbortSignal): Promise<void> {
  const say = (said: Said) => {
    hear(said);
    channel.postMessage(said);
  };
  let source: EventSource;
  const open = () => {
    source = new EventSource(`/dashboard/api/live${query({ after: lastId })}`);
    const on = (name: keyof LiveEvents, run: (event: MessageEvent<string>) => void) =>
      source.addEventListener(name, run);
    on('hello', ({ lastEventId: id }) => say({ what: 'state', state: 'live', id }));
    on('messages', ({ data, lastEventId: id }) => {
      const { messages } = JSON.parse(data) as LiveEvents['messages'];
      say({ what: 'messages', messages, id });
      notify(messages);
    });
    on('reset', ({ lastEventId: id }) => say({ what: 'reset', id }));
    source.onerror = () => {
      say({ what: 'state', state: 'lost', id: '' });
      if (source.readyState !== EventSource.CLOSED) return;
      // A session that has ended shows itself here.
      read('me').catch(() => {});
      setTimeout(() => stop.aborted || open(), AGAIN_MS);
    };
  };
  open();
  channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    if (data.what === 'asks') say({ what: 'state', state: connection.value, id: lastId });
  });
  return new Promise((release) => {
    stop.addEventListener('abort', () => {
      source.close();
      release();
    });
  });
}

const KEY = 'postern.notify';

/** Whether new mail is told by the system while the page is in the background. */
export const notifying = signal(
  'Notification' in globalThis && Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on',
);

export async function toggleNotifying(): Promise<void> {
  if (notifying.value) {
    notifying.value = false;
    localStorage.removeItem(KEY);
    tell('Notifications are off');
    return;
  }
  if (!('Notification' in globalThis)) {
    tell('This browser has no notifications here', true);
    return;
  }
  if ((await Notification.requestPermission()) !== 'granted') {
    tell('The browser does not allow notifications from this page', true);
    return;
  }
  notifying.value = true;
  localStorage.setItem(KEY, 'on');
  tell('New mail is told by a notification');
}

/** More at once would be a flood of their own. */
const NOTES_MAX = 3;

function notify(messages: readonly MessageInList[]): void {
  if (!notifying.peek() || document.visibilityState === 'visible') return;
  for (const { id, inbox_id, from, subject, otp } of messages.slice(-NOTES_MAX)) {
    const title = otp ? `${otp} · ${nameOf(from)}` : nameOf(from);
    const note = new Notification(title, { body: subject || '(no subject)', tag: id });
    note.onclick = () => {
      window.focus();
      go(pathTo('inbox', inbox_id, id));
      note.close();
    };
  }
}
