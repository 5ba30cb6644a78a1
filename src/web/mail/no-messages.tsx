import { splitSearchQuery } from '../../rules/search-language.ts';
import { LoadedPage } from '../loaded-page.tsx';
import { Empty } from '../parts.tsx';
import { go, pathTo, withSearch } from '../router.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { search, searchFor, withoutTerm } from './search-text.ts';
import { shownInbox, shownMessage } from './store.ts';

const loadFirstSteps = () => import('./first-steps.tsx');

/** The list without a message. */
export function NoMessages() {
  if (search.value.trim() !== '') return <NoMatch />;
  const inbox = shownInbox.value;
  if (shownMessage.value === null && inbox !== null) {
    return <LoadedPage key={inbox} load={loadFirstSteps} areas={['trap', 'steps']} rest={[inbox]} />;
  }
  return (
    <Empty icon="inbox" title={words.list.empty}>
      {words.list.emptyBody}
    </Empty>
  );
}

/** Characters of the text that are searched (docs/search.md). */
const SEARCHED_CHARS = 1_200;
/** Terms that are offered to be left out. */
const OFFERED_MAX = 4;

function NoMatch() {
  const t = words.search.noMatch;
  const text = search.value;
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
          {words.search.clear}
        </button>
      </div>
      <p class="mt-4 text-xs text-faint">{t.searched(number(SEARCHED_CHARS))}</p>
    </Empty>
  );
}
