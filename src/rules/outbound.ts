/** How email is sent (docs/decisions.md, Outbound). */
import { DAY_S, HOUR_S } from './durations.ts';

/** Statuses of an email and of a recipient. held: it waits for an owner's approval. */
export const outboundStatuses = [
  'held',
  'queued',
  'sending',
  'sent',
  'failed',
  'rejected',
  'bounced',
] as const;

/** The statuses from best to worst. An email has the status of its worst recipient. */
export const outboundRanks: readonly (typeof outboundStatuses)[number][] = [
  'sent',
  'held',
  'queued',
  'sending',
  'failed',
  'rejected',
  'bounced',
];

export const outbound = {
  /** Seconds after which an undelivered email is given up. */
  queue_s: 48 * HOUR_S,
  /** Seconds for which an address that refused mail permanently gets no more from the account. */
  suppressed_s: 30 * DAY_S,
  /** Most attachments of a request, and of an original that is forwarded with them. */
  attachments_max: 20,
  kept_attachments_max: 50,
  /** Decoded bytes of all attachments of an email. */
  attachments_bytes_max: 25 * 1024 * 1024,
  /** Most emails of an account that wait for an owner: a member must not fill the store. */
  held_max: 200,
  /** Bytes of an account's waiting emails, and of its held ones, when another one with large attachments is queued. */
  queued_bytes_max: 1024 * 1024 * 1024,
} as const;
