/** How mail is handed to other servers (decisions.md, Outbound; times: RFC 5321 4.5.3.2). */
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export const sending = {
  /** Seconds from one attempt to the next; the last comes back again and again. */
  retry_after_s: [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
  /** Each is this share longer at random, so that what failed together does not come back together. */
  jitter: 0.1,

  /** Connections to one host at the same time. */
  at_once_of_host: 2,
  /** Connections in all, and how many of them may be to hosts that have taken nothing since the start, or fail. */
  at_once: 64,
  at_once_unproven: 48,
  at_once_failing: 32,
  /** A host that said 421 or 4.7.x is left alone for so long, twice as long each time in a row. */
  host_pause_s: MINUTE,
  host_pause_max_s: 30 * MINUTE,
  /** An open connection waits so long for the next mail to its host, and takes at most so many. */
  idle_ms: 5_000,
  mails_of_connection: 500,
  /** Hosts that are remembered though nothing is under way. */
  hosts_max: 10_000,
  /** Exchangers of a domain that are tried, and addresses of one. */
  exchangers_max: 10,
  addresses_max: 4,
  /** What was found out about a domain's exchangers is good for so long. */
  route_s: MINUTE,
  routes_max: 10_000,

  /** Milliseconds: dialling one address; then until greeting, EHLO and TLS are done. */
  connect_ms: 20_000,
  setup_ms: MINUTE * 1000,
  /** From MAIL FROM until DATA is granted; from there until the last reply. */
  envelope_ms: 5 * MINUTE * 1000,
  data_ms: 10 * MINUTE * 1000,
  /** Octets of one reply (RFC 5321 4.5.3.1.5 asks for 512 a line). */
  reply_bytes_max: 16 * 1024,
  /** Characters of a reply that are kept. */
  reply_chars_kept: 500,

  /** A policy of MTA-STS is kept so long at most, whatever it asks for (RFC 8461 3.2 allows a year). */
  sts_max_age_s: 30 * DAY,
  /** Shorter than this counts as this: it would be fetched for each mail. */
  sts_min_age_s: 5 * MINUTE,
  /** A domain whose policy could not be fetched is asked again after so long (RFC 8461 3.3). */
  sts_retry_s: 5 * MINUTE,
  sts_domains_max: 10_000,
  sts_policy_bytes_max: 16 * 1024,

  /** Results that the store has not taken yet (full disk): with so many nothing more is sent. */
  unwritten_max: 64,
  /** Emails of one domain that are put off in one transaction when its hosts can't be reached. */
  put_off_rows: 200,
  /** Emails that are told at a time why they wait, when their host is left alone. */
  noted_rows: 1_000,
} as const;
