import { useRef } from 'preact/hooks';
import type { MessageInList } from '../../doors/dashboard/wire.ts';
import { nameOf, shortTime, split } from '../format.ts';
import { Icon } from '../icons.tsx';
import { useKeys } from '../keys.ts';
import { Empty, IconButton, Skeleton } from '../parts.tsx';
import { go, Link, pathTo } from '../router.tsx';
import { copy } from '../toast.tsx';
import { confirmRemove } from './actions.tsx';
import { toggled } from './filter.ts';
import { ListHead } from './list-head.tsx';
import { expectMessage } from './opened.ts';
import {
  fresh,
  listState,
  loadList,
  loadMore,
  mark,
  rows,
  search,
  searchNote,
  selected,
  shownInbox,
  shownMessage,
} from './store.ts';
import { Virtual } from './virtual.tsx';

const ROW_PX = 76;

/** The messages of one inbox or of all, newest first. */
export function MessageList() {
  const input = useRef<HTMLInputElement>(null);
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    o: () => step(findCurrent() < 0 ? 1 : 0),
    x: () => {
      const row = rows.peek()[findCurrent()];
      if (row) toggleSelected(row.id);
    },
    Escape: () => {
      selected.value = new Set();
    },
    '/': () => input.current?.focus(),
  });
  return (
    <section class="flex h-full min-h-0 flex-col" aria-label="Messages">
      <ListHead />
      <div class="border-b border-line px-3 pb-2.5">
        <label class="relative block">
          <span class="sr-only">Search messages</span>
          <Icon
            name="search"
            class="pointer-events-none absolute top-1/2 left-2 -translate-y-1/2 text-faint"
          />
          <input
            ref={input}
            type="search"
            class="field pl-8"
            placeholder="Search messages"
            title="from:ann subject:code body:hello has:attachment is:unread after:2026-11-01 -tag:ci"
            value={search.value}
            onInput={({ currentTarget }) => {
              search.value = currentTarget.value;
            }}
            onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          />
        </label>
        {searchNote.value && (
          <p class="mt-1 truncate text-xs text-faint" role="status">
            {searchNote.value}
          </p>
        )}
        <Chips />
      </div>
      {selected.value.size > 0 && <SelectionBar />}
      <Body current={rows.value.findIndex(({ id }) => id === shownMessage.value)} />
    </section>
  );
}

function Chips() {
  return (
    <div class="mt-2 flex gap-1.5">
      {[
        ['is:unread', 'Unread'],
        ['has:code', 'Codes'],
      ].map(([word = '', name]) => {
        const isOn = search.value.split(/\s+/).includes(word);
        return (
          <button
            key={word}
            type="button"
            aria-pressed={isOn}
            class={`h-6 rounded-full border px-2.5 text-xs font-medium pointer-coarse:h-8 pointer-coarse:px-3.5 ${
              isOn ? 'border-accent bg-tint text-tintink' : 'border-edge text-soft hover:bg-hover'
            }`}
            onClick={() => {
              search.value = toggled(search.value, word);
            }}
          >
            {name}
          </button>
        );
      })}
    </div>
  );
}

function Body({ current }: { current: number }) {
  if (listState.value === 'loading') return <Skeleton rows={7} />;
  if (listState.value === 'failed') {
    return (
      <Empty icon="warn" title="Messages could not be loaded">
        <button type="button" class="button mt-3" onClick={() => void loadList()}>
          Try again
        </button>
      </Empty>
    );
  }
  if (rows.value.length === 0) return <NoMessages />;
  return (
    <Virtual
      rows={rows.value}
      keyOf={({ id }) => id}
      height={ROW_PX}
      current={current}
      label="Messages, newest first"
      onNearEnd={() => void loadMore()}
      render={(row) => <Row row={row} isCurrent={row.id === shownMessage.value} />}
    />
  );
}

function NoMessages() {
  if (search.value.trim()) {
    return (
      <Empty icon="search" title="No matching messages">
        <button
          type="button"
          class="button mt-3"
          onClick={() => {
            search.value = '';
          }}
        >
          Clear search
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="inbox" title="No messages yet">
      New messages appear here as they arrive.
    </Empty>
  );
}

/** Index of the open message when a key is pressed: the last rendering may be older. */
const findCurrent = () => rows.peek().findIndex(({ id }) => id === shownMessage.peek());

/** Opens the message `by` rows further down. */
function step(by: number): void {
  const at = Math.min(rows.peek().length - 1, Math.max(0, findCurrent() + by));
  const row = rows.peek()[at];
  if (!row) return;
  expectMessage(row.id);
  go(rowPath(row), { replace: shownMessage.peek() !== null });
  expectMessage(rows.peek()[at + by]?.id);
}

function rowPath({ inbox_id, id }: MessageInList): string {
  return shownInbox.peek() === 'all' ? pathTo('all', id) : pathTo('inbox', inbox_id, id);
}

function toggleSelected(id: string): void {
  const next = new Set(selected.peek());
  if (!next.delete(id)) next.add(id);
  selected.value = next;
}

function Row({ row, isCurrent }: { row: MessageInList; isCurrent: boolean }) {
  const isSelected = selected.value.has(row.id);
  // The whole recipient: with its +tag, or whatever reached a catch-all.
  const recipient = row.envelope_recipient;
  const isToShown = shownInbox.value === 'all' || recipient.toLowerCase() !== row.address;
  const ground = isSelected || isCurrent ? 'bg-tint' : 'hover:bg-hover';
  return (
    <div
      class={`group relative flex h-full items-stretch border-b border-line ${ground} ${
        fresh.value.has(row.id) ? 'fresh' : ''
      }`}
    >
      {isCurrent && <span class="absolute inset-y-0 left-0 w-0.5 bg-accent" />}
      <label class="relative z-10 grid w-9 flex-none cursor-pointer place-items-center">
        <span class="sr-only">Select {row.subject || 'message'}</span>
        <input
          type="checkbox"
          class={`peer size-4 accent-accent focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100 ${
            isSelected || selected.value.size > 0 ? '' : 'opacity-0'
          }`}
          checked={isSelected}
          onChange={() => toggleSelected(row.id)}
        />
        {!row.read && !isSelected && selected.value.size === 0 && (
          <span class="pointer-events-none absolute size-2 rounded-full bg-accent group-hover:hidden peer-focus-visible:hidden pointer-coarse:top-3.5 pointer-coarse:size-2" />
        )}
      </label>
      <div class="flex min-w-0 flex-1 flex-col justify-center py-2 pr-3">
        <div class="flex items-baseline gap-2">
          <span class={`min-w-0 flex-1 truncate ${row.read ? 'text-soft' : 'font-semibold'}`}>
            <bdi>{nameOf(row.from)}</bdi>
          </span>
          {row.attachment_count > 0 && <Icon name="clip" class="size-3.5! self-center text-faint" />}
          <time class="text-xs text-faint tabular-nums" dateTime={row.received_at}>
            {shortTime(row.received_at)}
          </time>
        </div>
        <div class="flex items-center gap-2">
          <Link
            to={rowPath(row)}
            aria-current={isCurrent ? 'true' : undefined}
            onPointerDown={() => expectMessage(row.id)}
            class={`min-w-0 flex-1 truncate before:absolute before:inset-0 ${row.read ? '' : 'font-medium'}`}
          >
            {!row.read && <span class="sr-only">Unread: </span>}
            <bdi>{row.subject || '(no subject)'}</bdi>
          </Link>
          <Tags tags={row.tags} />
          <Finding row={row} />
        </div>
        {isToShown && <To address={recipient} />}
      </div>
    </div>
  );
}

function To({ address }: { address: string }) {
  const [local, domain] = split(address);
  return (
    <div class="truncate text-xs text-faint">
      to {local}
      {domain}
    </div>
  );
}

/** Tags that a row has room for. */
const SHOWN_TAGS = 2;

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const more = tags.length - SHOWN_TAGS;
  return (
    <span class="flex max-w-1/2 flex-none gap-1" title={tags.join(', ')}>
      <span class="sr-only">Tags: {tags.join(', ')}</span>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <span key={tag} class="tag block! min-w-0 truncate" aria-hidden="true">
          {tag}
        </span>
      ))}
      {more > 0 && (
        <span class="tag flex-none" aria-hidden="true">
          +{more}
        </span>
      )}
    </span>
  );
}

/** The code, which a click copies without opening the message, or a tag that there is a link. */
function Finding({ row: { otp, magic_link } }: { row: MessageInList }) {
  if (otp) {
    return (
      <button
        type="button"
        class="relative z-10 flex-none rounded-sm bg-surface px-1.5 font-mono text-sm font-semibold text-tintink ring-1 ring-line after:absolute after:-inset-x-1 after:-inset-y-2 hover:bg-accent hover:text-onaccent"
        title="Copy code"
        aria-label={`Copy code ${otp}`}
        onClick={() => void copy(otp, `Code ${otp}`)}
      >
        {otp}
      </button>
    );
  }
  if (!magic_link) return null;
  return (
    <span class="tag flex-none">
      <Icon name="link" class="size-3!" />
      link
    </span>
  );
}

function SelectionBar() {
  const ids = [...selected.value];
  const clear = () => {
    selected.value = new Set();
  };
  const someUnread = rows.value.some((row) => selected.value.has(row.id) && !row.read);
  return (
    <div
      class="flex items-center gap-1 border-b border-line bg-tint px-3 py-1.5 text-tintink"
      role="toolbar"
      aria-label="Selected messages"
    >
      <span class="flex-1 text-sm font-medium tabular-nums">{ids.length} selected</span>
      <button
        type="button"
        class="button button-quiet"
        onClick={() => {
          selected.value = new Set(rows.peek().map(({ id }) => id));
        }}
      >
        Select all {rows.value.length}
      </button>
      <IconButton
        icon={someUnread ? 'read' : 'unread'}
        label={someUnread ? 'Mark as read' : 'Mark as unread'}
        onClick={() => void mark(ids, someUnread).then(clear)}
      />
      <IconButton icon="trash" label="Delete" shortcut="#" onClick={() => void confirmRemove(ids)} />
      <IconButton icon="close" label="Clear selection" shortcut="Esc" onClick={clear} />
    </div>
  );
}
