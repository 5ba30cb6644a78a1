import type { Clock } from './core/clock.ts';
import type { Log } from './core/log.ts';
import type { ServerKey } from './core/sealed.ts';
import type { Settings } from './core/settings.ts';
import type { MailReader } from './mail/parsed.ts';
import type { Limits } from './rules/limits.ts';
import type { Plans } from './rules/plans.ts';
import type { Store } from './store/store.ts';

/** What every feature's operation is given; app.ts alone makes it. */
export interface Floor {
  readonly settings: Settings;
  readonly plans: Plans;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly key: ServerKey;
  /** Opens attachments; parsing on arrival goes through ingest/. */
  readonly mail_reader: MailReader;
  /** Folder for files that live as long as a request or a transfer; emptied at start. */
  readonly spool_dir: string;
}
