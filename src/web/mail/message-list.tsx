import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../keys.ts';
import { Empty, IconButton, Skeleton } from '../parts.tsx';
import { preferences } from '../preferences.ts';
import { words } from '../words/words.ts';
import { rowPx, WIDE_PX } from './density.ts';
import { expectMessage } from './expected.ts';
import { collectIds, type Group } from './groups.ts';
import { aimListeners, shownGroups } from './held-rows.ts';
import {
  cursor,
  groups,
  isAway,
  isStale,
  listFault,
  listState,
  loadedList,
  loadList,
  loadMore,
  mark,
  rows,
  selected,
} from './list.ts';
import { ListHead } from './list-head.tsx';
import { NoMessages } from './no-messages.tsx';
import { countMarks, findLook, openRow, renderRow, toggleSelected } from './row.tsx';
import { SearchBox, SearchNotes } from './search-box.tsx';
import { SearchFilters } from './search-filters.tsx';
import { shownMessage } from './shown.ts';
import { removeWithUndo } from './undoable.ts';
import { Virtual } from './virtual.tsx';

/** The messages of one inbox or of all, newest first. */
export function MessageList() {
  const box = useRef<HTMLElement>(null);
  const isWide = useIsWide(box);
  useListKeys();
  return (
    <section ref={box} class="flex h-full min-h-0 flex-col" aria-label={words.frame.help.messages}>
      <ListHead isWide={isWide} />
      <div class="border-b border-line px-3 pb-2.5">
        <div class={isWide ? 'flex items-center gap-3' : 'space-y-2'}>
          <SearchBox />
          <SearchFilters />
        </div>
        <SearchNotes />
      </div>
      {selected.value.size > 0 && <SelectionBar />}
      <Body isWide={isWide} />
    </section>
  );
}

/** Whether the list has room for columns. */
function useIsWide(box: { current: HTMLElement | null }): boolean {
  const [isWide, setIsWide] = useState(false);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setIsWide(element.clientWidth >= WIDE_PX));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return isWide;
}

function useListKeys(): void {
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    o: () => step(0),
    x: () => {
      const group = findActed();
      if (group) toggleSelected(group);
    },
    e: () => {
      const acted = listActed();
      if (acted.length > 0)
        void mark(
          acted,
          groups.peek().some(({ ids, isUnread }) => isUnread && acted.includes(ids[0]!)),
        );
    },
    '#': () => void removeWithUndo(listActed()),
    Delete: () => void removeWithUndo(listActed()),
    Escape: () => {
      selected.value = new Set();
    },
  });
}

/** Index of the open message's row, read when a key is pressed: the last rendering may be older. */
const findShown = () => groups.peek().findIndex(({ ids }) => ids.includes(shownMessage.peek() ?? ''));
const findCursor = () => groups.peek().findIndex(({ row }) => row.id === cursor.peek());
const findActed = () => groups.peek()[findShown() >= 0 ? findShown() : findCursor()];

/** Returns the messages that a key acts on: the selected ones, otherwise those of the open row or the row at the cursor. */
function listActed(): string[] {
  return selected.peek().size > 0 ? [...selected.peek()] : (findActed()?.ids ?? []);
}

/** Opens the next or previous row. After a deletion, the next row is the one that moved into its place. */
function step(by: 1 | 0 | -1): void {
  const list = groups.peek();
  const [shown, at] = [findShown(), findCursor()];
  const index = shown >= 0 ? shown + by : at >= 0 ? at + Math.min(0, by) : 0;
  const next = Math.min(list.length - 1, Math.max(0, index));
  const group = list[next];
  if (!group) return;
  openRow(group);
  // A reader who moves by keys is likely to open this one next.
  if (by !== 0) expectMessage(list[next + by]?.row.id);
}

function Body({ isWide }: { isWide: boolean }) {
  // A new function each day, because a row says the time of today's mail and the date of any other.
  const today = new Date().toDateString();
  const render = useCallback(
    (group: Group, marks: number) => renderRow(group, marks, isWide),
    [isWide, today],
  );
  if (listState.value === 'loading') return <Skeleton rows={7} />;
  if (listState.value === 'failed') {
    return (
      <Empty icon="warn" title={words.list.failed}>
        <p>{listFault.value}</p>
        <button type="button" class="button mt-3" onClick={() => void loadList()}>
          {words.list.tryAgain}
        </button>
      </Empty>
    );
  }
  const list = shownGroups.value;
  if (list.length === 0) return isStale.value ? <Skeleton rows={7} /> : <NoMessages />;
  const shown = shownMessage.value;
  return (
    <Virtual
      key={loadedList.value}
      rows={list}
      findKey={({ row }) => row.id}
      findLook={findLook}
      height={rowPx[isWide ? 'wide' : 'narrow'][preferences.value.density]}
      current={
        shown === null
          ? list.findIndex(({ row }) => row.id === cursor.value)
          : list.findIndex(({ ids }) => ids.includes(shown))
      }
      label={words.list.label}
      listeners={aimListeners}
      onNearEnd={() => void loadMore()}
      onScroll={(away) => {
        isAway.value = away;
      }}
      countMarks={countMarks}
      render={render}
    />
  );
}

function SelectionBar() {
  const t = words.list.selection;
  const ids = [...selected.value];
  const chosen = groups.value.filter((group) => group.ids.some((id) => selected.value.has(id)));
  const clear = () => {
    selected.value = new Set();
  };
  const someUnread = chosen.some(({ isUnread }) => isUnread);
  return (
    <div
      class="flex items-center gap-1 border-b border-line bg-tint px-3 py-1.5 text-tintink"
      role="toolbar"
      aria-label={t.title}
    >
      <span class="flex-1 text-sm font-medium tabular-nums">{t.count(chosen.length)}</span>
      <button
        type="button"
        class="button button-quiet"
        onClick={() => {
          selected.value = collectIds(rows.peek());
        }}
      >
        {t.all(groups.value.length)}
      </button>
      <IconButton
        icon={someUnread ? 'read' : 'unread'}
        label={someUnread ? words.list.markRead : words.list.markUnread}
        onClick={() => void mark(ids, someUnread).then(clear)}
      />
      <IconButton
        icon="trash"
        label={words.frame.delete}
        shortcut="#"
        onClick={() => void removeWithUndo(ids)}
      />
      <IconButton icon="close" label={t.clear} shortcut="Esc" onClick={clear} />
    </div>
  );
}
