import { SECOND_US } from '../../platform/core/clock.ts';
import { parseRetryAfter } from '../../platform/net/retry-after.ts';
import { retriedStatuses, deliveries as rules } from '../../rules/deliveries.ts';

/** The longest wait between two attempts. */
export const DELAY_US_MAX =
  Math.max(...rules.retryAfterS.map((delayS) => delayS * (1 + rules.jitter)), rules.askedForMaxS) * SECOND_US;

/**
 * Returns what an answer's status means for its delivery (docs/api-v1.md, Webhook delivery; docs/decisions.md,
 * Webhooks).
 */
export function judgeStatus(status: number): 'delivered' | 'retry' | 'failed' | 'gone' {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return status >= 500 || retriedStatuses.includes(status) ? 'retry' : 'failed';
}

/** Returns the microseconds until the next attempt, after `tries` attempts; null if there is none left. */
export function computeRetryDelay(
  tries: number,
  retryAfterUs: number,
  random = Math.random(),
): number | null {
  const delayS = rules.retryAfterS[tries - 1];
  return delayS === undefined ? null : Math.max(addJitter(delayS, random), retryAfterUs);
}

/**
 * Returns the microseconds until a webhook with this many failures in a row is probed; 0 while its breaker is closed.
 */
export function computeProbeDelay(failures: number, retryAfterUs: number, random = Math.random()): number {
  const nth = failures - rules.breakerFailures;
  if (nth < 0) return 0;
  const delayS = rules.retryAfterS[nth] ?? Number.POSITIVE_INFINITY;
  return Math.max(addJitter(Math.min(delayS, rules.probeAfterMaxS), random), retryAfterUs);
}

/** Returns the microseconds that the Retry-After of a 429 or 503 asks for (RFC 9110, 10.2.3), at most a day; else 0. */
export function readRetryAfter(status: number, retryAfter: string | null, nowUs: number): number {
  if (retryAfter === null || (status !== 429 && status !== 503)) return 0;
  return Math.min(parseRetryAfter(retryAfter, nowUs), rules.askedForMaxS * SECOND_US);
}

function addJitter(delayS: number, random: number): number {
  return Math.round(delayS * SECOND_US * (1 + rules.jitter * (2 * random - 1)));
}
