/** Ends what it was given for; safe to call twice. */
export type Cancel = () => void;

/** All time that the program acts on. Tests give one that they move by hand. */
export interface Clock {
  /** Microseconds since 1970, as wall clock; it may step back. */
  nowUs(): number;
  /** Milliseconds since some moment; only forwards, whatever is done to the wall clock. */
  elapsedMs(): number;
  /** Runs once after a delay in milliseconds, at the latest after 24 days. Never keeps the process alive. */
  after(delayMs: number, run: () => void): Cancel;
}

/** With more setTimeout runs at once. */
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
export const DAY_US = 86_400 * SECOND_US;

/** Microseconds as the wire's timestamp, `2026-11-21T08:00:00.123456Z` (decisions.md, Names and forms). */
export function isoTime(timeUs: number): string {
  const ms = Math.floor(timeUs / 1000);
  const rest = String(timeUs - ms * 1000).padStart(3, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** Same, for a column that may be null. */
export function isoTimeOrNull(timeUs: number | null): string | null {
  return timeUs === null ? null : isoTime(timeUs);
}

/** The calendar month in UTC as `2026-11`: the unit of metering. */
export function monthOf(timeUs: number): string {
  return new Date(timeUs / 1000).toISOString().slice(0, 7);
}
