import { Icon } from '../icons.tsx';
import { words } from '../words/words.ts';
import {
  draft,
  filters,
  hasFilter,
  listTokens,
  searchFor,
  toggleFilter,
  withoutTerm,
} from './search-text.ts';

/** The filters as buttons, and the tokens of the search, each with a button that removes it. */
export function SearchFilters() {
  const text = draft.value;
  return (
    <div class="flex min-w-0 flex-wrap gap-1.5">
      {filters.map(([written, name]) => {
        const isOn = hasFilter(text, written);
        return (
          <button
            key={written}
            type="button"
            aria-pressed={isOn}
            title={written}
            class={`chip ${isOn ? 'border-accent bg-tint text-tintink' : 'border-edge text-soft hover:bg-hover'}`}
            onClick={() => searchFor(toggleFilter(text, written))}
          >
            {words.list.search.filters[name]}
          </button>
        );
      })}
      {listTokens(text).map((term) => {
        const written = text.slice(term.from, term.to);
        return (
          <button
            key={term.from}
            type="button"
            class="chip max-w-56 border-accent bg-tint text-tintink"
            aria-label={words.frame.removeOne(written)}
            title={words.frame.removeOne(written)}
            onClick={() => searchFor(withoutTerm(text, term))}
          >
            <span class="truncate">{written}</span>
            <Icon name="close" class="-mr-1 size-3!" />
          </button>
        );
      })}
    </div>
  );
}
