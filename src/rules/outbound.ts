/** How email is sent (docs/decisions.md, Outbound). */
import { DAY_S, HOUR_S } from './durations.ts';

/** The operation that created an email. */
export const outboundKinds = ['send', 'reply', 'forward', 'compose'] as const;

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
  queueS: 48 * HOUR_S,
  /** Seconds for which an address that refused mail permanently gets no more from the account. */
  suppressedS: 30 * DAY_S,
  /** Most attachments of a request, and of an original that is forwarded with them. */
  attachmentsMax: 20,
  keptAttachmentsMax: 50,
  /** Decoded bytes of all attachments of an email. */
  attachmentsBytesMax: 25 * 1024 * 1024,
  /** Most emails of an account that wait for an owner: a member must not fill the store. */
  heldMax: 200,
  /** Bytes of an account's waiting emails, and of its held ones, when another one with large attachments is queued. */
  queuedBytesMax: 1024 * 1024 * 1024,
} as const;
