/**
 * What is typed in a form, kept when the session ends meanwhile: the form is gone then, and is filled in when it is
 * opened again after signing in. A form that is closed in any other way begins anew. Never for passwords and codes, because it is
 * stored in the tab; never shown to another visitor (own-drafts.ts).
 */
import { type Dispatch, type StateUpdater, useEffect, useRef, useState } from 'preact/hooks';
import { hasEnded } from './api.ts';
import { findOwnDrafts } from './own-drafts.ts';

/** State like `useState`'s, of the form with this name. */
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

/** Another version of the page may have kept it, with other fields. */
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
