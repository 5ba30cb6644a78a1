/**
 * Keeps the contents of a form when the session ends while somebody types: after signing in, the form opens with them. A
 * form that is closed in any other way starts empty. Never use it for passwords or codes, because the contents are
 * stored in the tab. Another visitor never sees them (own-drafts.ts).
 */
import { type Dispatch, type StateUpdater, useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded } from './api.ts';
import { findOwnDrafts } from './own-drafts.ts';

/** Like `useState`, for the form with this name. */
export function useTyped<Value>(form: string, before: Value): [Value, Dispatch<StateUpdater<Value>>] {
  const place = useRef(`${findOwnDrafts()}form.${form}`).current;
  const [value, setValue] = useState(() => take(place, before));
  const last = useRef(value);
  last.current = value;
  const unchanged = useRef(JSON.stringify(before)).current;
  useEffect(
    () => () => {
      const text = JSON.stringify(last.current);
      if (hasEnded.peek() && text !== unchanged) sessionStorage.setItem(place, text);
    },
    [],
  );
  return [value, setValue];
}

function take<Value>(place: string, before: Value): Value {
  const text = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  try {
    return merge(before, JSON.parse(text ?? 'null'));
  } catch {
    return before;
  }
}

/** Takes over the fields that still exist: another version of the page may have stored the form. */
function merge<Value>(before: Value, kept: unknown): Value {
  if (kept === null || typeof kept !== typeof before || Array.isArray(kept) !== Array.isArray(before))
    return before;
  if (typeof before !== 'object' || Array.isArray(before)) return kept as Value;
  const fields = Object.entries(before as object).map(([name, value]) => [
    name,
    merge(value, (kept as Record<string, unknown>)[name]),
  ]);
  return Object.fromEntries(fields) as Value;
}
