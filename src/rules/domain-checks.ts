/** When domains and their DKIM keys are looked up in the DNS, and when they are given up (decisions.md, Domains). */
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

export const domainChecks = {
  /** After these times since it began to wait for the DNS, then hourly. */
  pending_after_s: [1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE_S),
  pending_every_s: HOUR_S,
  /** One that waits for so long has failed. */
  pending_max_s: 7 * DAY_S,
  /** One that is verified, or has failed. */
  settled_every_s: DAY_S,
  /** The same when the DNS said neither yes nor no. */
  unanswered_every_s: HOUR_S,
  /** One that is verified fails when the answers have said no for so long. */
  failing_max_s: 5 * DAY_S,
  /** For so long mail for a domain that stopped being verified is put off, then refused. */
  mail_put_off_s: 5 * DAY_S,
} as const;
