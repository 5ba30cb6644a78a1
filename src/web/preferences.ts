import { signal } from '@preact/signals';

/*
 * A person's preferences in this browser. To add one, give it its type, its default and its check below;
 * read it as `preferences.value.density`, and set it with `prefer({ density: 'compact' })`. Theme and notifications
 * have stores of their own (theme.ts, mail/live.ts): both are needed before anything else is.
 */

export interface Preferences {
  /** IANA name, or `''` for the browser's own. */
  timeZone: string;
  /** Height of the list's rows. */
  density: 'comfortable' | 'compact';
  /** Messages that the list loads at a time. */
  pageRows: 25 | 50 | 100;
  /** When an opened message is marked as read. */
  markRead: 'at_once' | 'after_2_s' | 'never';
}

const defaults: Preferences = {
  timeZone: '',
  density: 'comfortable',
  pageRows: 100,
  markRead: 'at_once',
};

/** Valid values of each. The browser's storage may hold anything: from an older version, or edited by hand. */
const checks: { [Name in keyof Preferences]: (value: unknown) => boolean } = {
  timeZone: (value) => typeof value === 'string' && isTimeZone(value),
  density: isAmong('comfortable', 'compact'),
  pageRows: isAmong(25, 50, 100),
  markRead: isAmong('at_once', 'after_2_s', 'never'),
};

const KEY = 'postern.preferences';

export const preferences = signal<Readonly<Preferences>>(
  // Tests of what the pages format run without a browser.
  readStored(globalThis.localStorage?.getItem(KEY) ?? null),
);

export function prefer(changed: Partial<Preferences>): void {
  preferences.value = { ...preferences.peek(), ...changed };
  localStorage.setItem(KEY, JSON.stringify(preferences.peek()));
}

/** Follows changes made in another tab. */
addEventListener('storage', (event: Event) => {
  const { key, newValue } = event as Event & Record<'key' | 'newValue', string | null>;
  if (key === KEY) preferences.value = readStored(newValue);
});

/** Returns the defaults, overridden by the stored values that are valid. */
function readStored(text: string | null): Preferences {
  const found: Partial<Record<string, unknown>> = parseObject(text);
  const kept = Object.entries(checks).filter(([name, isValid]) => isValid(found[name]));
  return { ...defaults, ...Object.fromEntries(kept.map(([name]) => [name, found[name]])) };
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function isAmong(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat(undefined, name === '' ? {} : { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
