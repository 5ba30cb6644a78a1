import type { Limits } from '../rules/limits.ts';
import type { Plans } from '../rules/plans.ts';
import type { Announcer } from './core/announcer.ts';
import type { Clock } from './core/clock.ts';
import type { Log } from './core/log.ts';
import type { Meters } from './core/meters.ts';
import type { ServerKey } from './core/sealed.ts';
import type { Listen, Settings } from './core/settings.ts';
import type { MailReader } from './mail/parsed.ts';
import type { Resolver } from './net/dns.ts';
import type { Store } from './store/store.ts';

/** A message that has just been stored, told to whoever waits for it. */
export interface Arrival {
  inbox_no: number;
  inbox_id: string;
  message_id: string;
  received_at: number;
  envelope_recipient: string;
  from: string;
  subject: string;
  otp: string | null;
  magic_link: string | null;
  /** A webhook is to be told. */
  hasDelivery: boolean;
  /** Its sender is to be checked. */
  isChecked: boolean;
  /** By which SMTP session it came; none for one that came in another way. */
  session?: string;
}

/** An inbox, or an account with all its inboxes, that is gone; told to whoever waits there. */
export type Departure = { inbox_no: number } | { account_no: number };

/** An outbound email that has just been queued; told to what sends it. */
export interface Queued {
  outbound_no: number;
  account_no: number;
  /** Of its recipients, each once. */
  domains: string[];
}

/** What is needed to call somebody else's server. */
export interface Outside {
  readonly resolver: Resolver;
  /** PEM, trusted besides the built-in roots; SIGHUP reads it again. */
  extraCa: readonly string[];
}

/** Where the doors listen; nowhere while they are shut (a command without a server). */
export interface Listening {
  /** `http://host:port`, as a client on this machine reaches it. */
  http: string | null;
  smtp: readonly Listen[];
}

/** An SMTP door on the loopback that is open for a moment. */
export interface TrialDoor {
  port: number;
  close(): Promise<void>;
}

/** What every feature's operation is given; what a feature needs besides, it names beside its own service. */
export interface PlatformServices {
  readonly settings: Settings;
  readonly plans: Plans;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  readonly meters: Meters;
  readonly store: Store;
  readonly key: ServerKey;
  /** Told after the commit, in the order of received_at. */
  readonly arrivals: Announcer<Arrival>;
  readonly departures: Announcer<Departure>;
  /** Told after the commit. */
  readonly queued: Announcer<Queued>;
  readonly outside: Outside;
  /** Opens attachments; parsing on arrival goes through ingest/. */
  readonly mailReader: MailReader;
  /** Folder for files that live as long as a request or a transfer; emptied at start. */
  readonly spoolDir: string;
  /** The store, the server's key and certificates of our own. */
  readonly data_dir: string;
  readonly listening: Listening;
  /** For the doctor, when no door is open. */
  readonly openTrialDoor: () => Promise<TrialDoor>;
}
