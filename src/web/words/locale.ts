/**
 * The language of the pages and how it writes dates, numbers and plurals. Set once, before the first render: choosing
 * another language loads the page again.
 */
export const spoken: { language: Language; locale: string } = { language: 'en', locale: 'en' };

/** The languages of the pages, by their own names. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  zh: '简体中文',
} as const;

export type Language = keyof typeof languages;

export function isLanguage(name: string | null): name is Language {
  return name !== null && Object.hasOwn(languages, name);
}

/** `lang` of the page, from which a browser also chooses the right Han characters. */
export function langTag(language: Language): string {
  return language === 'zh' ? 'zh-Hans' : language;
}

/**
 * The language and the locale for someone whose browser accepts these tags, best first, and who may have chosen a
 * language here. The locale is the browser's own if it is of that language: `de-AT`, `en-GB`.
 */
export function chooseLanguage(
  accepted: readonly string[],
  chosen: string | null,
  clock: string | undefined,
): { language: Language; locale: string } {
  const known = accepted.flatMap((tag) => {
    const language = findLanguage(tag);
    return language ? [{ language, locale: tag }] : [];
  });
  if (!isLanguage(chosen) && known[0]) return known[0];
  const language = isLanguage(chosen) ? chosen : 'en';
  const own = known.find((each) => each.language === language);
  if (own) return own;
  // English without a region says nothing about the clock, so it is the one that the browser uses.
  const locale = language === 'en' && clock ? `en-u-hc-${clock}` : langTag(language);
  return { language, locale };
}

/** The language of a tag. Traditional Chinese is not ours: its readers get the next language that they accept. */
function findLanguage(tag: string): Language | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return isLanguage(language) && (language !== 'zh' || script === 'Hans') ? language : undefined;
  } catch {
    return undefined;
  }
}
