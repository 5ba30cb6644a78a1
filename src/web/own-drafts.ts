import { me } from './api.ts';
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

/** Somebody else may have signed in since the tab was loaded. */
export const forgetOthersDrafts = () => forgetDrafts(findOwnDrafts());

type Departure = 'signed-out' | 'switched';

/** The tabs of this browser have one session: when it ends in one, or is of another account, all start again. */
const tabs = new BroadcastChannel('postern.visitor');
tabs.onmessage = ({ data }: MessageEvent<Departure>) => startAgain(data);

/** After the visitor has signed out, or has switched to another account. */
export function leaveAllTabs(how: Departure): void {
  tabs.postMessage(how);
  startAgain(how);
}

function startAgain(how: Departure): void {
  if (how === 'signed-out') forgetDrafts(null);
  location.assign(home);
}
