import { retried_statuses, deliveries as rules } from '../rules/deliveries.ts';

const SECOND_US = 1_000_000;
/** No delivery waits longer for its next attempt. */
export const DELAY_US_MAX =
  Math.max(...rules.retry_after_s.map((delay_s) => delay_s * (1 + rules.jitter)), rules.asked_for_max_s) *
  SECOND_US;

/** What an answer means for its delivery (contract: Webhook delivery 5; 410 and redirects: decisions.md, Webhooks). */
export function outcomeOf(status: number): 'delivered' | 'retry' | 'failed' | 'gone' {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return status >= 500 || retried_statuses.includes(status) ? 'retry' : 'failed';
}

/** Microseconds until the next attempt, when `tries` were made; null when they are used up. */
export function retryDelay(tries: number, asked_for_us: number, random = Math.random()): number | null {
  const delay_s = rules.retry_after_s[tries - 1];
  return delay_s === undefined ? null : Math.max(jittered(delay_s, random), asked_for_us);
}

/** Microseconds until a webhook that failed so often in a row is probed again; 0 while it may be tried freely. */
export function probeDelay(failures: number, asked_for_us: number, random = Math.random()): number {
  const nth = failures - rules.breaker_failures;
  if (nth < 0) return 0;
  const delay_s = rules.retry_after_s[nth] ?? Number.POSITIVE_INFINITY;
  return Math.max(jittered(Math.min(delay_s, rules.probe_after_max_s), random), asked_for_us);
}

/** What Retry-After of a 429 or 503 asks for (RFC 9110 10.2.3: seconds, or a date), at most a day; else 0. */
export function askedFor(status: number, retry_after: string | null, now_us: number): number {
  if (retry_after === null || (status !== 429 && status !== 503)) return 0;
  const text = retry_after.trim();
  const until_ms = Date.parse(text);
  const wait_us = /^\d{1,10}$/.test(text) ? Number(text) * SECOND_US : until_ms * 1000 - now_us;
  // What is no time at all (NaN) asks for nothing.
  return wait_us > 0 ? Math.min(wait_us, rules.asked_for_max_s * SECOND_US) : 0;
}

function jittered(delay_s: number, random: number): number {
  return Math.round(delay_s * SECOND_US * (1 + rules.jitter * (2 * random - 1)));
}
