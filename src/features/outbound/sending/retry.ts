import { SECOND_US } from '../../../platform/core/clock.ts';
import { sending as rules } from '../../../rules/sending.ts';

/** The longest wait between two attempts. */
export const RETRY_US_MAX = Math.max(...rules.retryAfterS) * (1 + rules.jitter) * SECOND_US;

/**
 * Returns when a recipient is tried again after this many attempts; null once its time is over. The last attempt is
 * made at the end of that time, not hours before.
 */
export function computeNextAttemptAt(attempts: number, nowUs: number, expiresAt: number): number | null {
  if (nowUs >= expiresAt) return null;
  const { retryAfterS, jitter } = rules;
  const delayS = retryAfterS[Math.min(attempts, retryAfterS.length) - 1] ?? 0;
  return Math.min(nowUs + Math.round(delayS * SECOND_US * (1 + jitter * Math.random())), expiresAt);
}
