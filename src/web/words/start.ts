import { chooseLanguage, isLanguage, type Language, langTag, spoken } from './locale.ts';
import { speak } from './words.ts';

const KEY = 'postern.language';

/**
 * The language that was chosen in this browser. English unless one was: while the mail pages (src/web/mail) are English
 * alone, the browser's own language would mix two.
 */
export function chosenLanguage(): Language {
  const stored = localStorage.getItem(KEY);
  return isLanguage(stored) ? stored : 'en';
}

/** Loads the page again, so that everything on it is in the new language. */
export function choose(language: Language): void {
  if (language === 'en') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, language);
  location.reload();
}

/** Finds and loads the language, before the first render. */
export async function startWords(): Promise<void> {
  const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hourCycle;
  const { language, locale } = chooseLanguage(navigator.languages, chosenLanguage(), clock);
  // English is there already, in case the file of another language is not.
  await speak(language, locale).catch(() => {});
  document.documentElement.lang = langTag(spoken.language);
}
