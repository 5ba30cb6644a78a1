import type { ComponentType } from 'preact';
import { me } from './api.ts';
import type { IconName } from './icons.tsx';

/*
 * Every page besides Mail. To add one: a file whose default export is the component, and its row here; it is loaded
 * when somebody first goes there. `/dashboard/<path>/…` shows it, and gives it the rest of the address.
 */

export interface PlaceProps {
  /** What stands behind the place in the address. */
  rest: string[];
}

export interface Place {
  path: string;
  name: string;
  icon: IconName;
  section: 'account' | 'server';
  /** For the owner alone, the operator alone, or everybody who is signed in. */
  who: 'owner' | 'operator' | 'member';
  load: () => Promise<{ default: ComponentType<PlaceProps> }>;
}

export const places: readonly Place[] = [];

/** Those that this visitor may see; in capture mode there are none. */
export function placesFor(section?: Place['section']): Place[] {
  const visitor = me.value;
  if (!visitor || visitor.capture) return [];
  return places.filter(
    (place) =>
      (section === undefined || place.section === section) &&
      (place.who === 'member' ||
        (place.who === 'owner' && visitor.role === 'owner') ||
        (place.who === 'operator' && visitor.is_operator)),
  );
}

/** What is shown to who is not signed in; `/invite/…` and `/setup/…` too. */
export const door: { load: (() => Promise<{ default: ComponentType<PlaceProps> }>) | null } = { load: null };
