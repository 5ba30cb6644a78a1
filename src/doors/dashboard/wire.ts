/*
 * The responses of the dashboard's own routes. The routes are checked against these types, and the pages import them.
 * Types only, with nothing of Bun or Node behind them, because the pages are type-checked for a browser.
 */
import type { PasskeyPlace } from '../../features/accounts/passkeys/wire.ts';
import type { AccountView, KeyView, Usage as MonthlyUsage, UserView } from '../../features/accounts/wire.ts';
import type { CheckedRecord } from '../../features/domains/wire.ts';
import type { InboxView } from '../../features/inboxes/wire.ts';
import type { MessageSummaryView, MessageView } from '../../features/messages/wire.ts';
import type { DeliveryView, WebhookView } from '../../features/webhooks/wire.ts';
import type { AccountKind, AccountStatus, Caps, MemberRole, Plan } from '../../rules/plans.ts';
import type { RefusalReason } from '../../rules/replies.ts';

/** Numbers that the pages show or respect. */
export interface Bounds {
  label_chars: number;
  message_ids: number;
  deliveries_shown: number;
  delivery_days: number;
  previous_secret_hours: number;
  refused_mail_days: number;
  suppression_days: number;
  invite_days: number;
  session_idle_days: number;
  session_days: number;
  /** Files that an email may have, and their bytes in total. */
  attachments: number;
  attachment_bytes: number;
}

export interface Me {
  capture: boolean;
  role: MemberRole;
  is_operator: boolean;
  user: { id: string; email: string } | null;
  account: { id: string; name: string; plan: Plan };
  plan: Caps;
  /** The plans that include a capability, to show to an account whose plan does not. */
  plans_with: Record<'custom_domains' | 'outbound' | 'webhooks', Plan[]>;
  bounds: Bounds;
  mail_domain: string;
  outbound: boolean;
  /** Whether its mail is test mail: capture mode, or an account that is a trap. */
  trap: boolean;
  /** Addresses and domains that capture may release mail to; null when it releases none. */
  release_allow: readonly string[] | null;
  version: string;
  /** Where the live stream was before the page loaded anything: a stream from there on misses nothing. */
  live_position: string;
}

/** What anyone may know before signing in. */
export interface DoorState {
  signed_in: boolean;
  signup: boolean;
  signup_plan: Plan;
  passwords: boolean;
  /** Whether one can sign in with OpenID Connect. */
  oidc: boolean;
  /** Where one can sign in with a passkey. */
  passkeys: PasskeyPlace;
  password_chars_min: number;
  mail_domain: string;
}

export interface InboxWithUnread extends InboxView {
  unread: number;
  last_at: string | null;
}

/** Only what a row shows: a page may hold 100,000 of them. */
export interface MessageInList
  extends Pick<
    MessageSummaryView,
    | 'id'
    | 'inbox_id'
    | 'from'
    | 'subject'
    | 'received_at'
    | 'otp'
    | 'magic_link'
    | 'read'
    | 'size'
    | 'envelope_recipient'
    | 'attachment_count'
    | 'tags'
  > {
  /** The inbox's. */
  address: string;
  /** The beginning of the text, in one line. */
  snippet: string;
  /** The id of the mail's first message: a mail to several recipients has a message for each. */
  mail: string;
}

export interface OpenedMessage extends MessageView {
  address: string;
  /** How many messages its thread has, itself included. */
  thread_messages: number;
  /** Who of this account got the mail, each with their own message; not from the headers, but as given at RCPT. */
  recipients: { id: string; address: string }[];
  session: { helo: string; client_address: string; protocol: string };
  /** Whether the HTML loads anything from other hosts. */
  remote_content: boolean;
  /** Indexes of the attachments that can be shown as pictures. */
  pictures: number[];
  /** Indexes of the attachments that can be opened as a mail. */
  mails: number[];
  /** Newest first; since the start of the server. */
  releases: ReleaseView[];
}

/** What is shown of a mail that can only be read: one attached to a mail, a held email, or a withheld message. */
export interface ReadOnlyMail {
  subject: string;
  from: string;
  to: string[];
  cc: string[];
  /** ISO time of its Date header. */
  sent_at: string | null;
  text: string;
  html: string;
  remote_content: boolean;
  attachments: { filename: string | null; size: number }[];
}

/** An attempt to release a message to one recipient (docs/testing.md). */
export interface ReleaseView {
  at: string;
  to: string;
  /** Null: not known, because the smarthost never replied. */
  is_accepted: boolean | null;
  reply: string;
}

export interface Released {
  releases: ReleaseView[];
  /** False: bare line feeds left as CRLF, because SMTP has no others. */
  is_exact: boolean;
}

/** The events of the live stream, by name. */
export interface LiveEvents {
  hello: Record<never, never>;
  /** The stream is alive; a page that misses it opens another. */
  beat: Record<never, never>;
  messages: { messages: MessageInList[] };
  /** Too much has arrived to list it; reload the list. */
  reset: Record<never, never>;
}

export interface SessionView {
  id: string;
  browser: string;
  is_this: boolean;
  created_at: string;
  seen_at: string;
}

export interface MembershipView {
  account_id: string;
  name: string;
  plan: Plan;
  status: AccountStatus;
  role: MemberRole;
  is_this: boolean;
}

export interface ListedKey extends KeyView {
  minted_by: string | null;
}

export interface CreatedKey extends KeyView {
  api_key: string;
}

export interface MemberView extends UserView {
  is_you: boolean;
  has_way_in: boolean;
  has_second_factor: boolean;
  passkeys: number;
  invited_until: string | null;
  created_at: string;
}

export interface Invited extends UserView {
  invite_path: string;
}

export interface UsageView {
  plan: Plan;
  caps: Caps;
  used: { inboxes: number; custom_domains: number; concurrent_waits: number };
  month: MonthlyUsage;
  created_at: string;
}

export interface RefusedMail {
  id: string;
  is_ours: boolean;
  first_at: string;
  at: string;
  times: number;
  client_address: string;
  helo: string;
  envelope_from: string;
  /** `""` when mail was refused before it named a recipient. */
  recipient: string;
  reason: RefusalReason;
  code: number;
  reply: string;
}

/** How a program sends its mail to the trap. */
export interface TrapView {
  servers: { host: string; port: number; tls: boolean }[];
  /** Whether a key of the account is needed as password. */
  needs_key: boolean;
  starttls: boolean;
  mailers: { name: string; file: string; settings: string }[];
  /** Whether requests of this client to the API need a key. */
  api_needs_key: boolean;
  /** The stages of SMTP that a fault of this trap can name. */
  stages: string[];
}

/** A test mail that was sent: its code, and where it went. */
export interface SentTestMail {
  address: string;
  code: string;
}

export interface InboxWebhookView extends WebhookView {
  inbox_id: string;
  address: string;
}

export interface WebhookDetail {
  address: string;
  webhook: WebhookView | null;
  deliveries: DeliveryDetail[];
}

export interface DeliveryDetail extends DeliveryView {
  created_at: string;
  /** The body of the last response that was not a success. */
  answer: string | null;
}

export type TestOutcome = { event_id: string } & (
  | { kind: 'answered'; status: number; body: string; duration_ms: number }
  | { kind: 'unreachable'; reasons: string[]; duration_ms: number }
  | { kind: 'refused'; reasons: string[] }
);

export interface DnsRecord extends CheckedRecord {
  zone_line: string;
}

export interface SendingState {
  is_on: boolean;
  is_in_plan: boolean;
  is_allowed: boolean;
  allowlist_on: boolean;
  hold_on: boolean;
  recipients: { hour: number; hour_max: number; day: number; day_max: number };
}

export interface AccountInList extends AccountView {
  name: string;
  inboxes: number;
  last_active_at: string;
}

export interface CreatedAccountView extends AccountInList {
  api_key: string;
  invite_path: string;
}

/** The choices that an operator has for an account. */
export interface AccountChoices {
  plan: readonly Plan[];
  status: readonly AccountStatus[];
  kind: readonly AccountKind[];
  /** For new accounts. */
  default_plan: Plan;
}

export type PlotSpan = 'hour' | 'day';

export interface Health {
  version: string;
  bun: string;
  started_at: string;
  trouble: string | null;
  listening: { http: string | null; smtp: readonly { host: string; port: number; tls: boolean }[] };
  /** Null where no door uses TLS. */
  certificate: {
    /** From the CA that POSTERN_ACME asks, from the operator's files, or our own. */
    source: 'ca' | 'files' | 'self_signed';
    issuer: string;
    names: string[];
    expires_at: string;
    /** Null unless it is from the CA. */
    renews_at: string | null;
    /** The last attempt to get one from the CA, if it failed. */
    failure: { at: string; reason: string; todo: string } | null;
    next_try_at: string | null;
  } | null;
  memory_bytes: number;
  store: {
    bytes: number;
    log_bytes: number;
    disk_free_bytes: number;
    disk_bytes: number;
    disk_floor_bytes: number;
  };
  queues: {
    writes: number;
    webhooks: number | null;
    outbound: number;
    smtp_connections: number | null;
    smtp_connections_max: number;
    waits: number;
    waits_max: number;
  };
  plots: { span: PlotSpan; step_minutes: number; series: Record<string, number[]> };
}

export interface LogLineView {
  seq: number;
  at: string;
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, string | number | boolean | null | undefined>;
}
