import { Part } from '../rows.tsx';
import { type Language, langTag, languages } from '../words/locale.ts';
import { choose, chosenLanguage } from '../words/start.ts';
import { words } from '../words/words.ts';

/** The language of the pages in this browser. */
export function LanguageChoice() {
  const t = words.account.profile;
  return (
    <Part title={t.language} about={t.languageAbout}>
      <select
        class="field max-w-72"
        aria-label={t.language}
        value={chosenLanguage()}
        onChange={({ currentTarget: { value } }) => choose(value as Language)}
      >
        {Object.entries(languages).map(([language, name]) => (
          <option key={language} value={language} lang={langTag(language as Language)}>
            {name}
          </option>
        ))}
      </select>
    </Part>
  );
}
