import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { me } from '../api.ts';
import { formatCount } from '../format.ts';
import { words } from '../words/words.ts';
import { loadInboxes, unread } from './inboxes.ts';
import { fullPage, list, listFolded } from './layout.ts';
import { followList, groups, isPaneKept, listState } from './list.ts';
import { listen } from './live.ts';
import { MessageList } from './message-list.tsx';
import { MessagePane } from './message-pane.ts';
import { openMessage } from './opened.ts';
import { Separator } from './separator.tsx';
import { shownInbox, shownMessage } from './shown.ts';

/** Keeps the inboxes, the list and the live stream up to date on every page, because the title shows the unread count. */
export function useMail(): void {
  useEffect(() => {
    void loadInboxes();
    const stops = [
      followList(),
      listen(me.value?.account.id ?? '', me.value?.live_position ?? ''),
      effect(() => {
        document.title = unread.value > 0 ? `(${formatCount(unread.value)}) Postern` : 'Postern';
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}

/** Safari has no idle callbacks. */
const whenIdle: (run: () => void) => void = globalThis.requestIdleCallback ?? setTimeout;

/** Loads the code of the message pane before the first click, but after the list is on the screen. */
function useMessagePane(): void {
  const isListed = listState.value !== 'loading';
  useEffect(() => {
    if (isListed) whenIdle(MessagePane.preload);
  }, [isListed]);
  useEffect(() => {
    // The page was opened with a message, whose pane is being loaded: so is the message, at the same time.
    const id = shownMessage.peek();
    if (id !== null) openMessage(id).catch(() => {});
  }, []);
}

/** The list and the message, side by side where there is room. */
export function Mail() {
  useMessagePane();
  if (shownInbox.value === null) return null;
  const isOpen = shownMessage.value !== null;
  // The list has the whole width until a message is opened.
  const isSplit = isOpen || (isPaneKept.value && groups.value.length > 0);
  const isAlone = isOpen && (fullPage.value || listFolded.value);
  return (
    <div
      class={`relative grid h-full min-h-0 grid-cols-1 ${
        isSplit && !isAlone
          ? 'lg:grid-cols-[min(var(--list),45%)_minmax(0,1fr)] xl:grid-cols-[min(var(--list),60%)_minmax(0,1fr)]'
          : ''
      }`}
      style={{ '--list': `${list.px.value}px` }}
    >
      <h1 class="sr-only">{words.frame.shell.mail}</h1>
      <div
        class={`relative min-h-0 min-w-0 ${isSplit ? 'lg:border-r lg:border-line' : ''} ${
          isAlone ? 'hidden' : isOpen ? 'hidden lg:block' : ''
        }`}
      >
        <MessageList />
        {isSplit && <Separator pane={list} class="hidden lg:block" />}
      </div>
      {isSplit && (
        <div class={`min-h-0 min-w-0 bg-surface ${isOpen ? '' : 'hidden lg:block'}`}>
          <MessagePane />
        </div>
      )}
    </div>
  );
}
