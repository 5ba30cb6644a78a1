import { isoTime } from '../core/clock.ts';

/** Date.parse turns any number into a year: without a month it is not a date. */
const MONTH = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d{4}-\d\d-\d\d/i;

const ENDS_IN_TIME = /(?:\d|[ap]m)$/i;
const ENDS_IN_ZONE = /[+-]\d\d:?\d\d$/;

/** The time of a Date header as sent_at; null when it is not one. Without a zone it is UTC. */
export function readSentAt(date: string | undefined): string | null {
  if (date === undefined || !MONTH.test(date)) return null;
  const text = date.replace(/\([^()]*\)/g, '').trim();
  // Without a zone Date.parse would take this server's.
  const isZoned = !ENDS_IN_TIME.test(text) || ENDS_IN_ZONE.test(text);
  const ms = Date.parse(isZoned ? text : `${text.replace(/(?<=\d)T(?=\d)/, ' ')} UTC`);
  return Number.isFinite(ms) && ms >= 0 && ms < 253_402_300_800_000 ? isoTime(ms * 1000) : null;
}
