import type { Area, Dictionary, Words } from './dictionary.ts';
import en from './en/index.ts';
import { type Language, spoken } from './locale.ts';

/*
 * Every text of the pages, in six languages. `words.account.keys.title` is the text, or a function that makes it from
 * amounts and names. English is the model: each other language `satisfies` its types, so a missing key fails tsc.
 * What the list needs is loaded before the first render, every other area with the first page or part that uses it.
 */

/** English is part of the first load; each other language is one more file. */
const others: Record<Exclude<Language, 'en'>, () => Promise<{ default: Dictionary }>> = {
  de: () => import('./de/index.ts'),
  fr: () => import('./fr/index.ts'),
  es: () => import('./es/index.ts'),
  ja: () => import('./ja/index.ts'),
  zh: () => import('./zh/index.ts'),
};

let dictionary: Dictionary = en;
/** Only for use while rendering: an area is there once the page that names it has been loaded. */
export const words = pickReady(en) as Words;

export async function speak(language: Language, locale: string): Promise<void> {
  dictionary = language === 'en' ? en : (await others[language]()).default;
  Object.assign(spoken, { language, locale });
  Object.assign(words, pickReady(dictionary));
}

export async function loadWords(areas: readonly Area[]): Promise<void> {
  const loaded = await Promise.all(
    areas.map(async (area) => [area, (await dictionary[area]()).default] as const),
  );
  Object.assign(words, Object.fromEntries(loaded));
}

/** The areas that are loaded with the language itself. */
function pickReady(all: Dictionary): Partial<Words> {
  return Object.fromEntries(Object.entries(all).filter(([, area]) => typeof area !== 'function'));
}
