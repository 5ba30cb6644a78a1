import { signal } from '@preact/signals';
import { nameOf } from '../format.ts';
import { go, pathTo } from '../router.tsx';
import { tell } from '../toast.tsx';
import type { Summary } from '../wire.ts';
import { arrive, loadInboxes, loadList } from './store.ts';

/*
 * New mail as it comes. The browser connects again by itself and says what it saw last (Last-Event-ID), so nothing
 * is lost in between; `reset` means that too much has come to be told one by one.
 */

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

/** A flood of mail makes at most so many lists be read. */
const RELOAD_EVERY_MS = 700;

export function listen(): () => void {
  let reload: ReturnType<typeof setTimeout> | undefined;
  const source = new EventSource('/dashboard/api/live');
  const loadSoon = () => {
    reload ??= setTimeout(() => {
      reload = undefined;
      void loadList();
      void loadInboxes();
    }, RELOAD_EVERY_MS);
  };
  source.addEventListener('hello', () => {
    connection.value = 'live';
  });
  source.addEventListener('messages', ({ data }: MessageEvent<string>) => {
    const { messages } = JSON.parse(data) as { messages: Summary[] };
    arrive(messages);
    notify(messages);
  });
  source.addEventListener('reset', loadSoon);
  source.onerror = () => {
    connection.value = 'lost';
    // A refusal ends an EventSource for good; it may be a restart that answers again in a moment.
    if (source.readyState === EventSource.CLOSED) again = setTimeout(restart, 3_000);
  };
  let again: ReturnType<typeof setTimeout> | undefined;
  let stop_next: (() => void) | undefined;
  const restart = () => {
    stop_next = listen();
    loadSoon();
  };
  // What was read or deleted elsewhere is not told live.
  const onShow = () => document.visibilityState === 'visible' && void loadInboxes();
  document.addEventListener('visibilitychange', onShow);
  return () => {
    source.close();
    clearTimeout(reload);
    clearTimeout(again);
    document.removeEventListener('visibilitychange', onShow);
    stop_next?.();
  };
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

function notify(messages: readonly Summary[]): void {
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
