/** How email is sent (decisions.md, Outbound). */
const HOUR = 3600;
const DAY = 86_400;

export const outbound = {
  /** What could not be handed over for so long is given up. */
  queue_s: 48 * HOUR,
  /** An address that refused mail for good is not written to for so long. */
  suppressed_s: 30 * DAY,
} as const;
