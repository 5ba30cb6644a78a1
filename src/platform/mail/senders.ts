import { SENDERS_MAX, VALUE_CHARS_MAX } from './bounds.ts';
import type { HeaderLine } from './mime/found-mail.ts';
import type { ParsedSummary } from './parsed.ts';

/** A header with addresses, as mailparser returns it. */
interface ReadHeader {
  value: { address?: string; group?: { address?: string }[] }[];
}

/**
 * Lists the bare addresses of every From header. They are not read from the text that is shown, because a name may look
 * like an address. mailparser keeps only the last header, so if there are several, each is read separately.
 *
 * @param header the value of From, as mailparser returns it.
 * @param written the values of all From headers, as written.
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
