import { effect, signal } from '@preact/signals';
import { shownMessage } from './shown.ts';

/** How the panes are laid out. Sizes and folding are kept in this browser. */

interface Pane {
  key: string;
  /** The key of its texts. */
  name: 'sidebar' | 'list';
  min: number;
  max: number;
  normal: number;
}

const panes = {
  sidebar: { key: 'postern.sidebar', name: 'sidebar', min: 200, max: 420, normal: 264 },
  list: { key: 'postern.list', name: 'list', min: 260, max: 720, normal: 384 },
} as const satisfies Record<string, Pane>;

function sized(pane: Pane) {
  const stored = Number(localStorage.getItem(pane.key));
  const px = signal(stored >= pane.min && stored <= pane.max ? Math.round(stored) : pane.normal);
  effect(() => keep(pane.key, px.value === pane.normal ? null : String(px.value)));
  return { ...pane, px };
}

function keep(key: string, value: string | null): void {
  if (value === null) localStorage.removeItem(key);
  else localStorage.setItem(key, value);
}

export const sidebar = sized(panes.sidebar);
export const list = sized(panes.list);

const FOLDED = 'postern.list-folded';
/** Whether the list is hidden while a message is open, where both have room. */
export const listFolded = signal(localStorage.getItem(FOLDED) === 'true');
effect(() => keep(FOLDED, listFolded.value ? 'true' : null));

/** Whether the message has the window to itself. */
export const fullPage = signal(false);
effect(() => {
  if (shownMessage.value === null) fullPage.value = false;
});

export function toggleFullPage(): void {
  fullPage.value = !fullPage.value;
}

export function toggleList(): void {
  listFolded.value = !listFolded.value;
}
