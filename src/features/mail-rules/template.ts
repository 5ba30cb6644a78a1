/**
 * The body of a notice: JSON that the owner wrote, with placeholders such as {{subject}} in its strings. They are
 * filled in the parsed strings, and the whole is written as JSON again, so that nothing a sender writes can end a
 * string.
 */
import { mailRules as bounds } from '../../rules/mail-rules.ts';
import { placeholders } from '../../rules/notices.ts';

export type Placeholder = keyof typeof placeholders;

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Returns why a text is not a template; null if it is one. */
export function findTemplateFault(text: string): string | null {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch {
    return 'is not JSON: put placeholders such as {{subject}} inside strings';
  }
  if (!isShallow(json, bounds.templateDepthMax))
    return `is nested more than ${bounds.templateDepthMax} levels deep`;
  const names = listStrings(json).flatMap((one) =>
    [...one.matchAll(PLACEHOLDER)].map(([, name = '']) => name),
  );
  if (names.length > bounds.placeholdersMax) return `has more than ${bounds.placeholdersMax} placeholders`;
  const unknown = names.find((name) => !Object.hasOwn(placeholders, name.trim()));
  if (unknown === undefined) return null;
  return `has an unknown placeholder {{${unknown.slice(0, SHOWN_CHARS)}}}; known are ${Object.keys(placeholders).join(', ')}`;
}

const SHOWN_CHARS = 40;

/** Fills a template. Long values are cut, so that a sender can't make a notice too long for its receiver. */
export function fillTemplate(text: string, values: Record<Placeholder, string>): string {
  const fill = (value: Json): Json => {
    if (typeof value === 'string') return fillText(value, values);
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
  };
  return JSON.stringify(fill(JSON.parse(text)));
}

function fillText(text: string, values: Record<Placeholder, string>): string {
  return text.replace(PLACEHOLDER, (written, name: string) => {
    const known = name.trim() as Placeholder;
    return Object.hasOwn(values, known) ? cut(values[known]) : written;
  });
}

function cut(value: string): string {
  const max = bounds.placeholderCharsMax;
  return value.length > max ? `${value.slice(0, max - 1).toWellFormed()}…` : value.toWellFormed();
}

function listStrings(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(listStrings);
}

function isShallow(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
