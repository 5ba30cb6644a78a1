/** A mail's bytes as the other tools show them. */
import { formatTrace, readPieces } from '../../features/messages/raw.ts';
import { findOwnRaw, type RawRow } from '../../features/messages/sql.ts';
import { fail } from '../../platform/core/failure.ts';
import { mxHost } from '../../platform/core/settings.ts';
import { cutPieces } from '../../platform/core/streamed.ts';
import { HEADER_BYTES_MAX } from '../../platform/mail/bounds.ts';
import { cutHeaderSection } from '../../platform/mail/structure.ts';
import type { CompatDoor } from './door.ts';

/** Most bytes of a mail that goes into one JSON value; the rest is left out. */
const WHOLE_BYTES_MAX = 32 * 1024 * 1024;
const NOTHING = new Uint8Array();

export function requireRaw({ services, accountNo }: CompatDoor, id: string): RawRow {
  return findOwnRaw(services.store, accountNo, id) ?? fail('not_found', { text: 'Message not found' });
}

/** The mail as it was sent, as text, up to the bound. Yields nothing after each piece that it reads, for a turn of its own. */
export function* readSource({ services }: CompatDoor, raw: RawRow): Generator<Uint8Array, string> {
  const pieces: Uint8Array[] = [];
  for (const piece of cutPieces(readPieces(services.store, raw), 0, WHOLE_BYTES_MAX)) {
    pieces.push(piece);
    yield NOTHING;
  }
  return Buffer.concat(pieces).toString();
}

/** The header fields in their order, unfolded, including those that we put before the mail. */
export function headerFields(door: CompatDoor, raw: RawRow): [name: string, value: string][] {
  const { store, settings } = door.services;
  const first = readPieces(store, raw).next().value ?? new Uint8Array();
  const section = Buffer.from(cutHeaderSection(first, HEADER_BYTES_MAX)).toString();
  const lines: string[][] = [];
  for (const line of `${formatTrace(raw, mxHost(settings))}${section}`.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) lines.at(-1)?.push(line.trim());
    else lines.push([line]);
  }
  return lines.flatMap((pieces): [string, string][] => {
    const line = pieces.join(' ');
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trimEnd();
    return /^[!-9;-~]+$/.test(name) ? [[name, line.slice(colon + 1).trim()]] : [];
  });
}

/** `message-id` as `Message-Id`, as Go writes the names of header fields. */
export function canonicalName(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('-');
}
