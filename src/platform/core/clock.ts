/** Cancels something. It is safe to call it twice. */
export type Cancel = () => void;

/** The only source of time. Tests pass one that they advance by hand. */
export interface Clock {
  /** Returns the wall clock's time, in microseconds since 1970. It may step back. */
  nowUs(): number;
  /** Returns milliseconds since an arbitrary moment. It is monotonic, whatever happens to the wall clock. */
  elapsedMs(): number;
  /** Calls a function once after a delay in milliseconds, at most 24 days. Does not keep the process alive. */
  after(delayMs: number, run: () => void): Cancel;
}

/** With a longer delay, setTimeout fires immediately. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowUs: () => Date.now() * 1000,
  elapsedMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, TIMER_MS_MAX));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export const SECOND_US = 1_000_000;
export const MINUTE_US = 60 * SECOND_US;
export const HOUR_US = 60 * MINUTE_US;
export const DAY_US = 24 * HOUR_US;

/** Returns the whole seconds until a time, at least 1, for Retry-After. */
export function countSecondsUntil(timeUs: number, nowUs: number): number {
  return Math.max(1, Math.ceil((timeUs - nowUs) / SECOND_US));
}

/** Formats microseconds as the API's timestamp, `2026-11-21T08:00:00.123456Z` (docs/decisions.md, Names and forms). */
export function isoTime(timeUs: number): string {
  const ms = Math.floor(timeUs / 1000);
  const rest = String(timeUs - ms * 1000).padStart(3, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** Formats the value of a column that may be null. */
export function isoTimeOrNull(timeUs: number | null): string | null {
  return timeUs === null ? null : isoTime(timeUs);
}

/** Returns the calendar month in UTC by which usage is counted, such as `2026-11`. */
export function formatMonth(timeUs: number): string {
  return new Date(timeUs / 1000).toISOString().slice(0, 7);
}
