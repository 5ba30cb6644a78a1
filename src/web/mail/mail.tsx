import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { me } from '../api.ts';
import { count } from '../format.ts';
import { listen } from './live.ts';
import { MessageList } from './message-list.tsx';
import { MessagePane } from './message-view.tsx';
import { shownInbox, shownMessage, startMail, unread } from './store.ts';

/** Keeps the mail store and the live stream running on every page, because the title shows the unread count. */
export function useMail(): void {
  useEffect(() => {
    const stops = [
      startMail(),
      listen(me.value?.account.id ?? '', me.value?.live_position ?? ''),
      effect(() => {
        document.title = unread.value > 0 ? `(${count(unread.value)}) Postern` : 'Postern';
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}

/** The list and the message, side by side where there is room. */
export function Mail() {
  if (shownInbox.value === null) return null;
  const isOpen = shownMessage.value !== null;
  return (
    <div class="relative grid h-full min-h-0 grid-cols-1 xl:grid-cols-[24rem_minmax(0,1fr)]">
      <h1 class="sr-only">Mail</h1>
      <div class={`min-h-0 min-w-0 xl:border-r xl:border-line ${isOpen ? 'hidden xl:block' : ''}`}>
        <MessageList />
      </div>
      <div class={`min-h-0 min-w-0 bg-surface ${isOpen ? '' : 'hidden xl:block'}`}>
        <MessagePane />
      </div>
    </div>
  );
}
