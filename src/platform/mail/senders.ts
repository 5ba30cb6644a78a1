import { SENDERS_MAX, VALUE_CHARS_MAX } from './bounds.ts';
import type { HeaderLine } from './mime/found-mail.ts';
import type { ParsedSummary } from './parsed.ts';

/** What mailparser makes of a header with addresses. */
interface ReadHeader {
  value: { address?: string; group?: { address?: string }[] }[];
}

/**
 * The bare addresses of every From header. A name may look like an address, so they are not read from the text that is
 * shown. mailparser keeps only the last header, so when there are several each is read on its own.
 */
export function listSenders(
  header: unknown,
  written: readonly string[],
  readHeaders: (lines: HeaderLine[]) => Map<string, unknown>,
): Pick<ParsedSummary, 'senders'> {
  const values =
    written.length < 2
      ? [header]
      : written
          .slice(0, SENDERS_MAX + 1)
          .map((value) => readHeaders([{ key: 'from', line: `From:${value}` }]).get('from'));
  const senders: string[] = [];
  for (const value of values.flat()) {
    for (const entry of (value as ReadHeader | undefined)?.value ?? []) {
      for (const { address } of entry.group?.length ? entry.group : [entry]) {
        if (!address || senders.length > SENDERS_MAX) continue;
        senders.push(address.slice(0, VALUE_CHARS_MAX).toWellFormed());
      }
    }
  }
  return senders.length > 0 ? { senders } : {};
}
