import { SECOND_US } from '../core/clock.ts';

/** Returns the wait, in microseconds, that a Retry-After asks for in seconds or as a date (RFC 9110 10.2.3); 0 if it is neither. */
export function parseRetryAfter(text: string, nowUs: number): number {
  const trimmed = text.trim();
  const untilMs = Date.parse(trimmed);
  const waitUs = /^\d{1,10}$/.test(trimmed) ? Number(trimmed) * SECOND_US : untilMs * 1000 - nowUs;
  // NaN if it is neither a number nor a date.
  return Number.isNaN(waitUs) ? 0 : Math.max(waitUs, 0);
}
