/** How mail is handed to other servers (docs/decisions.md, Outbound; times: RFC 5321 4.5.3.2). */
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export const sending = {
  /** Seconds between attempts; the last one repeats. */
  retry_after_s: [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
  /** Random share added to each delay, so that emails that failed together are not retried together. */
  jitter: 0.1,

  /** Concurrent connections to one host. */
  at_once_of_host: 2,
  /** Concurrent connections: in total; to hosts that accepted no mail since the start; to hosts that fail. */
  at_once: 64,
  at_once_unproven: 48,
  at_once_failing: 32,
  /** Seconds to leave a host alone after 421 or 4.7.x; doubled each time in a row, up to the second. */
  host_pause_s: MINUTE,
  host_pause_max_s: 30 * MINUTE,
  /** How long an open connection waits for the next mail to its host, and how many mails it carries. */
  idle_ms: 5_000,
  mails_of_connection: 500,
  /** Hosts remembered without mail under way. */
  hosts_max: 10_000,
  /** Mail exchangers tried per domain, and addresses per exchanger. */
  exchangers_max: 10,
  addresses_max: 4,
  /** Seconds for which the exchangers found for a domain are reused. */
  route_s: MINUTE,
  routes_max: 10_000,

  /** Milliseconds to dial one address; then until greeting, EHLO and TLS are done. */
  connect_ms: 20_000,
  setup_ms: MINUTE * 1000,
  /** From MAIL FROM until DATA is accepted; then until the last reply. */
  envelope_ms: 5 * MINUTE * 1000,
  data_ms: 10 * MINUTE * 1000,
  /** Bytes of one reply (RFC 5321 4.5.3.1.5 requires 512 per line). */
  reply_bytes_max: 16 * 1024,
  /** Replies of a connection that wait to be read; with PIPELINING one for each recipient, of which there are 100 at most. */
  replies_waiting_max: 1_000,
  /** Characters of a reply that are stored. */
  reply_chars_kept: 500,

  /** Longest time to keep an MTA-STS policy, whatever max_age it has (RFC 8461 3.2 allows a year). */
  sts_max_age_s: 30 * DAY,
  /** A shorter max_age counts as this much: otherwise every mail would fetch the policy. */
  sts_min_age_s: 5 * MINUTE,
  /** Seconds until a failed policy fetch is retried (RFC 8461 3.3). */
  sts_retry_s: 5 * MINUTE,
  sts_domains_max: 10_000,
  sts_policy_bytes_max: 16 * 1024,

  /** Results not stored yet (full disk): at this many, sending pauses. */
  unwritten_max: 64,
  /** Emails of one domain deferred per transaction when its hosts are unreachable. */
  put_off_rows: 200,
  /** Emails per transaction that get a note why they wait, when their host is left alone. */
  noted_rows: 1_000,
} as const;
