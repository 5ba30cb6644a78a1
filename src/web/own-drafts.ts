import type { Me } from '../doors/dashboard/wire.ts';
import { me, read } from './api.ts';
import { home } from './base.ts';

/*
 * Drafts of emails are in the tab's session storage (mail/drafts.ts), under the id of the person who writes them. The
 * next visitor in the tab may be somebody else, so this is part of the first load.
 */

const PREFIX = 'postern.draft.';

/** Returns the prefix of the names of the visitor's drafts. */
export const findOwnDrafts = () => `${PREFIX}${me.value?.user?.id ?? ''}.`;

/** Removes all drafts from this tab, except those whose names have this prefix. */
function forgetDrafts(except: string | null): void {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(PREFIX) && !(except && name.startsWith(except))) sessionStorage.removeItem(name);
  }
}

type Departure = 'signed-out' | 'switched';
/** The signed-in user and account. */
interface Visitor {
  visitor: string;
}

const nameVisitor = (of = me.peek()) => `${of?.user?.id} ${of?.account.id}`;

/** The tabs of a browser share one session: when it ends or changes hands in one tab, all of them start over. */
const tabs = new BroadcastChannel('postern.visitor');
tabs.onmessage = ({ data }: MessageEvent<Departure | Visitor>) => {
  if (typeof data === 'string') startOver(data);
  // A page without a visitor, such as the sign-in page, has nothing to hide.
  else if (me.peek() && data.visitor !== nameVisitor()) startOver('switched');
};

// Back can restore a page from memory after somebody else has signed in.
addEventListener('pageshow', async ({ persisted }) => {
  if (!persisted || !me.peek()) return;
  const now = await read<Me | null>('me').catch(() => me.peek());
  if (nameVisitor(now) !== nameVisitor()) startOver('switched');
});

/** Starts all tabs over, once the visitor has signed out or switched to another account. */
export function leaveAllTabs(how: Departure): void {
  tabs.postMessage(how);
  startOver(how);
}

/** Claims this browser for the visitor: somebody else's session may have ended here unnoticed. */
export function claimTabs(): void {
  forgetDrafts(findOwnDrafts());
  tabs.postMessage({ visitor: nameVisitor() } satisfies Visitor);
}

function startOver(how: Departure): void {
  if (how === 'signed-out') forgetDrafts(null);
  location.assign(home);
}
