import { nameOf, shortTime, size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { preferences } from '../preferences.ts';
import { go, Link, pathTo } from '../router.tsx';
import { copy } from '../toast.tsx';
import { words } from '../words/words.ts';
import type { Group } from './groups.ts';
import { expectMessage } from './opened.ts';
import { inSearch } from './search-text.ts';
import { cursor, fresh, selected, shownInbox, shownMessage } from './store.ts';

export function rowPath({ row: { inbox_id, id } }: Group): string {
  return inSearch(shownInbox.peek() === 'all' ? pathTo('all', id) : pathTo('inbox', inbox_id, id));
}

export function openRow(group: Group): void {
  expectMessage(group.row.id);
  go(rowPath(group), { replace: shownMessage.peek() !== null });
}

export function toggleSelected({ ids }: Group): void {
  const next = new Set(selected.peek());
  const isSelected = ids.every((id) => next.has(id));
  for (const id of ids) {
    if (isSelected) next.delete(id);
    else next.add(id);
  }
  selected.value = next;
}

/** A mail in the list: columns where there is room, else lines. */
export function MailRow({ group, isWide }: { group: Group; isWide: boolean }) {
  const { row, ids, isUnread } = group;
  const isCurrent = shownMessage.value !== null && ids.includes(shownMessage.value);
  const isSelected = ids.every((id) => selected.value.has(id));
  const isAtCursor = shownMessage.value === null && cursor.value === row.id;
  const ground = isSelected || isCurrent ? 'bg-tint' : 'hover:bg-hover';
  const Columns = isWide ? WideColumns : NarrowLines;
  return (
    <div
      class={`group relative flex h-full items-stretch border-b border-line ${ground} ${
        fresh.value.has(row.id) ? 'fresh' : ''
      }`}
    >
      {(isCurrent || isAtCursor) && <span class="absolute inset-y-0 left-0 w-0.5 bg-accent" />}
      <SelectBox group={group} isSelected={isSelected} />
      <Columns group={group} isUnread={isUnread} link={<Subject group={group} isCurrent={isCurrent} />} />
    </div>
  );
}

function SelectBox({ group, isSelected }: { group: Group; isSelected: boolean }) {
  const isSelecting = selected.value.size > 0;
  return (
    <label class="relative z-10 grid w-9 flex-none cursor-pointer place-items-center">
      <span class="sr-only">
        {group.row.subject ? words.list.select(group.row.subject) : words.list.selectOne}
      </span>
      <input
        type="checkbox"
        class={`peer size-4 accent-accent focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100 ${
          isSelected || isSelecting ? '' : 'opacity-0'
        }`}
        checked={isSelected}
        onChange={() => toggleSelected(group)}
      />
      {group.isUnread && !isSelecting && (
        <span class="pointer-events-none absolute size-2 rounded-full bg-accent group-hover:hidden peer-focus-visible:hidden pointer-coarse:top-3.5" />
      )}
    </label>
  );
}

/** The link covers the row, and so does the ring when it has the focus. */
function Subject({ group: { row, isUnread }, isCurrent }: { group: Group; isCurrent: boolean }) {
  return (
    <Link
      to={rowPath({ row } as Group)}
      aria-current={isCurrent ? 'true' : undefined}
      onPointerDown={() => expectMessage(row.id)}
      class={`row-link min-w-0 truncate ${isUnread ? 'font-semibold' : ''}`}
    >
      {isUnread && <span class="sr-only">{words.list.unread} </span>}
      <bdi>{row.subject || words.list.noSubject}</bdi>
    </Link>
  );
}

interface ColumnsProps {
  group: Group;
  isUnread: boolean;
  link: preact.ComponentChild;
}

function WideColumns({ group, isUnread, link }: ColumnsProps) {
  const { row } = group;
  const isCompact = preferences.value.density === 'compact';
  const from = (
    <span class={`block truncate ${isUnread ? 'font-semibold' : 'text-soft'}`}>
      <bdi>{nameOf(row.from)}</bdi>
    </span>
  );
  const snippet = (
    <span class="min-w-0 flex-1 basis-0 truncate text-soft">{row.snippet && <bdi>{row.snippet}</bdi>}</span>
  );
  const marks = (
    <>
      <Tags tags={row.tags} />
      <Finding group={group} />
    </>
  );
  const last = (
    <span class="flex w-38 flex-none items-center justify-end gap-3 xl:w-44 text-xs text-faint tabular-nums">
      {row.attachment_count > 0 && <Clip count={row.attachment_count} />}
      <span class="w-14 text-right">{size(row.size)}</span>
      <Time iso={row.received_at} />
    </span>
  );
  if (isCompact) {
    return (
      <div class="flex min-w-0 flex-1 items-center gap-4 pr-4">
        <span class="w-44 flex-none xl:w-52">{from}</span>
        <span class="flex min-w-0 flex-1 items-center gap-2">
          <span class="flex max-w-2/3 min-w-0 flex-none">{link}</span>
          {snippet}
          {marks}
        </span>
        <To group={group} class="w-40 flex-none text-right max-xl:hidden" />
        {last}
      </div>
    );
  }
  return (
    <div class="flex min-w-0 flex-1 items-center gap-5 pr-4">
      <span class="w-52 flex-none xl:w-60">
        {from}
        <To group={group} class="block" />
      </span>
      <span class="min-w-0 flex-1">
        <span class="flex min-w-0">{link}</span>
        <span class="flex min-w-0 text-sm">{snippet}</span>
      </span>
      <span class="flex max-w-2/5 flex-none items-center gap-2">{marks}</span>
      {last}
    </div>
  );
}

function NarrowLines({ group, isUnread, link }: ColumnsProps) {
  const { row } = group;
  return (
    <div class="flex min-w-0 flex-1 flex-col justify-center py-2 pr-3">
      <div class="flex items-baseline gap-2">
        <span class={`max-w-3/5 flex-none truncate ${isUnread ? 'font-semibold' : 'text-soft'}`}>
          <bdi>{nameOf(row.from)}</bdi>
        </span>
        <To group={group} class="min-w-0 flex-1" />
        <Time iso={row.received_at} />
      </div>
      <div class="flex items-center gap-2">
        <span class="flex min-w-0 flex-1">{link}</span>
        <Tags tags={row.tags} />
        <Finding group={group} />
      </div>
      {preferences.value.density === 'comfortable' && (
        <div class="flex items-center gap-2 text-sm text-soft">
          <span class="min-w-0 flex-1 truncate">
            <bdi>{row.snippet}</bdi>
          </span>
          {row.attachment_count > 0 && <Clip count={row.attachment_count} />}
          <span class="text-xs text-faint tabular-nums">{size(row.size)}</span>
        </div>
      )}
    </div>
  );
}

function Time({ iso }: { iso: string }) {
  return (
    <time class="min-w-15 flex-none text-right text-xs text-faint tabular-nums" dateTime={iso}>
      {shortTime(iso)}
    </time>
  );
}

function Clip({ count }: { count: number }) {
  const name = words.list.attachments(count);
  return (
    <span class="flex-none" title={name}>
      <Icon name="clip" class="size-3.5! text-faint" />
      <span class="sr-only">{name}</span>
    </span>
  );
}

/** Recipients whose addresses a row has room for. */
const SHOWN_RECIPIENTS = 1;

/** Every recipient as the sender wrote it: with its +tag, or whatever reached a catch-all. */
function To({ group: { recipients, row }, class: more = '' }: { group: Group; class?: string }) {
  const isPlain = recipients.length === 1 && recipients[0]!.toLowerCase() === row.address;
  if (isPlain && shownInbox.value !== 'all') return <span class={more} />;
  const rest = recipients.length - SHOWN_RECIPIENTS;
  return (
    <span class={`truncate text-xs text-faint ${more}`} title={recipients.join('\n')}>
      {words.list.to(recipients.slice(0, SHOWN_RECIPIENTS).join(', '))}
      {rest > 0 && <span class="font-medium text-soft"> +{rest}</span>}
    </span>
  );
}

/** Tags that a row has room for. */
const SHOWN_TAGS = 2;

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const more = tags.length - SHOWN_TAGS;
  return (
    <span class="flex max-w-1/2 min-w-0 flex-none gap-1" title={tags.join(', ')}>
      <span class="sr-only">{words.list.tags(tags.join(', '))}</span>
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
function Finding({ group: { row } }: { group: Group }) {
  const { otp, magic_link } = row;
  if (otp) {
    return (
      <button
        type="button"
        class="relative z-10 flex-none rounded-sm bg-surface px-1.5 font-mono text-sm font-semibold text-tintink ring-1 ring-line after:absolute after:-inset-x-1 after:-inset-y-2 hover:bg-accent hover:text-onaccent"
        title={words.frame.help.copyCode}
        aria-label={words.list.copyCode(otp)}
        onClick={() => void copy(otp, words.list.code(otp))}
      >
        {otp}
      </button>
    );
  }
  if (!magic_link) return null;
  return (
    <span class="tag flex-none">
      <Icon name="link" class="size-3!" />
      {words.list.link}
    </span>
  );
}
