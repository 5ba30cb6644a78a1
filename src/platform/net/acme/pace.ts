/** Decides when the CA may be asked again, from the history of attempts and the time alone. */
import { acme as rules } from '../../../rules/acme.ts';
import { SECOND_US } from '../../core/clock.ts';

export interface AcmeAttempt {
  at: number;
  directory: string;
  names: readonly string[];
  /** `open`: under way, or interrupted, which counts as failed. */
  outcome: 'open' | 'issued' | 'failed';
  reason: string | null;
  /** Pause that the CA asked for, in seconds. */
  waitS: number;
}

/** Why the CA is not even asked: a name does not point here, or the port for challenges can't be opened. */
export interface Blocked {
  reason: string;
  at: number;
  since: number;
  /** When the names are looked up again. */
  nextAt: number;
  /** Whether another server answers at the name, as far as can be seen from here. */
  isElsewhere: boolean;
}

export interface History {
  /** Oldest first. */
  attempts: AcmeAttempt[];
  blocked: Blocked | null;
}

export interface Want {
  directory: string;
  names: readonly string[];
  /** Validity of the certificate in use for exactly these names from this CA; null without one. */
  inUse: { startsAtUs: number; endsAtUs: number } | null;
}

export const makeEmptyHistory = (): History => ({ attempts: [], blocked: null });

/** Returns when the certificate is due for renewal; 0 without one, which means now. */
export function findRenewalAt({ inUse }: Want): number {
  if (inUse === null) return 0;
  return Math.round(inUse.startsAtUs + (inUse.endsAtUs - inUse.startsAtUs) * rules.renewAfter);
}

/**
 * Returns the earliest time for the next attempt.
 *
 * @param isUrged A person has changed something, and asks for an attempt now. That skips the delay after failures, but neither a
 *   bound nor a pause that the CA asked for.
 */
export function findNextAttemptAt({ attempts }: History, want: Want, isUrged = false): number {
  // Each CA has its own limits. The attempt that a damaged history counts as has no directory, and counts for every CA.
  const ours = attempts.filter(({ directory }) => directory === want.directory || directory === '');
  const times = [
    findRenewalAt(want),
    ...ours.map(({ at, waitS }) => (waitS > 0 ? at + waitS * SECOND_US : 0)),
  ];
  const last = ours.at(-1);
  const failures = countFailures(ours, want.names);
  if (last && failures > 0 && !isUrged) {
    const delayS = rules.retryAfterS[failures - 1] ?? rules.retryAfterS.at(-1)!;
    times.push(last.at + delayS * SECOND_US);
  }
  for (const { max, withinS } of rules.attempts) {
    const first = ours.at(-max);
    if (first) times.push(first.at + withinS * SECOND_US);
  }
  times.push(...findIssueBounds(ours, want));
  return Math.max(...times);
}

/** Counts the failures in a row for these names. With other names, the next attempt may succeed at once. */
function countFailures(attempts: readonly AcmeAttempt[], names: readonly string[]): number {
  let count = 0;
  for (const attempt of attempts.toReversed()) {
    if (attempt.outcome === 'issued') break;
    if (attempt.directory !== '' && !isSameNames(attempt.names, names)) break;
    count += 1;
  }
  return count;
}

function findIssueBounds(attempts: readonly AcmeAttempt[], { names, inUse }: Want): number[] {
  const issued = attempts.filter((each) => each.outcome === 'issued' && isSameNames(each.names, names));
  const lifeUs = inUse === null ? Number.POSITIVE_INFINITY : inUse.endsAtUs - inUse.startsAtUs;
  const bounds: number[] = [];
  const last = issued.at(-1);
  if (last && inUse !== null) bounds.push(last.at + Math.round(lifeUs * rules.minGap));
  const first = issued.at(-rules.issuedMax);
  if (first) bounds.push(first.at + Math.min(rules.issuedWithinS * SECOND_US, lifeUs));
  return bounds;
}

export function isSameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/**
 * Moves attempts in the future to now. They were made before the wall clock was set back. So a wrong clock neither blocks renewals
 * for years nor lifts a bound. Returns whether there were any.
 */
export function clampToNow({ attempts, blocked }: History, nowUs: number): boolean {
  const late = attempts.filter(({ at }) => at > nowUs);
  for (const attempt of late) attempt.at = nowUs;
  if (blocked && blocked.at > nowUs) Object.assign(blocked, { since: nowUs, at: nowUs, nextAt: nowUs });
  return late.length > 0;
}
