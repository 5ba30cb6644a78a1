/** Reads the dates and times in the queries of Mailpit's clients. */

/** A time zone or an offset at the end of a time: `Z`, `GMT`, `+02:00`. */
const WITH_ZONE = /(?:Z|UTC|GMT|:\d\d(?:\.\d+)?\s*[+-]\d\d:?\d\d)$/;

/** Digits of a time since 1970, and how many microseconds its last one is. */
const UNIX_UNITS: Record<number, number> = { 10: 1_000_000, 13: 1_000, 16: 1 };

/**
 * Returns a time in microseconds; null if it can't be read.
 *
 * @param zone Where a time without a zone is, as `Europe/Berlin`; UTC if it is empty or unknown.
 */
export function readTime(text: string, zone: string): number | null {
  const written = text.trim().toUpperCase();
  const unit = /^\d+$/.test(written) ? UNIX_UNITS[written.length] : undefined;
  if (unit !== undefined) return Number(written) * unit;
  const ms = WITH_ZONE.test(written) ? Date.parse(written) : readWallTime(written, zone);
  return Number.isFinite(ms) ? ms * 1_000 : null;
}

function readWallTime(written: string, zone: string): number {
  const [iso, clock] = /^\d{4}-\d\d-\d\d(.*)$/.exec(written) ?? [];
  // Date.parse reads an ISO date as UTC, and everything else as local unless it says UTC.
  const time = Date.parse(iso === undefined ? `${written} UTC` : clock === '' ? iso : `${iso}Z`);
  if (!Number.isFinite(time) || zone === '') return time;
  // Where a clock changes, the offset at the wall time can be another one than at the time.
  return time - readOffset(zone, time - readOffset(zone, time));
}

/** Returns how many milliseconds a zone's clocks are ahead of UTC. */
function readOffset(zone: string, time: number): number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    return 0;
  }
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ms = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -ms : ms;
}
