import { effect, signal } from '@preact/signals';
import {
  isSearchToken,
  type Misread,
  readTyped,
  splitSearchQuery,
  type WrittenTerm,
} from '../../rules/search-language.ts';
import { go, searched, withSearch } from '../router.tsx';

/*
 * The text of the search box. A moment after the last key it is also in the address (`?q=`), which is what the list
 * shows, what a link reproduces, and what Back and Forward go through.
 */

/** The text in the box. */
export const draft = signal(searched.peek());

const PAUSE_MS = 150;
let pause: ReturnType<typeof setTimeout> | undefined;
/** Whether further typing replaces the current history entry, because typing created it. */
let isTyping = false;

// Back, forward, or a link: the box follows.
effect(() => {
  if (searched.value.trim() !== draft.peek().trim()) draft.value = searched.value;
});

/** Sets the text while a person types. */
export function type(text: string): void {
  draft.value = text;
  clearTimeout(pause);
  pause = setTimeout(() => show(text), PAUSE_MS);
}

/** Searches at once, and makes the next key start a new history entry. */
export function searchFor(text: string): void {
  draft.value = text;
  show(text);
  isTyping = false;
}

/** Runs a search that waits for more keys, and makes the next key start a new history entry. */
export function endTyping(): void {
  if (pause !== undefined) show(draft.peek());
  isTyping = false;
}

function show(text: string): void {
  clearTimeout(pause);
  pause = undefined;
  if (text.trim() === searched.peek().trim()) return;
  go(withSearch(location.pathname, text.trim()), { replace: isTyping });
  isTyping = true;
}

/** A path of the list that is shown, with its search. */
export function inSearch(path: string): string {
  return withSearch(path, searched.peek());
}

/** The query to send to the server, and the terms that it would not understand. */
export function readSearch(): { asked: string; misread: Misread[] } {
  return readTyped(searched.peek());
}

/** The filters that are buttons, with the names of their texts. */
export const filters = [
  ['is:unread', 'unread'],
  ['has:code', 'code'],
  ['has:link', 'link'],
  ['has:attachment', 'attachment'],
] as const;

const isWritten = (term: WrittenTerm, written: string) =>
  !term.not && `${term.name}:${term.value}`.toLowerCase() === written;

export function hasFilter(text: string, written: string): boolean {
  return splitSearchQuery(text).some((term) => isWritten(term, written));
}

/** The text with a filter added or removed. */
export function toggleFilter(text: string, written: string): string {
  const terms = splitSearchQuery(text);
  const rest = terms.filter((term) => !isWritten(term, written));
  const kept = rest.map(({ from, to }) => text.slice(from, to));
  return (rest.length < terms.length ? kept : [...kept, written]).join(' ');
}

/** The text without one of its terms. */
export function withoutTerm(text: string, { from, to }: Pick<WrittenTerm, 'from' | 'to'>): string {
  return `${text.slice(0, from).trimEnd()} ${text.slice(to).trimStart()}`.trim();
}

/** Returns the terms with a known token and a value, except those that have a filter button. */
export function listTokens(text: string): WrittenTerm[] {
  return splitSearchQuery(text).filter(
    (term) =>
      term.name !== undefined &&
      isSearchToken(term.name.toLowerCase()) &&
      term.value.trim() !== '' &&
      !filters.some(([written]) => isWritten(term, written)),
  );
}
