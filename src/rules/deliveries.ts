/** How webhooks are delivered (docs/decisions.md, Webhooks). */
import { DAY_S, HOUR_S, MINUTE_S } from './durations.ts';

export const deliveries = {
  /** Seconds between attempts; the first is made at once. Codes expire within minutes, so the early ones are close together. */
  retryAfterS: [
    5,
    15,
    MINUTE_S,
    4 * MINUTE_S,
    10 * MINUTE_S,
    30 * MINUTE_S,
    2 * HOUR_S,
    6 * HOUR_S,
    12 * HOUR_S,
    24 * HOUR_S,
  ],
  /** Random share that each delay is longer or shorter, so that a recovered receiver does not get all at once. */
  jitter: 0.2,
  /** Longest Retry-After that is honoured, in seconds. */
  askedForMaxS: DAY_S,
  /** After this many failures in a row, one delivery of a webhook probes, and its others wait. */
  breakerFailures: 5,
  /** Most seconds between probes, so that a recovered receiver is noticed soon. */
  probeAfterMaxS: 10 * MINUTE_S,
  /** Seconds of uninterrupted failure after which a webhook is disabled. */
  failingMaxS: 5 * DAY_S,
  /** Most concurrent attempts, per webhook and in total. */
  atOnceOfHook: 4,
  atOnce: 64,
  /** From this many on, no webhook gets a second attempt at the same time, so that receivers that hang don't take all slots. */
  atOnceCrowded: 16,
  /** Most webhooks to look at before mail and requests get their turn: all are ready at start, and after a clock change. */
  turnsAtOnce: 100,
  /** A rush: this many messages for webhooks of an account within this many seconds. Each of them gets one attempt at a time. */
  rushMessages: 500,
  rushWithinS: 1,
  /** In a rush, while this many writes wait for the store: milliseconds between two attempts of a webhook. */
  rushWritesWaiting: 6,
  rushPauseMs: 100,
  /** Most concurrent attempts to webhooks whose last one failed, and to those and the ones not tried since the start. */
  atOnceFailing: 32,
  atOnceUnproven: 60,
  /**
   * How many times as many slots as remain free an account may use. On its own it gets 55 of 64, and 52 of 60: so 50 receivers
   * that hang, on a server with one account, don't hold up one that answers.
   */
  accountShare: 6,
  /** While this many results could not be stored (on a full disk), sending pauses. */
  unwrittenMax: 256,
  /** Most webhooks to remember while they have nothing to send. */
  idleMax: 10_000,
  /** Most webhooks of a whole account: each adds a delivery for every event. */
  accountHooksMax: 10,
  /** Most events that one replay sends again, and that one replay or page reads to find them. */
  replayedMax: 1000,
  lookedThroughMax: 5000,
  /** Seconds without a GET /events after which an account no longer counts as a reader. */
  readerKeptS: 30 * DAY_S,
  /** Seconds for which the previous secret still signs after a rotation. */
  previousSecretS: DAY_S,
  /** Seconds for which a delivery is kept in the history, and how many of its last attempts. */
  keptS: 30 * DAY_S,
  attemptsKept: 20,
} as const;

/** Statuses after which a delivery is retried, in addition to 5xx (docs/api-v1.md, Webhook delivery). */
export const retriedStatuses: readonly number[] = [408, 425, 429];
