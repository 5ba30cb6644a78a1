import type { ComponentType } from 'preact';
import { me } from './api.ts';
import type { IconName } from './icons.tsx';
import type { PlaceProps } from './router.tsx';

/*
 * Every page besides Mail. To add one, write a file whose default export is the component, and add a row here. The
 * page is loaded on the first visit to `/dashboard/<path>/…`, and gets the rest of the path.
 */

export interface PageEntry {
  path: string;
  name: string;
  icon: IconName;
  section: 'account' | 'server';
  /** `member` is everyone who is signed in; `trap` is a trap's members, or anyone in capture mode. */
  who: 'owner' | 'operator' | 'member' | 'trap';
  load: () => Promise<{ default: ComponentType<PlaceProps> }>;
}

// biome-ignore format: row by row
export const places: readonly PageEntry[] = [
  {
    path: 'usage', name: 'Plan and usage', icon: 'chart', section: 'account', who: 'member',
    load: () => import('./account/usage.tsx'),
  },
  {
    path: 'trap', name: 'Trap', icon: 'inbox', section: 'account', who: 'trap',
    load: () => import('./account/trap.tsx'),
  },
  {
    path: 'keys', name: 'API keys', icon: 'key', section: 'account', who: 'member',
    load: () => import('./account/keys.tsx'),
  },
  {
    path: 'webhooks', name: 'Webhooks', icon: 'hook', section: 'account', who: 'member',
    load: () => import('./account/webhooks.tsx'),
  },
  {
    path: 'domains', name: 'Domains', icon: 'globe', section: 'account', who: 'member',
    load: () => import('./account/domains.tsx'),
  },
  {
    path: 'sending', name: 'Sending', icon: 'send', section: 'account', who: 'member',
    load: () => import('./account/sending.tsx'),
  },
  {
    path: 'refused', name: 'Rejected mail', icon: 'warn', section: 'account', who: 'member',
    load: () => import('./account/diary.tsx'),
  },
  {
    path: 'members', name: 'Members', icon: 'people', section: 'account', who: 'member',
    load: () => import('./account/members.tsx'),
  },
  {
    path: 'sign-in', name: 'Profile', icon: 'gear', section: 'account', who: 'member',
    load: () => import('./account/profile.tsx'),
  },
  {
    path: 'health', name: 'Health', icon: 'chart', section: 'server', who: 'operator',
    load: () => import('./server/health.tsx'),
  },
  {
    path: 'accounts', name: 'Accounts', icon: 'people', section: 'server', who: 'operator',
    load: () => import('./server/accounts.tsx'),
  },
  {
    path: 'all-refused', name: 'All rejected mail', icon: 'warn', section: 'server', who: 'operator',
    load: () => import('./server/refused.tsx'),
  },
  {
    path: 'log', name: 'Log', icon: 'list', section: 'server', who: 'operator',
    load: () => import('./server/log.tsx'),
  },
  {
    path: 'settings', name: 'Settings', icon: 'gear', section: 'server', who: 'operator',
    load: () => import('./server/settings.tsx'),
  },
  {
    path: 'doctor', name: 'Doctor', icon: 'help', section: 'server', who: 'operator',
    load: () => import('./server/doctor.tsx'),
  },
];

/** The pages this visitor may see: in capture mode only the trap's. */
export function placesFor(section?: PageEntry['section']): PageEntry[] {
  const visitor = me.value;
  if (!visitor) return [];
  return places.filter(
    (place) =>
      (section === undefined || place.section === section) &&
      (place.who === 'trap' ? visitor.trap : !visitor.capture) &&
      (place.who === 'member' ||
        place.who === 'trap' ||
        (place.who === 'owner' && visitor.role === 'owner') ||
        (place.who === 'operator' && visitor.is_operator)),
  );
}

/** The page for visitors who are not signed in, and for `/invite/…` and `/setup/…`. */
export const door: { load: (() => Promise<{ default: ComponentType<PlaceProps> }>) | null } = {
  load: () => import('./door/door.tsx'),
};
