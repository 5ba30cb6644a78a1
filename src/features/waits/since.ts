import { isId } from '../../platform/core/id.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { lastReceivedAt, receivedAtOf } from './sql.ts';

/** From where on messages count. `unseen`: `since=0`, the unread ones that are there already. */
export type Since = { unseen: true } | { after: number };

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+ -]\d\d:?\d\d)?)?$/i;
const UNIX_TIME = /^(\d+)(?:\.(\d+))?$/;
/** Numbers from here on are milliseconds, smaller ones seconds (contract: Wait). */
const MILLISECONDS_FROM = 1e12;
/** The last second of year 9999, for all that is later: that has no ISO form with which a client could go on. */
const TIME_US_MAX = 253_402_300_799_000_000;

/**
 * Reads `since` in every form of the contract. Null when it is none of them, or names a message that is not the
 * account's. Without it, what is committed from now on counts: mail that is being committed while the request
 * comes in has a later received_at than the last one stored, and so is not lost.
 */
export function readSince(reading: Reading, accountNo: number, text: string | null): Since | null {
  if (text === null) return { after: lastReceivedAt(reading) };
  const number = UNIX_TIME.exec(text);
  if (number) return sinceNumber(number[1] ?? '', number[2] ?? '');
  if (isId('message', text)) {
    const receivedAt = receivedAtOf(reading, accountNo, text);
    return receivedAt === null ? null : { after: receivedAt };
  }
  const after = isoToUs(text);
  return after === null ? null : { after };
}

/** By its digits: as a number it would not have all of its microseconds. */
function sinceNumber(whole: string, decimals: string): Since {
  if (Number(`${whole}.${decimals}`) === 0) return { unseen: true };
  const places = Number(whole) >= MILLISECONDS_FROM ? 3 : 6;
  return { after: Math.min(Number(whole + decimals.slice(0, places).padEnd(places, '0')), TIME_US_MAX) };
}

/** Microseconds; a time without a zone is UTC. A + that was not encoded in the URL has become a blank. */
function isoToUs(text: string): number | null {
  const found = ISO_TIME.exec(text);
  if (!found) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found;
  const offset =
    zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(' ', '+').replace(/^(.\d\d):?(\d\d)$/, '$1:$2');
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  // The 30th of February would be taken for the 2nd of March.
  const isADay = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
  if (Number.isNaN(ms) || !isADay) return null;
  const timeUs = ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
  return Math.min(Math.max(timeUs, 0), TIME_US_MAX);
}
