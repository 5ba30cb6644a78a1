/**
 * How certificates are obtained from an ACME CA (RFC 8555). Let's Encrypt allows 5 failed validations per name and hour, 5
 * certificates per set of names and week, and 300 orders and 10 accounts in 3 hours. These numbers stay far below that, whatever
 * fails and however often the server restarts.
 */
import { DAY_S, HOUR_S, MINUTE_S } from './durations.ts';

export const acme = {
  /** Share of its lifetime after which a certificate is renewed. */
  renewAfter: 2 / 3,
  /** Seconds until the next attempt after failures in a row; the last one repeats. */
  retryAfterS: [10 * MINUTE_S, 30 * MINUTE_S, HOUR_S, 2 * HOUR_S, 4 * HOUR_S, 8 * HOUR_S, 16 * HOUR_S, DAY_S],
  /** Most attempts at one CA, failed or not, within any period of this many seconds. */
  attempts: [
    { max: 3, withinS: HOUR_S },
    { max: 10, withinS: DAY_S },
  ],
  /** Most certificates for the same names within a week, or within the lifetime of one if that is shorter. */
  issuedMax: 3,
  issuedWithinS: 7 * DAY_S,
  /** Share of its lifetime after which a usable certificate may be replaced by another one for the same names. */
  minGap: 1 / 3,
  /** A new certificate is unusable if it ends within this many seconds, or begins later than this: clocks differ a little. */
  leftMinS: HOUR_S,
  earlyMaxS: 5 * MINUTE_S,
  /** Longest Retry-After that is honoured, in seconds. */
  askedForMaxS: 8 * DAY_S,
  /** Attempts in the history: more than the periods above allow. */
  attemptsKept: 100,

  /** Seconds until a name that does not point here is looked up again. Until then, the CA is not asked. */
  precheckAfterS: [MINUTE_S, 2 * MINUTE_S, 5 * MINUTE_S, 10 * MINUTE_S, 30 * MINUTE_S, HOUR_S],
  /**
   * If another server seems to answer at a name, the CA is asked anyway after an hour, and then once a day: some routers
   * themselves answer requests that come from their own network.
   */
  elsewhereAskAfterS: HOUR_S,
  elsewhereAskEveryS: DAY_S,

  /** Seconds for one request, for one validation or issuance, and for a whole attempt: a CA may stall. */
  requestS: 30,
  patienceS: 5 * MINUTE_S,
  attemptS: 20 * MINUTE_S,
  /** Seconds between polls of an order; the last one repeats. A Retry-After can make them longer, up to the maximum. */
  pollAfterS: [0.25, 0.5, 1, 2, 4],
  pollMaxS: 30,
  /** Most repeats of a request because the CA has rejected its nonce. */
  noncesMax: 8,
  /** Most bytes of a response, and certificates in a chain, so that a CA can't fill memory or disk. */
  answerBytesMax: 60 * 1024,
  chainMax: 10,
  /** Seconds after which an order is not resumed. Let's Encrypt drops it after seven days. */
  orderKeptS: 6 * DAY_S,

  /** Longest timer, in seconds: the wall clock may be changed, and the machine may sleep. */
  timerMaxS: HOUR_S,

  /** At the port for challenges: most connections, seconds for each, and bytes of a request. */
  connectionsMax: 64,
  connectionS: 10,
  headBytesMax: 8 * 1024,
} as const;
