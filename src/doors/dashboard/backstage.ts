import type { LogTail } from '../../platform/core/log-tail.ts';
import type { Observed } from '../../platform/core/observed.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';

/** What only the operator's pages look at; src/app/doors.ts gives it. */
export interface Backstage {
  log_tail: LogTail;
  observed: Observed;
  /** Where each setting came from. */
  sources: LoadedSettings['sources'];
  /** Null when mail and requests can be taken, else the reason why not. */
  ready(): string | null;
  started_at: number;
}
