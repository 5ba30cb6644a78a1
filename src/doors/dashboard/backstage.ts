import type { LogTail } from '../../platform/core/log-tail.ts';
import type { Observed } from '../../platform/core/observed.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import type { Floor } from '../../platform/floor.ts';

/** What only the operator's pages look at; app.ts gives it. */
export interface Backstage {
  log_tail: LogTail;
  observed: Observed;
  /** Where each setting came from. */
  sources: LoadedSettings['sources'];
  /** Null when mail and requests can be taken, else the reason why not. */
  ready(): string | null;
  started_at: number;
}

const backstages = new WeakMap<Floor, Backstage>();

export function openBackstage(floor: Floor, backstage: Backstage): void {
  backstages.set(floor, backstage);
}

export function backstageOf(floor: Floor): Backstage {
  const found = backstages.get(floor);
  if (!found) throw new Error('this appliance has no doors');
  return found;
}
