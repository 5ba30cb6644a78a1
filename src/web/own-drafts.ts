import type { Me } from '../doors/dashboard/wire.ts';
import { me, read } from './api.ts';
import { home } from './base.ts';

/*
 * Emails that are being written are in the tab's session storage (mail/drafts.ts), under the name of who writes them.
 * A tab may get another visitor, so this is part of the first load.
 */

const PREFIX = 'postern.draft.';

/** How the names of the visitor's drafts begin. */
export const findOwnDrafts = () => `${PREFIX}${me.value?.user?.id ?? ''}.`;

/** Removes all drafts from this tab but those that begin like this. */
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

/** The tabs of this browser have one session: when it ends in one, or is of another visitor, all start again. */
const tabs = new BroadcastChannel('postern.visitor');
tabs.onmessage = ({ data }: MessageEvent<Departure | Visitor>) => {
  if (typeof data === 'string') startAgain(data);
  // A page that shows no mail, for example the sign-in page, stays as it is.
  else if (me.peek() && data.visitor !== nameVisitor()) startAgain('switched');
};

// Back shows a page as it was left, and somebody else may have signed in since.
addEventListener('pageshow', async ({ persisted }) => {
  if (!persisted || !me.peek()) return;
  const now = await read<Me | null>('me').catch(() => me.peek());
  if (nameVisitor(now) !== nameVisitor()) startAgain('switched');
});

/** After the visitor has signed out, or has switched to another account. */
export function leaveAllTabs(how: Departure): void {
  tabs.postMessage(how);
  startAgain(how);
}

/** Once it is known who the visitor is: another one may have been here before, whose session has ended unnoticed. */
export function takeOver(): void {
  forgetDrafts(findOwnDrafts());
  tabs.postMessage({ visitor: nameVisitor() } satisfies Visitor);
}

function startAgain(how: Departure): void {
  if (how === 'signed-out') forgetDrafts(null);
  location.assign(home);
}
