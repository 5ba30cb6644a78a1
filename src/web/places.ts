import type { ComponentType } from 'preact';
import { isOwner, me } from './api.ts';
import type { IconName } from './icons.tsx';
import type { PlaceProps } from './router.tsx';
import type { Area } from './words/dictionary.ts';
import { words } from './words/words.ts';

/** Each page has a name in the tables of texts. */
type Path = keyof typeof words.frame.places;

/*
 * Every page except Mail. To add one, write a file whose default export is the component, and add a row here. The
 * page is loaded on the first visit to `/dashboard/<path>/…`, and gets the rest of the path.
 */

export interface PageEntry {
  path: Path;
  icon: IconName;
  section: 'account' | 'server';
  /** `member` is everyone who is signed in; `trap` is a trap's members, or anyone in capture mode; `all` is both. */
  who: 'owner' | 'operator' | 'member' | 'trap' | 'all';
  /** Areas of texts that it needs in addition to its section's. */
  more?: Area | readonly Area[];
  load: () => Promise<{ default: ComponentType<PlaceProps> }>;
}

// biome-ignore format: row by row
export const places: readonly PageEntry[] = [
  {
    path: 'usage', icon: 'chart', section: 'account', who: 'member',
    load: () => import('./account/usage.tsx'),
  },
  {
    path: 'trap', icon: 'inbox', section: 'account', who: 'trap', more: 'trap',
    load: () => import('./account/trap.tsx'),
  },
  {
    path: 'faults', icon: 'warn', section: 'account', who: 'trap', more: 'trap',
    load: () => import('./account/faults.tsx'),
  },
  {
    path: 'keys', icon: 'key', section: 'account', who: 'member',
    load: () => import('./account/keys.tsx'),
  },
  {
    path: 'webhooks', icon: 'hook', section: 'account', who: 'member',
    load: () => import('./account/webhooks.tsx'),
  },
  {
    path: 'rules', icon: 'list', section: 'account', who: 'all', more: 'rules',
    load: () => import('./account/rules.tsx'),
  },
  {
    path: 'domains', icon: 'globe', section: 'account', who: 'member',
    load: () => import('./account/domains.tsx'),
  },
  {
    path: 'senders', icon: 'inbox', section: 'account', who: 'member', more: 'contacts',
    load: () => import('./account/senders.tsx'),
  },
  {
    path: 'sending', icon: 'send', section: 'account', who: 'member', more: 'contacts',
    load: () => import('./account/sending.tsx'),
  },
  {
    path: 'refused', icon: 'warn', section: 'account', who: 'member', more: 'diary',
    load: () => import('./account/diary.tsx'),
  },
  {
    path: 'members', icon: 'people', section: 'account', who: 'member',
    load: () => import('./account/members.tsx'),
  },
  {
    path: 'audit', icon: 'list', section: 'account', who: 'owner', more: 'audit',
    load: () => import('./account/audit.tsx'),
  },
  {
    path: 'sign-in', icon: 'gear', section: 'account', who: 'member', more: ['passkeys', 'door'],
    load: () => import('./account/profile.tsx'),
  },
  {
    path: 'preferences', icon: 'screen', section: 'account', who: 'all',
    load: () => import('./account/preferences.tsx'),
  },
  {
    path: 'health', icon: 'chart', section: 'server', who: 'operator',
    load: () => import('./server/health.tsx'),
  },
  {
    path: 'accounts', icon: 'people', section: 'server', who: 'operator',
    load: () => import('./server/accounts.tsx'),
  },
  {
    path: 'all-refused', icon: 'warn', section: 'server', who: 'operator', more: 'diary',
    load: () => import('./server/refused.tsx'),
  },
  {
    path: 'log', icon: 'list', section: 'server', who: 'operator',
    load: () => import('./server/log.tsx'),
  },
  {
    path: 'all-audit', icon: 'list', section: 'server', who: 'operator', more: ['account', 'audit'],
    load: () => import('./server/audit.tsx'),
  },
  {
    path: 'settings', icon: 'gear', section: 'server', who: 'operator',
    load: () => import('./server/settings.tsx'),
  },
  {
    path: 'doctor', icon: 'help', section: 'server', who: 'operator',
    load: () => import('./server/doctor.tsx'),
  },
];

/** A page's name in the menu. */
export function placeName({ path }: PageEntry): string {
  return words.frame.places[path];
}

/** The texts to load with a page. */
export function listAreas({ section, more }: PageEntry): Area[] {
  return [section, ...(more === undefined ? [] : [more].flat())];
}

/** The pages this visitor may see: in capture mode, which has no owner, only the trap's and the preferences. */
export function placesFor(section?: PageEntry['section']): PageEntry[] {
  const visitor = me.value;
  if (!visitor) return [];
  const isFor: Record<PageEntry['who'], boolean> = {
    all: true,
    trap: visitor.trap,
    member: !visitor.capture,
    owner: isOwner.value,
    operator: visitor.is_operator,
  };
  return places.filter((place) => (section === undefined || place.section === section) && isFor[place.who]);
}
