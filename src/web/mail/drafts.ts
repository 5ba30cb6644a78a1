/**
 * Emails that are being written, kept in this tab until they are sent or discarded: Escape closes a dialog, and a
 * session may end meanwhile. Attached files are not kept.
 */
import { useState } from 'preact/hooks';
import { me } from '../api.ts';

const PREFIX = 'postern.draft.';

export interface Draft<Fields> {
  fields: Fields;
  change: (changes: Partial<Fields>) => void;
  discard: () => void;
}

/** The draft for a route that sends it, or `empty`. */
export function useDraft<Fields extends Record<string, string>>(path: string, empty: Fields): Draft<Fields> {
  const own = `${PREFIX}${me.value?.user?.id ?? ''}.`;
  const key = own + path;
  const [fields, setFields] = useState<Fields>(() => {
    forgetDrafts(own);
    return { ...empty, ...JSON.parse(sessionStorage.getItem(key) ?? '{}') };
  });
  return {
    fields,
    change(changes) {
      const changed = { ...fields, ...changes };
      setFields(changed);
      try {
        sessionStorage.setItem(key, JSON.stringify(changed));
      } catch {
        // The browser's room for it is used up: the text is in the dialog alone.
      }
    },
    discard: () => sessionStorage.removeItem(key),
  };
}

/** Removes all drafts from this tab but those of one person: somebody else may have signed in. */
export function forgetDrafts(except?: string): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !(except && key.startsWith(except))) sessionStorage.removeItem(key);
  }
}
