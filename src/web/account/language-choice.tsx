import { isLanguage, type Language, langTag, languages } from '../words/locale.ts';
import { browserLanguage, choose, chosenLanguage } from '../words/start.ts';
import { words } from '../words/words.ts';

/** The language of the pages in this browser. */
export function LanguageChoice() {
  const t = words.account.preferences;
  return (
    <label class="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
      <span class="text-sm font-medium">{t.language}</span>
      <select
        class="field sm:w-72"
        value={chosenLanguage() ?? ''}
        onChange={({ currentTarget: { value } }) => choose(isLanguage(value) ? value : null)}
      >
        <option value="">{t.asBrowser(languages[browserLanguage()])}</option>
        {Object.entries(languages).map(([language, name]) => (
          <option key={language} value={language} lang={langTag(language as Language)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
