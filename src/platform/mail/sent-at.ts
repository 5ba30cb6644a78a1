import { isoTime } from '../core/clock.ts';

const MONTH_NAMES = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
/** What makes a text a date: a month, by name or as in ISO 8601. Date.parse alone takes any number for a year. */
const MONTH = new RegExp(`${MONTH_NAMES}|\\d{4}-\\d\\d-\\d\\d`, 'i');
const WRITTEN_DAY = new RegExp(`(\\d{1,2})[\\s-]+(${MONTH_NAMES})[a-z]*[\\s-]+(\\d{4})`, 'i');

const ENDS_IN_TIME = /(?:\d|[ap]m)$/i;
const ENDS_IN_ZONE = /[+-]\d\d:?\d\d$/;

/** Returns the time of a Date header as `sent_at`; null if it is not a date. Without a zone, it is read as UTC. */
export function readSentAt(date: string | undefined): string | null {
  if (date === undefined || !MONTH.test(date)) return null;
  const text = date.replace(/\([^()]*\)/g, '').trim();
  // Date.parse would read a time without a zone in this server's zone.
  const isZoned = !ENDS_IN_TIME.test(text) || ENDS_IN_ZONE.test(text);
  const ms = Date.parse(isZoned ? text : `${text.replace(/(?<=\d)T(?=\d)/, ' ')} UTC`);
  if (!isADay(text)) return null;
  return Number.isFinite(ms) && ms >= 0 && ms < 253_402_300_800_000 ? isoTime(ms * 1000) : null;
}

/** Whether the month has the written day. Date.parse reads February 31 as March 3. */
function isADay(text: string): boolean {
  const [, day, month, year] = WRITTEN_DAY.exec(text) ?? [];
  return day === undefined || new Date(`${day} ${month} ${year} UTC`).getUTCDate() === Number(day);
}
