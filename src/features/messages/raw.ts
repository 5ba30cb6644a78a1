import { mxHost } from '../../platform/core/settings.ts';
import { cutPieces, makeStream } from '../../platform/core/streamed.ts';
import { findWholeMail, type MailColumns, readStoredPiece } from '../../platform/mail/stored-mail.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { type RawRow, readRawPiece } from './sql.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Opens the mail as received, with our Return-Path and Received header on top (RFC 5321 4.4). */
export function openRawMail(services: PlatformServices, raw: RawRow) {
  const trace = Buffer.from(formatTrace(raw, mxHost(services.settings)));
  return {
    size: trace.length + raw.size,
    // The mail never changes, but the Received header names the MX host, which is a setting.
    etag: `"${raw.id}-${Bun.hash(trace).toString(36)}"`,
    headers: { 'content-type': 'message/rfc822' },
    read(from: number, to: number): ReadableStream<Uint8Array> {
      const pieces = readPieces(services.store, raw);
      // Read now, before the status line is sent, so that an unreadable mail gets 500 and not a truncated body.
      const first = pieces.next();
      return makeStream(services, cutPieces(withTrace(trace, first, pieces), from, to));
    },
  };
}

function* withTrace(
  trace: Uint8Array,
  first: IteratorResult<Uint8Array>,
  pieces: Generator<Uint8Array>,
): Generator<Uint8Array> {
  yield trace;
  if (first.done) return;
  yield first.value;
  yield* pieces;
}

/**
 * Yields the mail's bytes piece by piece, so that a large mail is never whole in memory. Throws if a piece is missing.
 */
export function* readPieces(
  reading: Reading,
  raw: MailColumns & Pick<RawRow, 'raw_no' | 'id'>,
): Generator<Uint8Array> {
  const whole = findWholeMail(raw);
  if (whole) {
    yield readStoredPiece(whole);
    return;
  }
  let left = raw.size;
  for (let part = 0; left > 0; part++) {
    const frame = readRawPiece(reading, raw.raw_no, part);
    if (!frame)
      throw new Error(`${left} of ${raw.size} bytes of message ${raw.id} are missing from the store`);
    const bytes = readStoredPiece({ frame, content_size: 0, size: raw.size });
    left -= bytes.length;
    yield bytes;
  }
}

/** The Return-Path and Received headers. Exported for its test. */
export function formatTrace(raw: Omit<RawRow, keyof MailColumns | 'raw_no'>, receivingHost: string): string {
  return `Return-Path: <${joinLines(raw.envelope_from)}>\r\n${formatReceived(raw, receivingHost)}`;
}

/** Formats the Received header that says how the mail came here, with its line end. */
export function formatReceived(
  raw: Omit<RawRow, keyof MailColumns | 'raw_no' | 'envelope_from'>,
  receivingHost: string,
): string {
  const address = raw.client_address.includes(':') ? `IPv6:${raw.client_address}` : raw.client_address;
  return [
    `Received: from ${joinLines(raw.helo) || 'unknown'} ([${joinLines(address)}])`,
    `\tby ${receivingHost} with ${joinLines(raw.protocol)} id ${raw.id};`,
    `\t${formatMailDate(raw.received_at)}`,
    '',
  ].join('\r\n');
}

/** Keeps text of a stranger from starting a line of its own. */
function joinLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed.
  return text.replace(/[\x00-\x1f\x7f]/g, '');
}

/** RFC 5322 3.3, in UTC. */
export function formatMailDate(timeUs: number): string {
  const date = new Date(timeUs / 1000);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return `${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}
