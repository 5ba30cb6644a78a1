/** How email is sent (docs/decisions.md, Outbound). */
const HOUR = 3600;
const DAY = 86_400;

export const outbound = {
  /** Seconds after which an undelivered email is given up. */
  queue_s: 48 * HOUR,
  /** Seconds for which an address that refused mail permanently gets no more. */
  suppressed_s: 30 * DAY,
} as const;
