/**
 * Checks of values that another process sent as JSON. A schema would do the same, but takes 8 µs of the main thread for
 * each mail, and reports every wrong element of a list of 100,000. These stop at the first.
 */
export type ValueCheck = (value: unknown) => boolean;

/** A text that can be stored and sent as UTF-8. */
export function isText(charsMax: number, form?: RegExp): ValueCheck {
  return (value) =>
    typeof value === 'string' &&
    value.length <= charsMax &&
    value.isWellFormed() &&
    (form === undefined || form.test(value));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused, as in cutValue.
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** A text of one line: in a log or a header, it can't begin another. */
export function isLine(charsMax: number, form?: RegExp): ValueCheck {
  const isRight = isText(charsMax, form);
  return (value) => isRight(value) && !CONTROL.test(value as string);
}

/** An integer that the store can hold exactly. */
export function isCount(max = Number.MAX_SAFE_INTEGER): ValueCheck {
  return (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

export const isBoolean: ValueCheck = (value) => typeof value === 'boolean';

/** A probability. */
export const isShare: ValueCheck = (value) => typeof value === 'number' && value >= 0 && value <= 1;

export function isOneOf(values: readonly unknown[]): ValueCheck {
  const known = new Set(values);
  return (value) => known.has(value);
}

export function isOrNull(check: ValueCheck): ValueCheck {
  return (value) => value === null || check(value);
}

export function isListOf(check: ValueCheck, max: number): ValueCheck {
  return (value) => Array.isArray(value) && value.length <= max && value.every(check);
}

/** An object with these fields and no other. Only the optional ones may be absent. */
export function isRecord(
  required: Record<string, ValueCheck>,
  optional: Record<string, ValueCheck> = {},
): ValueCheck {
  const byField = new Map([...Object.entries(required), ...Object.entries(optional)]);
  const needed = Object.keys(required);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const given = value as Record<string, unknown>;
    const fields = Object.keys(given);
    return (
      fields.length <= byField.size &&
      needed.every((field) => Object.hasOwn(given, field)) &&
      fields.every((field) => byField.get(field)?.(given[field]) === true)
    );
  };
}
