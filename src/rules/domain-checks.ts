/** When domains and their DKIM keys are checked in the DNS, and when they fail (docs/decisions.md, Domains). */
import { DAY_S, HOUR_S, MINUTE_S } from './durations.ts';

export const domainChecks = {
  /** Seconds after the registration at which a pending domain is checked; then at the interval. */
  pending_after_s: [1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE_S),
  pending_every_s: HOUR_S,
  /** Seconds after which a pending domain has failed. */
  pending_max_s: 7 * DAY_S,
  /** Interval of the checks of a verified or failed domain. */
  settled_every_s: DAY_S,
  /** Interval while the DNS gives no clear answer. */
  unanswered_every_s: HOUR_S,
  /** A verified domain fails once its records have been missing or wrong for this long. */
  failing_max_s: 5 * DAY_S,
  /** Mail for a domain that is no longer verified is deferred for this long, then refused. */
  mail_put_off_s: 5 * DAY_S,
} as const;
