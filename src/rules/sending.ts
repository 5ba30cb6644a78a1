/** How email is sent to other servers (docs/decisions.md, Outbound; times: RFC 5321 4.5.3.2). */
import { DAY_S, HOUR_S, MINUTE_S } from './durations.ts';

export const sending = {
  /** Seconds between attempts; the last one repeats. */
  retry_after_s: [MINUTE_S, 5 * MINUTE_S, 15 * MINUTE_S, 30 * MINUTE_S, HOUR_S, 2 * HOUR_S, 4 * HOUR_S],
  /** Random share added to each delay, so that emails that failed together are not retried together. */
  jitter: 0.1,

  /** Most concurrent connections to one host. */
  at_once_of_host: 2,
  /** Most concurrent connections: in total, to hosts that have accepted no mail since the start, and to hosts that fail. */
  at_once: 64,
  at_once_unproven: 48,
  at_once_failing: 32,
  /** Seconds of a pause for a host after a 421 or 4.7.x. Doubled each time in a row, up to the maximum. */
  host_pause_s: MINUTE_S,
  host_pause_max_s: 30 * MINUTE_S,
  /** Seconds for which TLS is not tried again with a host where it failed, unless the mail must go over TLS. */
  broken_tls_s: 10 * MINUTE_S,
  /** How long an open connection waits for another mail to its host, and how many it carries. */
  idle_ms: 5_000,
  mails_of_connection: 500,
  /** Most hosts to remember while there is no mail for them. */
  hosts_max: 10_000,
  /** Most exchangers to try per domain, and addresses per exchanger. */
  exchangers_max: 10,
  addresses_max: 4,
  /** Seconds for which the exchangers found for a domain are reused. */
  route_s: MINUTE_S,
  routes_max: 10_000,

  /** Milliseconds to dial one address, and then until greeting, EHLO and TLS are done. */
  connect_ms: 20_000,
  setup_ms: MINUTE_S * 1000,
  /** Milliseconds from MAIL FROM until DATA is accepted, and then until the last reply. */
  envelope_ms: 5 * MINUTE_S * 1000,
  data_ms: 10 * MINUTE_S * 1000,
  /**
   * Milliseconds for the whole release of a captured mail: until all of it is sent, and until the reply to it. A person waits for it,
   * and would press the button again.
   */
  release_ms: 30_000,
  release_reply_ms: 55_000,
  /** Most bytes of one reply (RFC 5321 4.5.3.1.5 requires 512 per line). */
  reply_bytes_max: 16 * 1024,
  /** Most unread replies of a connection. With PIPELINING there is one per recipient, of which there are at most 100. */
  replies_waiting_max: 1_000,
  /** Characters of a reply that are stored. */
  reply_chars_kept: 500,

  /** Longest time to keep an MTA-STS policy, whatever its max_age (RFC 8461 3.2 allows a year). */
  sts_max_age_s: 30 * DAY_S,
  /** A shorter max_age counts as this. Otherwise every mail would fetch the policy. */
  sts_min_age_s: 5 * MINUTE_S,
  /** Seconds until a failed policy fetch is retried (RFC 8461 3.3). */
  sts_retry_s: 5 * MINUTE_S,
  sts_domains_max: 10_000,
  sts_policy_bytes_max: 16 * 1024,

  /** While this many results could not be stored (on a full disk), sending pauses. */
  unwritten_max: 64,
  /** Most emails of a domain to defer in one transaction, because its hosts are unreachable. */
  put_off_rows: 200,
  /** Most emails in one transaction to note the reason of their wait, while their host has a pause. */
  noted_rows: 1_000,
} as const;
