/** How email is sent to other servers (docs/decisions.md, Outbound; times: RFC 5321 4.5.3.2). */
import { DAY_S, HOUR_S, MINUTE_S } from './durations.ts';

export const sending = {
  /** Seconds between attempts; the last one repeats. */
  retryAfterS: [MINUTE_S, 5 * MINUTE_S, 15 * MINUTE_S, 30 * MINUTE_S, HOUR_S, 2 * HOUR_S, 4 * HOUR_S],
  /** Random share added to each delay, so that emails that failed together are not retried together. */
  jitter: 0.1,

  /** Most concurrent connections to one host. */
  atOnceOfHost: 2,
  /** Most concurrent connections: in total, to hosts that have accepted no mail since the start, and to hosts that fail. */
  atOnce: 64,
  atOnceUnproven: 48,
  atOnceFailing: 32,
  /** Seconds of a pause for a host after a 421 or 4.7.x. Doubled each time in a row, up to the maximum. */
  hostPauseS: MINUTE_S,
  hostPauseMaxS: 30 * MINUTE_S,
  /** Seconds for which TLS is not tried again with a host where it failed, unless the mail must go over TLS. */
  brokenTlsS: 10 * MINUTE_S,
  /** How long an open connection waits for another mail to its host, and how many it carries. */
  idleMs: 5_000,
  mailsOfConnection: 500,
  /** Most hosts to remember while there is no mail for them. */
  hostsMax: 10_000,
  /** Most exchangers to try per domain, and addresses per exchanger. */
  exchangersMax: 10,
  addressesMax: 4,
  /** Seconds for which the exchangers found for a domain are reused. */
  routeS: MINUTE_S,
  routesMax: 10_000,

  /** Milliseconds to dial one address, and then until greeting, EHLO and TLS are done. */
  connectMs: 20_000,
  setupMs: MINUTE_S * 1000,
  /** Milliseconds from MAIL FROM until DATA is accepted, and then until the last reply. */
  envelopeMs: 5 * MINUTE_S * 1000,
  dataMs: 10 * MINUTE_S * 1000,
  /**
   * Milliseconds for the whole release of a captured mail: until all of it is sent, and until the reply to it. A person waits for it,
   * and would press the button again.
   */
  releaseMs: 30_000,
  releaseReplyMs: 55_000,
  /** Most bytes of one reply (RFC 5321 4.5.3.1.5 requires 512 per line). */
  replyBytesMax: 16 * 1024,
  /** Most unread replies of a connection. With PIPELINING there is one per recipient, of which there are at most 100. */
  repliesWaitingMax: 1_000,
  /** Characters of a reply that are stored. */
  replyCharsKept: 500,

  /** Longest time to keep an MTA-STS policy, whatever its max_age (RFC 8461 3.2 allows a year). */
  stsMaxAgeS: 30 * DAY_S,
  /** A shorter max_age counts as this. Otherwise every mail would fetch the policy. */
  stsMinAgeS: 5 * MINUTE_S,
  /** Seconds until a failed policy fetch is retried (RFC 8461 3.3). */
  stsRetryS: 5 * MINUTE_S,
  stsDomainsMax: 10_000,
  stsPolicyBytesMax: 16 * 1024,

  /** While this many results could not be stored (on a full disk), sending pauses. */
  unwrittenMax: 64,
  /** Most recipients to postpone in one transaction, because no host of their domain can be reached. */
  postponedRows: 200,
  /** Most recipients to note the reason of their wait for, while their host has a pause: in all, and in one transaction. */
  notedRows: 1_000,
  notedAtOnce: 100,
} as const;
