/** The values in clients/contract/README.md (Values): templates, and matchers. */

export type Values = Record<string, unknown>;

/** Replaces `{name.field}` in every string. */
export function fill(template: unknown, values: Values): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) return template.map((item) => fill(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value, values)]));
}

const PLACE = /\{\{|\{([a-z_][\w.]*)\}/gi;

function fillText(text: string, values: Values): unknown {
  const whole = /^\{([a-z_][\w.]*)\}$/i.exec(text)?.[1];
  if (whole !== undefined) return find(whole, values);
  return text.replace(PLACE, (found, path?: string) =>
    path === undefined ? '{' : String(find(path, values) ?? found),
  );
}

function find(path: string, values: Values): unknown {
  const [name = '', ...rest] = path.split('.');
  if (!(name in values)) throw new Error(`{${path}}: nothing was saved as ${name}`);
  return rest.reduce<unknown>((value, key) => (value as Values | undefined)?.[key], values[name]);
}

/** Returns what is wrong with a value; null if it is as expected. `remembered` is for `$same`. */
export function compare(
  actual: unknown,
  expected: unknown,
  remembered: Map<string, unknown>,
  at = '',
): string | null {
  const matcher = readMatcher(expected);
  if (matcher) return match(actual, matcher, remembered, at);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${at} is ${show(actual)}, not an array`;
    if (actual.length !== expected.length)
      return `${at} has ${actual.length} items, not ${expected.length}: ${show(actual)}`;
    return first(expected.map((item, index) => compare(actual[index], item, remembered, `${at}[${index}]`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return `${at} is ${show(actual)}, not an object`;
    return first(
      Object.entries(expected).map(([name, value]) =>
        compare((actual as Values)[name], value, remembered, `${at}.${name}`),
      ),
    );
  }
  return actual === expected ? null : `${at} is ${show(actual)}, not ${show(expected)}`;
}

type Matcher = [name: string, argument: unknown];

function readMatcher(expected: unknown): Matcher | null {
  if (typeof expected !== 'object' || expected === null) return null;
  const entries = Object.entries(expected);
  return entries.length === 1 && entries[0]?.[0].startsWith('$') ? entries[0] : null;
}

function match(
  actual: unknown,
  [name, wanted]: Matcher,
  remembered: Map<string, unknown>,
  at: string,
): string | null {
  const isWell = (() => {
    switch (name) {
      case '$type':
        return readType(actual) === wanted;
      case '$pattern':
        return typeof actual === 'string' && new RegExp(String(wanted)).test(actual);
      case '$length':
        return Array.isArray(actual) && actual.length === wanted;
      case '$has':
        return Array.isArray(actual) && actual.some((item) => compare(item, wanted, remembered) === null);
      case '$not':
        return compare(actual, wanted, remembered) !== null;
      case '$absent':
        return actual === undefined;
      case '$same': {
        const known = String(wanted);
        if (!remembered.has(known) && actual !== undefined) remembered.set(known, actual);
        return actual !== undefined && remembered.get(known) === actual;
      }
      default:
        throw new Error(`there is no matcher ${name}`);
    }
  })();
  return isWell ? null : `${at} is ${show(actual)}, which ${name} ${show(wanted)} does not match`;
}

function readType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function first(faults: (string | null)[]): string | null {
  return faults.find((fault) => fault !== null) ?? null;
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 300);
}
