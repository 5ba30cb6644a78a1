/** How webhooks are delivered (docs/decisions.md, Webhooks). */
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export const deliveries = {
  /** Seconds between attempts; the first is immediate. Codes expire within minutes, so the early ones are close. */
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
  /** Random share added to or taken off each delay, so that a recovered receiver is not hit by all at once. */
  jitter: 0.2,
  /** Longest Retry-After that is honoured, seconds. */
  asked_for_max_s: DAY,
  /** After this many failures in a row, one delivery probes and the hook's others wait. */
  breaker_failures: 5,
  /** Longest time between probes, seconds, so that a recovered receiver is noticed soon. */
  probe_after_max_s: 10 * MINUTE,
  /** Seconds of uninterrupted failure after which the hook is disabled. */
  failing_max_s: 5 * DAY,
  /** Concurrent attempts: per hook, and in total. */
  at_once_of_hook: 4,
  at_once: 64,
  /** From this many on, a hook with an attempt under way gets no second one: hanging hooks must not take all slots. */
  at_once_crowded: 16,
  /**
   * From this many messages for an account's hooks within this many seconds, each of its hooks gets one attempt at a
   * time.
   */
  rush_messages: 500,
  rush_within_s: 1,
  /** In a rush, while this many writes wait for the store: milliseconds from one attempt of a hook to its next. */
  rush_writes_waiting: 6,
  rush_pause_ms: 100,
  /** Concurrent attempts to hooks whose last attempt failed; then to those plus hooks untried since the start. */
  at_once_failing: 32,
  at_once_unproven: 60,
  /** Results not stored yet (full disk): at this many, sending pauses. */
  unwritten_max: 256,
  /** Webhooks of a whole account: each adds a delivery for every event. */
  account_hooks_max: 10,
  /** Events that one replay sends again, and events that one replay or page looks through to find them. */
  replayed_max: 1000,
  looked_through_max: 5000,
  /** Seconds without a request after which an account no longer reads its events. */
  reader_kept_s: 30 * DAY,
  /** Seconds for which the secret before a rotation still signs. */
  previous_secret_s: DAY,
  /** History: seconds a delivery is kept, and how many of its last attempts. */
  kept_s: 30 * DAY,
  attempts_kept: 20,
} as const;

/** Statuses worth another attempt besides 5xx (docs/api-v1.md, Webhook delivery). */
export const retriedStatuses: readonly number[] = [408, 425, 429];
