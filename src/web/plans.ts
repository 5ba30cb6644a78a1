import type { Me } from '../doors/dashboard/wire.ts';
import { me } from './api.ts';

const list = new Intl.ListFormat('en', { type: 'disjunction' });

/** What to tell a person whose plan lacks something: `Available on the pro, scale or business plan. …` */
export function plansThatHave(what: keyof Me['plans_with']): string {
  const names = me.value?.plans_with[what] ?? [];
  if (names.length === 0) return 'No plan on this server includes this.';
  return `Available on the ${list.format(names)} plan. Ask the server’s operator to change yours.`;
}
