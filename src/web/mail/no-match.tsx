import { splitSearchQuery } from '../../rules/search-language.ts';
import { Empty } from '../parts.tsx';
import { go, pathTo, searched, withSearch } from '../router.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { searchFor, withoutTerm } from './search-text.ts';
import { shownInbox } from './shown.ts';

/** Characters of the text that are searched (docs/search.md). */
const SEARCHED_CHARS = 1_200;
/** How many terms of the search the page offers to remove. */
const OFFERED_MAX = 4;

/** Shown instead of the list when a search found nothing. */
export function NoMatch() {
  const t = words.search.noMatch;
  const text = searched.value;
  const terms = splitSearchQuery(text);
  return (
    <Empty icon="search" title={t.title}>
      <p>{t.body}</p>
      <div class="mt-4 flex flex-wrap justify-center gap-2">
        {terms.length > 1 &&
          terms.slice(0, OFFERED_MAX).map((term) => (
            <button
              key={term.from}
              type="button"
              class="button max-w-full"
              onClick={() => searchFor(withoutTerm(text, term))}
            >
              <span class="truncate">{t.without(text.slice(term.from, term.to))}</span>
            </button>
          ))}
        {shownInbox.value !== 'all' && (
          <button type="button" class="button" onClick={() => go(withSearch(pathTo('all'), text))}>
            {t.everywhere}
          </button>
        )}
        <button type="button" class="button" onClick={() => searchFor('')}>
          {words.list.search.clear}
        </button>
      </div>
      <p class="mt-4 text-xs text-faint">{t.searched(number(SEARCHED_CHARS))}</p>
    </Empty>
  );
}
