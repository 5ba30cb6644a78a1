import { spoken } from './locale.ts';

/** Amounts and lists in the language of the pages. */

const made = new Map<string, unknown>();

/** A formatter for the current locale, made once: making one takes far longer than using it. */
export function forLocale<Format>(name: string, make: (locale: string) => Format): Format {
  const key = `${name} ${spoken.locale}`;
  if (!made.has(key)) made.set(key, make(spoken.locale));
  return made.get(key) as Format;
}

/** The percentage of a share from 0 to 1, with at most one decimal. */
export function percent(share: number): string {
  return forLocale(
    'percent',
    (locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
  ).format(share);
}

export function number(value: number): string {
  return forLocale('number', (locale) => new Intl.NumberFormat(locale)).format(value);
}

/** The form of a text for this amount. Every language has `other`; the rest are those of Intl.PluralRules. */
export function plural(
  amount: number,
  forms: { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>,
): string {
  return forms[forLocale('plural', (locale) => new Intl.PluralRules(locale)).select(amount)] ?? forms.other;
}

/** `a, b or c`. */
export function joinWithOr(names: readonly string[]): string {
  return forLocale('or', (locale) => new Intl.ListFormat(locale, { type: 'disjunction' })).format(names);
}
