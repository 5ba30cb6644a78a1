/** How email is sent (docs/decisions.md, Outbound). */
const HOUR = 3600;
const DAY = 86_400;

/** held: it waits for an owner to approve it. */
export const outboundStatuses = [
  'held',
  'queued',
  'sending',
  'sent',
  'failed',
  'rejected',
  'bounced',
] as const;

/** From best to worst. An email has the status of its worst recipient. */
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
  queue_s: 48 * HOUR,
  /** Seconds for which an address that refused mail permanently gets no more. */
  suppressed_s: 30 * DAY,
  /** Attachments that a request may name, and those of an original that a forward keeps. */
  attachments_max: 20,
  kept_attachments_max: 50,
  /** Decoded bytes of all attachments of an email. */
  attachments_bytes_max: 25 * 1024 * 1024,
  /** Emails of an account that may wait for an owner. Stops a member from filling the store. */
  held_max: 200,
  /** Bytes of an account's waiting emails, and of its held ones, when another one with large attachments is queued. */
  queued_bytes_max: 1024 * 1024 * 1024,
} as const;
