import { MX_PREFERENCE } from './records.ts';
import type { WantedRecord } from './wire.ts';

/** The longest string in a TXT record (RFC 1035, section 3.3). */
const STRING_CHARS_MAX = 255;

/**
 * Formats a record as a line of a zone file (RFC 1035, section 5.1), ready to paste. A long text is split into strings.
 */
export function formatZoneLine({ type, host, value }: Pick<WantedRecord, 'type' | 'host' | 'value'>): string {
  if (type === 'MX') return `${host}. IN MX ${MX_PREFERENCE} ${value}.`;
  const strings = value.match(new RegExp(`.{1,${STRING_CHARS_MAX}}`, 'g')) ?? [''];
  return `${host}. IN TXT ${strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ')}`;
}
