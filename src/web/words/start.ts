import { chooseLanguage, isLanguage, type Language, langTag, spoken } from './locale.ts';
import { speak } from './words.ts';

const KEY = 'postern.language';

/** The language that was chosen in this browser; null where its own is followed. */
export function chosenLanguage(): Language | null {
  const stored = localStorage.getItem(KEY);
  return isLanguage(stored) ? stored : null;
}

/** Null follows the browser. Loads the page again, so that everything on it is in the new language. */
export function choose(language: Language | null): void {
  if (language === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, language);
  location.reload();
}

/** The first language that the browser accepts and the pages speak, or English. */
export function browserLanguage(): Language {
  return chooseLanguage(navigator.languages, null, undefined).language;
}

/** Finds and loads the language, before the first render. */
export async function startWords(): Promise<void> {
  const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hourCycle;
  const { language, locale } = chooseLanguage(navigator.languages, chosenLanguage(), clock);
  // If the language's file can't be loaded, the pages stay in English.
  await speak(language, locale).catch(() => {});
  document.documentElement.lang = langTag(spoken.language);
}
