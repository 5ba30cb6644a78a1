/** How webhooks are delivered (decisions.md, Webhooks). */
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export const deliveries = {
  /** Seconds from one attempt to the next; the first is at once. Codes die in minutes, so the early ones are close. */
  retry_after_s: [
    5,
    15,
    MINUTE,
    4 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    6 * HOUR,
    12 * HOUR,
    24 * HOUR,
  ],
  /** Each is this share longer or shorter, at random: receivers that came back are not met by everybody at once. */
  jitter: 0.2,
  /** A receiver's Retry-After counts up to so many seconds. */
  asked_for_max_s: DAY,
  /** So many failures in a row, and the hook's other deliveries wait while one probes. */
  breaker_failures: 5,
  /** Seconds between probes: those of the schedule, at most so many, that a receiver which is back is soon seen. */
  probe_after_max_s: 10 * MINUTE,
  /** Nothing but failures for so long disables the hook. */
  failing_max_s: 5 * DAY,
  /** Attempts at the same time: of one hook, and in all. */
  at_once_of_hook: 4,
  at_once: 64,
  /** With so many under way, a hook that has one gets no other: those that hang must not take all the room. */
  at_once_crowded: 16,
  /** Of hooks whose last attempt failed, and of these and those that have not answered yet since the start. */
  at_once_failing: 32,
  at_once_unproven: 60,
  /** Results that the store has not taken yet (full disk): with so many nothing more is sent. */
  unwritten_max: 256,
  /** The secret before a rotation signs for so long. */
  previous_secret_s: DAY,
  /** History: deliveries are kept so long, and of each the last attempts. */
  kept_s: 30 * DAY,
  attempts_kept: 20,
} as const;

/** Answers that are worth another try, besides 5xx (contract: Webhook delivery 5). */
export const retriedStatuses: readonly number[] = [408, 425, 429];
