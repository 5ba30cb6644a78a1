const SECOND_US = 1_000_000;

/** Microseconds that a Retry-After asks for, in seconds or as a date (RFC 9110 10.2.3); 0 when it says neither. */
export function parseRetryAfter(text: string, nowUs: number): number {
  const trimmed = text.trim();
  const untilMs = Date.parse(trimmed);
  const waitUs = /^\d{1,10}$/.test(trimmed) ? Number(trimmed) * SECOND_US : untilMs * 1000 - nowUs;
  // Neither a number nor a date gives NaN.
  return Number.isNaN(waitUs) ? 0 : Math.max(waitUs, 0);
}
