import { computed, signal } from '@preact/signals';
import { groups, isAway, loadedList, rows } from './list.ts';
import { shownMessage } from './shown.ts';

/*
 * New mail moves every row down. While a reader aims at one of them, new rows wait, so that a click opens what it was
 * aimed at. As soon as the pointer rests or leaves the list, they are shown: a reader who waits for mail sees it at once.
 */

/** How long after the last movement a reader may still click. */
const AIM_MS = 2_000;

/** The list that the reader aims at, and its newest message when that began. */
const aimed = signal<{ list: string; newestAt: string } | null>(null);
let resting: ReturnType<typeof setTimeout> | undefined;

/** How many new rows wait. None in a list that is scrolled down: there the rows keep their place anyway. */
export const heldCount = computed(() => {
  if (aimed.value?.list !== loadedList.value || isAway.value) return 0;
  const { newestAt } = aimed.value;
  const at = groups.value.findIndex(({ row }) => row.received_at <= newestAt);
  const held = groups.value.slice(0, Math.max(0, at));
  // The open message is always in the list.
  return held.some(({ ids }) => ids.includes(shownMessage.value ?? '')) ? 0 : held.length;
});

/** The rows to show. */
export const shownGroups = computed(() => groups.value.slice(heldCount.value));

export function showHeldRows(): void {
  clearTimeout(resting);
  aimed.value = null;
}

function aim(): void {
  clearTimeout(resting);
  resting = setTimeout(showHeldRows, AIM_MS);
  const list = loadedList.peek();
  if (aimed.peek()?.list !== list) aimed.value = { list, newestAt: rows.peek()[0]?.received_at ?? '' };
}

/** For the element of the list. */
export const aimListeners = {
  onPointerMove: aim,
  onPointerDown: aim,
  onKeyDown: aim,
  // A finger leaves before its click arrives.
  onPointerLeave: ({ pointerType }: PointerEvent) => pointerType === 'mouse' && showHeldRows(),
};
