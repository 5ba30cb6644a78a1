import { computed } from '@preact/signals';
import { segments } from '../router.tsx';

/* What the path shows: which list of messages, and which of its messages is open. */

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
