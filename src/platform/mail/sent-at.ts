import { isoTime } from '../core/clock.ts';

/** What makes a text a date: a month, by name or as in ISO 8601. Date.parse alone takes any number for a year. */
const MONTH = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d{4}-\d\d-\d\d/i;

const ENDS_IN_TIME = /(?:\d|[ap]m)$/i;
const ENDS_IN_ZONE = /[+-]\d\d:?\d\d$/;

/** Returns the time of a Date header as `sent_at`; null if it is not a date. Without a zone, it is read as UTC. */
export function readSentAt(date: string | undefined): string | null {
  if (date === undefined || !MONTH.test(date)) return null;
  const text = date.replace(/\([^()]*\)/g, '').trim();
  // Date.parse would read a time without a zone in this server's zone.
  const isZoned = !ENDS_IN_TIME.test(text) || ENDS_IN_ZONE.test(text);
  const ms = Date.parse(isZoned ? text : `${text.replace(/(?<=\d)T(?=\d)/, ' ')} UTC`);
  return Number.isFinite(ms) && ms >= 0 && ms < 253_402_300_800_000 ? isoTime(ms * 1000) : null;
}
