import { fail } from '../../platform/core/failure.ts';

const BYTES_MAX = 4096;
const KEYS_MAX = 50;

/**
 * Returns an inbox's metadata as compact JSON (docs/api-v1.md, Inbox), `{}` for `undefined`. Throws
 * metadata_must_be_object or metadata_too_large.
 */
export function formatMetadata(value: unknown): string {
  if (value === undefined) return '{}';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('metadata_must_be_object', { fields: { metadata: ['must be a JSON object'] } });
  }
  const text = writeCompact(value);
  const reasons: string[] = [];
  if (text === null || Buffer.byteLength(text) > BYTES_MAX) {
    reasons.push(`has more than ${BYTES_MAX} bytes as compact UTF-8 JSON`);
  }
  if (Object.keys(value).length > KEYS_MAX) reasons.push(`has more than ${KEYS_MAX} top-level keys`);
  if (text === null || reasons.length > 0)
    return fail('metadata_too_large', { fields: { metadata: reasons } });
  return text;
}

/** Returns null if the value is nested too deeply to be serialised. */
function writeCompact(value: object): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}
