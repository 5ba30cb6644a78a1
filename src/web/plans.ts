import type { Me } from '../doors/dashboard/wire.ts';
import { me } from './api.ts';
import { words } from './words/words.ts';

/** Says where to find what a plan lacks: `Available on the pro, scale or business plan. …` */
export function plansThatHave(what: keyof Me['plans_with']): string {
  const names = me.value?.plans_with[what] ?? [];
  return names.length === 0 ? words.frame.plans.none : words.frame.plans.available(names);
}
