/** When domains and their DKIM keys are checked in the DNS, and when they fail (docs/decisions.md, Domains). */
import { DAY_S, HOUR_S, MINUTE_S } from './durations.ts';

export const domainChecks = {
  /** Seconds after the registration at which a pending domain is checked; then at the interval. */
  pendingAfterS: [1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE_S),
  pendingEveryS: HOUR_S,
  /** Seconds after which a pending domain has failed. */
  pendingMaxS: 7 * DAY_S,
  /** Interval of the checks of a verified or failed domain. */
  settledEveryS: DAY_S,
  /** Interval while the DNS gives no clear answer. */
  unansweredEveryS: HOUR_S,
  /** A verified domain fails once its records have been missing or wrong for this long. */
  failingMaxS: 5 * DAY_S,
  /** Mail for a domain that is no longer verified is deferred for this long, then refused. */
  mailPutOffS: 5 * DAY_S,
} as const;
