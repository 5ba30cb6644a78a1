/** Reads the fields of a JSON body, as the other tools do: Go ignores the case of their names. */
import { fail } from '../../platform/core/failure.ts';
import { type BodyBound, readBytes } from '../../platform/http/body.ts';

const BODY_BYTES_MAX = 1024 * 1024;

/** Reads the fields of a JSON body, with names in lower case, since Go ignores their case. Null without a body. */
export async function readJsonFields(
  request: Request,
  bytesMax = BODY_BYTES_MAX,
): Promise<Record<string, unknown> | null> {
  const refuse: BodyBound['refuse'] = () =>
    fail('payload_too_large', { text: `The body has more than ${bytesMax} bytes.` });
  const bytes = await readBytes(request, { bytesMax, refuse });
  if (bytes.length === 0) return null;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return fail('validation_error', { text: 'The body is not valid JSON.' });
  }
  // A list of ids, for example, must not count as no ids, which means every message.
  if (typeof value !== 'object' || Array.isArray(value))
    return fail('validation_error', { text: 'The body must be a JSON object.' });
  return readLowerCaseFields(value);
}

/**
 * Returns the fields of an object with names in lower case, or none for any other value. The result has no prototype,
 * so that `__proto__` is a field like any other.
 */
export function readLowerCaseFields(value: unknown): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fields;
  for (const [name, field] of Object.entries(value)) fields[name.toLowerCase()] = field;
  return fields;
}

export function readTextField(fields: Record<string, unknown>, name: string): string {
  const value = fields[name.toLowerCase()];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' && value.isWellFormed()) return value;
  return fail('validation_error', { text: `${name} must be text.` });
}

export function readListField(fields: Record<string, unknown>, name: string): unknown[] {
  const value = fields[name.toLowerCase()];
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : fail('validation_error', { text: `${name} must be an array.` });
}

export function readTextsField(fields: Record<string, unknown>, name: string): string[] {
  return readListField(fields, name).map((one) =>
    typeof one === 'string' ? one : fail('validation_error', { text: `${name} must be an array of texts.` }),
  );
}
