/**
 * How certificates are obtained from an ACME CA (RFC 8555). Let's Encrypt allows 5 failed validations an hour for a
 * name, 5 certificates a week for the same names, 300 orders and 10 accounts in 3 hours. These numbers stay far
 * below, whatever fails and however often the server restarts.
 */
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export const acme = {
  /** A certificate is renewed when this share of its life is over. */
  renew_after: 2 / 3,
  /** Seconds until the next attempt after failures in a row; the last one repeats. */
  retry_after_s: [10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 16 * HOUR, DAY],
  /** Attempts at one CA within any period of this many seconds, failed or not. */
  attempts: [
    { max: 3, within_s: HOUR },
    { max: 10, within_s: DAY },
  ],
  /** Certificates for the same names, in a week or in the life of one, whichever is shorter. */
  issued_max: 3,
  issued_within_s: 7 * DAY,
  /** Share of its life after which another certificate may replace a usable one for the same names. */
  min_gap: 1 / 3,
  /** A CA that asks for a longer pause (Retry-After) is asked again after this. */
  asked_for_max_s: 8 * DAY,
  /** Attempts that are remembered: more than the periods above allow. */
  attempts_kept: 100,

  /** Seconds until a name that does not point here is looked up again; the CA is not asked meanwhile. */
  precheck_after_s: [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  /**
   * While another server answers at a name, the CA is asked anyway after an hour, and then once a day: some routers
   * answer requests from their own network themselves.
   */
  elsewhere_ask_after_s: HOUR,
  elsewhere_ask_every_s: DAY,

  /** Seconds for one request; for one validation or issuance; for a whole attempt, against a CA that stalls. */
  request_s: 30,
  patience_s: 5 * MINUTE,
  attempt_s: 20 * MINUTE,
  /** Seconds between two polls of an order, and the most that a Retry-After can make them. */
  poll_after_s: [0.25, 0.5, 1, 2, 4],
  poll_max_s: 30,
  /** Requests that are repeated because the CA rejected the nonce. */
  nonces_max: 8,
  /** Bytes of an answer, and certificates in a chain: a CA can't fill memory or disk. */
  answer_bytes_max: 60 * 1024,
  chain_max: 10,
  /** An order is not resumed after this; Let's Encrypt drops it after seven days. */
  order_kept_s: 6 * DAY,

  /** The timer is set anew at least so often, because the wall clock may be set and the machine may sleep. */
  timer_max_s: HOUR,

  /** Connections to the port for challenges; seconds that each may take; bytes of a request. */
  connections_max: 64,
  connection_s: 10,
  head_bytes_max: 8 * 1024,
} as const;
