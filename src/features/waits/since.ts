import { isId } from '../../platform/core/id.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { findTimes, readLastTimeOf } from './sql.ts';

/** The point from which messages count. `unseen` is `since=0`: unread messages that are already there count too. */
export type Since = { unseen: true } | { after: number };

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+ -]\d\d:?\d\d)?)?$/i;
/** Twenty digits hold every 64-bit number. No clock counts further. */
const UNIX_TIME = /^(\d{1,20})(?:\.(\d{1,20}))?$/;
/** All forms of `since` in one pattern, for the OpenAPI document. */
export const SINCE_PATTERN =
  '^(\\d{1,20}(\\.\\d{1,20})?|msg_[0-9a-f]{32}|\\d{4}-\\d\\d-\\d\\d([Tt ]\\d\\d:\\d\\d(:\\d\\d([.,]\\d{1,9})?)?([Zz]|[+ -]\\d\\d:?\\d\\d)?)?)$';
/** Numbers from this one on are milliseconds, smaller ones seconds (docs/api-v1.md, Wait). */
const MILLISECONDS_FROM = 1e12;
/** The last second of the year 9999. Later times are clamped to it, because they have no ISO form. */
const TIME_US_MAX = 253_402_300_799_000_000;

/**
 * Parses `since` in every form of docs/api-v1.md. Returns null for any other text, and for a message that does not
 * belong to the account. Without `since`, messages that are committed from now on count. One that is being committed
 * while the request arrives gets a later received_at than the account's last one, so it is not lost.
 */
export function readSince(
  reading: Reading,
  accountNo: number,
  text: string | null,
  authenticated = false,
): Since | null {
  if (text === null) return { after: readLastTimeOf(reading, accountNo) };
  const number = UNIX_TIME.exec(text);
  if (number) return readSinceNumber(number[1] ?? '', number[2] ?? '');
  if (isId('message', text)) {
    const found = findTimes(reading, accountNo, text);
    if (!found) return null;
    // With `authenticated`, messages are in the order in which they were proven (features/waits/feed.ts).
    return { after: authenticated ? (found.proven_at ?? found.received_at) : found.received_at };
  }
  const after = parseIsoTime(text);
  return after === null ? null : { after };
}

/** Parses a number. Works on the digits, because a floating-point number would lose microseconds. */
function readSinceNumber(whole: string, decimals: string): Since {
  if (Number(`${whole}.${decimals}`) === 0) return { unseen: true };
  const places = Number(whole) >= MILLISECONDS_FROM ? 3 : 6;
  return { after: Math.min(Number(whole + decimals.slice(0, places).padEnd(places, '0')), TIME_US_MAX) };
}

/**
 * Parses an ISO 8601 time. Returns microseconds, or null. A time without a zone is UTC. A blank before the offset is a
 * + that was not URL-encoded.
 */
export function parseIsoTime(text: string): number | null {
  const found = ISO_TIME.exec(text);
  if (!found) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found;
  const offset =
    zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(' ', '+').replace(/^(.\d\d):?(\d\d)$/, '$1:$2');
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  // Date.parse reads February 30 as March 2.
  const isADay = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
  if (Number.isNaN(ms) || !isADay) return null;
  const timeUs = ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
  return Math.min(Math.max(timeUs, 0), TIME_US_MAX);
}
