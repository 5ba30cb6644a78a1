import type { LogTail } from '../../platform/core/log-tail.ts';
import type { Observed } from '../../platform/core/observed.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import type { PlatformServices } from '../../platform/services.ts';

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

const backstages = new WeakMap<PlatformServices, Backstage>();

export function openBackstage(services: PlatformServices, backstage: Backstage): void {
  backstages.set(services, backstage);
}

export function backstageOf(services: PlatformServices): Backstage {
  const found = backstages.get(services);
  if (!found) throw new Error('this appliance has no doors');
  return found;
}
