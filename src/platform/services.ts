import type { Limits } from '../rules/limits.ts';
import type { Plans } from '../rules/plans.ts';
import type { Announcer } from './core/announcer.ts';
import type { Clock } from './core/clock.ts';
import type { HeldBytes } from './core/held-bytes.ts';
import type { Log } from './core/log.ts';
import type { Meters } from './core/meters.ts';
import type { ServerKey } from './core/sealed.ts';
import type { Listen, Settings } from './core/settings.ts';
import type { MailReader } from './mail/parsed.ts';
import type { Resolver } from './net/dns.ts';
import type { Store } from './store/store.ts';

/** A message that has just been stored; announced to the features that wait for it. */
export interface Arrival {
  inbox_no: number;
  account_no: number;
  inbox_id: string;
  message_id: string;
  received_at: number;
  envelope_recipient: string;
  from: string;
  subject: string;
  otp: string | null;
  magic_link: string | null;
  /** Whether a webhook delivery was created. */
  hasDelivery: boolean;
  /** Whether its sender is to be checked. */
  isChecked: boolean;
  /** The SMTP session it came through; absent if it came another way. */
  session?: string;
}

/** A mail that an inbox's lists of senders withhold; announced to the check of senders. */
export type Withheld = Pick<Arrival, 'inbox_no' | 'account_no' | 'message_id' | 'isChecked'>;

/** A message whose From was found to be authentic; announced to the waits for such messages. */
export type Proven = Pick<Arrival, 'inbox_no' | 'account_no' | 'envelope_recipient'>;

/** A deleted inbox, or a deleted account with all its inboxes; announced to the waits there. */
export type Departure = { inbox_no: number } | { account_no: number };

/** An outbound email that has just been queued; announced to the dispatcher. */
export interface Queued {
  outbound_no: number;
  account_no: number;
  /** The domains of its recipients, without duplicates. */
  domains: string[];
}

/** What it takes to call other servers. */
export interface Outside {
  readonly resolver: Resolver;
  /** PEM, trusted in addition to the built-in roots; SIGHUP reloads it. */
  extraCa: readonly string[];
}

/** Where the doors listen. A command without a server has none. */
export interface Listening {
  /** `http://host:port`, as a client on this machine reaches it; null while it is closed. */
  http: string | null;
  smtp: readonly Listen[];
}

/** An SMTP door on the loopback, which the doctor opens for a moment. */
export interface TrialDoor {
  port: number;
  close(): Promise<void>;
}

/** The services that every feature has. If one needs more, it declares that beside its own service (`…Services`). */
export interface PlatformServices {
  readonly settings: Settings;
  readonly plans: Plans;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  readonly meters: Meters;
  readonly store: Store;
  readonly key: ServerKey;
  /** Announced after the commit, in the order of received_at. */
  readonly arrivals: Announcer<Arrival>;
  readonly withheld: Announcer<Withheld>;
  readonly proven: Announcer<Proven>;
  readonly departures: Announcer<Departure>;
  /** Announced after the commit. */
  readonly queued: Announcer<Queued>;
  readonly outside: Outside;
  /** Reads attachments, views and checks of stored mail in the parser processes. New mail is parsed by ingest/. */
  readonly mailReader: MailReader;
  /** Folder for files of a request or a transfer in progress; emptied at the start. */
  readonly spoolDir: string;
  /** The folder of the store, the server's key and the certificates. */
  readonly dataDir: string;
  readonly listening: Listening;
  /** For the doctor, if no door is open. */
  readonly openTrialDoor: () => Promise<TrialDoor>;
}

/** For routes with large responses. */
export interface HeldServices extends PlatformServices {
  /** The bound of all responses in memory. */
  readonly heldBytes: HeldBytes;
}
