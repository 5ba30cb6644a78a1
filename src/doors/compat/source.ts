/** A mail's bytes as the other tools show them. */
import { formatTrace, readPieces } from '../../features/messages/raw.ts';
import { findOwnRaw, type RawRow } from '../../features/messages/sql.ts';
import { fail } from '../../platform/core/failure.ts';
import { mxHost } from '../../platform/core/settings.ts';
import { cutPieces } from '../../platform/core/streamed.ts';
import { HEADER_BYTES_MAX } from '../../platform/mail/bounds.ts';
import { cutHeaderSection } from '../../platform/mail/structure.ts';
import type { CompatDoor } from './door.ts';

/** A longer mail is cut here, because it becomes one JSON value. */
const WHOLE_BYTES_MAX = 32 * 1024 * 1024;
const NOTHING = new Uint8Array();

export function requireRaw({ services, accountNo }: CompatDoor, id: string): RawRow {
  return findOwnRaw(services.store, accountNo, id) ?? fail('not_found', { text: 'Message not found' });
}

/** Returns the mail as text, up to the bound. Yields an empty piece after each read, so that other work gets a turn. */
export function* readSource({ services }: CompatDoor, raw: RawRow): Generator<Uint8Array, string> {
  const pieces: Uint8Array[] = [];
  for (const piece of cutPieces(readPieces(services.store, raw), 0, WHOLE_BYTES_MAX)) {
    pieces.push(piece);
    yield NOTHING;
  }
  return Buffer.concat(pieces).toString();
}

/** Returns the header fields in order, unfolded, including those that we put before the mail. */
export function listHeaderFields(door: CompatDoor, raw: RawRow): [name: string, value: string][] {
  const { store, settings } = door.services;
  const first = readPieces(store, raw).next().value ?? NOTHING;
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

/** Formats a header's name as Go does: `message-id` becomes `Message-Id`. */
export function formatHeaderName(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('-');
}
