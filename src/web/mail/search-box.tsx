import { computed, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Misread, SEARCH_CHARS_MAX, searchTokens } from '../../rules/search-language.ts';
import { readAddress, readName } from '../format.ts';
import { Icon } from '../icons.tsx';
import { useKeys } from '../keys.ts';
import { loadWords, words } from '../words/words.ts';
import { inboxes } from './inboxes.ts';
import { rows } from './list.ts';
import { draft, endTyping, readSearch, searchFor, type } from './search-text.ts';
import type { Known, Suggestion } from './suggest.ts';

/** Most rows of the list that are searched for senders and tags to suggest. */
const SEARCHED_ROWS_MAX = 2_000;

const known = computed((): Known => {
  const recent = rows.value.slice(0, SEARCHED_ROWS_MAX);
  const senders = new Map(recent.map(({ from }) => [readAddress(from).toLowerCase(), from]));
  return {
    senders: Array.from(senders, ([address, from]) => ({ address, name: readName(from) })),
    recipients: [...new Set(recent.map((row) => row.envelope_recipient.toLowerCase()))],
    inboxes: inboxes.value,
    tags: [...new Set(recent.flatMap(({ tags }) => tags))].sort(),
    today: new Date(),
  };
});

const isOpen = signal(false);

/** The module that makes suggestions, loaded when the field first gets the focus. */
const suggesting = signal<typeof import('./suggest.ts') | null>(null);

async function loadSuggestions(): Promise<void> {
  const [loaded] = await Promise.all([import('./suggest.ts'), loadWords(['search'])]);
  suggesting.value = loaded;
}

type Input = { current: HTMLInputElement | null };

/** The suggestions at the caret, and what the field's keys do with them. */
function useSuggestions(input: Input) {
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(-1);
  const maker = isOpen.value && suggesting.value;
  const found = maker ? maker.suggest(draft.value, caret, known.value) : { from: 0, to: 0, list: [] };
  const { list } = found;
  const current = Math.min(at, list.length - 1);
  /** After the text or the caret has moved. */
  const follow = () => {
    setCaret(input.current?.selectionStart ?? draft.peek().length);
    setAt(-1);
  };
  const close = () => {
    isOpen.value = false;
    setAt(-1);
  };
  const choose = (one: Suggestion) => {
    const done = suggesting.peek()!.accept(draft.peek(), found, one);
    type(done.text);
    setCaret(done.caret);
    setAt(-1);
    const element = input.current!;
    element.value = done.text;
    element.focus();
    element.setSelectionRange(done.caret, done.caret);
    isOpen.value = !one.isWhole;
  };
  const move = (by: number) => {
    if (isOpen.value && list.length > 0) {
      setAt((Math.max(current, by < 0 ? 0 : -1) + by + list.length) % list.length);
    }
    isOpen.value = true;
  };
  /** Tab accepts the first suggestion for a term that has begun; otherwise it leaves the field. */
  const findChosen = ({ key, shiftKey }: KeyboardEvent): Suggestion | undefined => {
    if (key === 'Enter') return list[current];
    if (key !== 'Tab' || shiftKey) return undefined;
    return list[found.from < found.to ? Math.max(0, current) : current];
  };
  return { list, current, setAt, follow, close, choose, move, findChosen };
}

/** The search, with suggestions for the term that is typed. */
export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const { list, current, setAt, follow, close, choose, move, findChosen } = useSuggestions(input);
  useKeys({ '/': () => input.current?.focus() });
  useEffect(() => () => endTyping(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const chosen = findChosen(event);
    if (key === 'ArrowDown') move(1);
    else if (key === 'ArrowUp') move(-1);
    else if (chosen) choose(chosen);
    else if (key === 'Enter') {
      close();
      searchFor(draft.peek());
    } else if (key !== 'Escape') return;
    else if (list.length > 0) close();
    else input.current?.blur();
    event.preventDefault();
  };
  const open = () => {
    isOpen.value = true;
    // Without a server there are no suggestions.
    loadSuggestions().catch(() => {});
    follow();
  };
  return (
    <div class="relative min-w-0 flex-1">
      <Icon name="search" class="pointer-events-none absolute top-1/2 left-2 -translate-y-1/2 text-faint" />
      <Combobox
        input={input}
        isExpanded={list.length > 0}
        current={current}
        events={{
          onInput: ({ currentTarget }) => {
            type(currentTarget.value);
            open();
          },
          onFocus: open,
          onClick: follow,
          onKeyUp: ({ key }) => {
            if (/^(Arrow(Left|Right)|Home|End)$/.test(key)) follow();
          },
          onBlur: () => {
            close();
            endTyping();
          },
          onKeyDown,
        }}
      />
      <ClearButton input={input} />
      <SuggestionList list={list} current={current} onChoose={choose} onPoint={setAt} />
    </div>
  );
}

interface ComboboxProps {
  input: Input;
  isExpanded: boolean;
  current: number;
  events: {
    onInput: (event: { currentTarget: HTMLInputElement }) => void;
    onFocus: () => void;
    onClick: () => void;
    onKeyUp: (event: KeyboardEvent) => void;
    onBlur: () => void;
    onKeyDown: (event: KeyboardEvent) => void;
  };
}

function Combobox({ input, isExpanded, current, events }: ComboboxProps) {
  return (
    <input
      ref={input}
      type="text"
      inputMode="search"
      enterKeyHint="search"
      role="combobox"
      aria-label={words.list.search.title}
      aria-autocomplete="list"
      aria-expanded={isExpanded}
      aria-controls="search-suggestions"
      aria-activedescendant={current >= 0 ? `suggestion-${current}` : undefined}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      maxLength={SEARCH_CHARS_MAX}
      class="field pr-8 pl-8 text-ellipsis"
      placeholder={words.list.search.title}
      value={draft.value}
      {...events}
    />
  );
}

/** Clears the search; while the field is empty, shows its shortcut instead. */
function ClearButton({ input }: { input: Input }) {
  if (draft.value === '') {
    return (
      <kbd class="key pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 pointer-coarse:hidden">
        /
      </kbd>
    );
  }
  return (
    <button
      type="button"
      class="absolute top-1/2 right-1 grid size-7 -translate-y-1/2 place-items-center rounded-md text-faint hover:bg-hover hover:text-ink"
      aria-label={words.list.search.clear}
      title={words.list.search.clear}
      onClick={() => {
        searchFor('');
        input.current?.focus();
      }}
    >
      <Icon name="close" class="size-3.5!" />
    </button>
  );
}

interface SuggestionListProps {
  list: readonly Suggestion[];
  current: number;
  onChoose: (one: Suggestion) => void;
  onPoint: (index: number) => void;
}

function SuggestionList({ list, current, onChoose, onPoint }: SuggestionListProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div
      ref={box}
      id="search-suggestions"
      role="listbox"
      // Otherwise the Tab key stops at the scrollable list, which then disappears.
      tabIndex={-1}
      aria-label={words.list.search.suggestions}
      hidden={list.length === 0}
      class="absolute inset-x-0 top-full z-30 max-w-xl mt-1 max-h-96 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float"
    >
      {list.map((one, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
        <div
          key={one.written}
          id={`suggestion-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === current}
          class={`flex cursor-pointer items-baseline gap-3 rounded-md px-2 py-1.5 ${
            index === current ? 'bg-tint text-tintink' : ''
          }`}
          onMouseMove={() => onPoint(index)}
          // The field would lose the focus before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(one)}
        >
          <span class="max-w-3/4 min-w-24 flex-none truncate font-mono text-sm">{one.written}</span>
          <span class={`min-w-0 flex-1 truncate text-xs ${index === current ? '' : 'text-faint'}`}>
            {one.about}
          </span>
        </div>
      ))}
    </div>
  );
}

/** The parts of the search that were not understood. */
export function SearchNotes() {
  const { misread } = readSearch();
  return (
    <div role="status" class="text-xs text-warn empty:hidden">
      {misread.slice(0, 3).map((each) => (
        <p key={each.name} class="mt-1.5 wrap-anywhere">
          {explain(each)}
        </p>
      ))}
    </div>
  );
}

function explain({ name, token }: Misread): string {
  const t = words.list.search.misread;
  const takes = token && searchTokens[token].takes;
  if (takes === null) return t.unknown(name);
  if (takes === 'time' || takes === 'size') return t[takes](name);
  return t.choice(name, typeof takes === 'string' ? takes : takes.join(', '));
}
