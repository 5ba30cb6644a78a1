import type { ComponentChild } from 'preact';
import { readName, shortTime, size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { preferences } from '../preferences.ts';
import { followLink, go, pathTo } from '../router.tsx';
import { copy } from '../toast.tsx';
import { words } from '../words/words.ts';
import { expectMessage } from './expected.ts';
import type { Group } from './groups.ts';
import { cursor, fresh, selected } from './list.ts';
import { inSearch } from './search-text.ts';
import { shownInbox, shownMessage } from './shown.ts';

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

/** The state of a row that is not in its mail, as bits of a number, so that comparing two is cheap. */
export const countMarks = (group: Group): number =>
  (isShown(group) ? CURRENT : 0) |
  (shownMessage.value === null && cursor.value === group.row.id ? AT_CURSOR : 0) |
  (selected.value.size > 0 ? SELECTING : 0) |
  (selected.value.size > 0 && group.ids.every((id) => selected.value.has(id)) ? SELECTED : 0) |
  (fresh.value.has(group.row.id) ? FRESH : 0);

/** Which elements and classes a row has, as bits of a number. */
export const findLook = ({ row, isUnread }: Group): number =>
  (isUnread ? 1 : 0) |
  (row.otp ? 2 : row.magic_link ? 4 : 0) |
  (row.attachment_count > 0 ? 8 : 0) |
  (Math.min(row.tags.length, SHOWN_TAGS + 1) << 4);

const isShown = ({ ids }: Group) => shownMessage.value !== null && ids.includes(shownMessage.value);

const CURRENT = 1;
const AT_CURSOR = 2;
const SELECTING = 4;
const SELECTED = 8;
const FRESH = 16;

/*
 * While scrolling, most of the time of a frame is spent per element. So a row has few elements, as few layers as possible,
 * and texts for screen readers are in attributes.
 */

/** A mail in the list: columns where there is room, else lines. */
export function renderRow(group: Group, marks: number, isWide: boolean) {
  const isTinted = (marks & (CURRENT | SELECTED)) > 0;
  const isCompact = preferences.value.density === 'compact';
  const renderColumns = !isWide ? renderLines : isCompact ? renderLine : renderWide;
  return (
    <div
      class={`mail-row flex h-full items-center border-b border-line ${isTinted ? 'bg-tint' : 'hover:bg-hover'} ${
        marks & FRESH ? 'fresh' : ''
      } ${marks & (CURRENT | AT_CURSOR) ? 'at-cursor' : ''}`}
    >
      {renderBox(group, marks)}
      {renderColumns(group, renderSubject(group, marks), isCompact)}
    </div>
  );
}

function renderBox(group: Group, marks: number) {
  const { subject } = group.row;
  return (
    <label
      class={`row-box grid w-9 flex-none cursor-pointer place-items-center self-stretch ${
        marks & SELECTING ? 'is-selecting' : group.isUnread ? 'is-unread' : ''
      }`}
    >
      <input
        type="checkbox"
        class="size-4"
        aria-label={subject ? words.list.select(subject) : words.list.selectOne}
        checked={(marks & SELECTED) > 0}
        onChange={() => toggleSelected(group)}
      />
    </label>
  );
}

/** The link covers the row beside its box, and so does the ring when it has the focus. */
function renderSubject(group: Group, marks: number) {
  const { row, isUnread } = group;
  const subject = row.subject || words.list.noSubject;
  return (
    <a
      href={rowPath(group)}
      aria-current={marks & CURRENT ? 'true' : undefined}
      aria-label={isUnread ? `${words.list.unread} ${subject}` : undefined}
      onPointerDown={() => expectMessage(row.id)}
      onClick={followLink}
      class={`row-link plain min-w-0 truncate ${isUnread ? 'font-semibold' : ''}`}
    >
      {subject}
    </a>
  );
}

const renderFrom = ({ row, isUnread }: Group, more: string) => (
  <span class={`plain truncate ${more} ${isUnread ? 'font-semibold' : 'text-soft'}`}>
    {readName(row.from)}
  </span>
);

const renderLast = ({ row }: Group) => (
  <span class="mr-4 ml-5 flex w-38 flex-none items-center justify-end gap-3 text-xs text-faint tabular-nums xl:w-44">
    {row.attachment_count > 0 && renderClip(row.attachment_count)}
    <span class="w-14 flex-none text-right">{size(row.size)}</span>
    {renderTime(row.received_at)}
  </span>
);

function renderLine(group: Group, link: ComponentChild) {
  return (
    <>
      {renderFrom(group, 'mr-4 w-44 flex-none xl:w-52')}
      <span class="flex min-w-0 flex-1 items-center gap-2">
        <span class="flex max-w-2/3 min-w-0 flex-none">{link}</span>
        <span class="plain min-w-0 flex-1 basis-0 truncate text-soft">{group.row.snippet}</span>
        {renderTags(group)}
        {renderFinding(group)}
      </span>
      {renderRecipient(group, 'ml-4 w-40 flex-none text-right max-xl:hidden')}
      {renderLast(group)}
    </>
  );
}

function renderWide(group: Group, link: ComponentChild) {
  const { tags, otp, magic_link, snippet } = group.row;
  return (
    <>
      <span class="mr-5 w-52 flex-none xl:w-60">
        {renderFrom(group, 'block')}
        {renderRecipient(group, 'block leading-4.5')}
      </span>
      <span class="row-lines min-w-0 flex-1 basis-0">
        {link}
        <span class="plain block truncate text-sm text-soft">{snippet}</span>
      </span>
      {(tags.length > 0 || otp || magic_link) && (
        <span class="ml-5 flex max-w-2/5 flex-none items-center gap-2">
          {renderTags(group)}
          {renderFinding(group)}
        </span>
      )}
      {renderLast(group)}
    </>
  );
}

function renderLines(group: Group, link: ComponentChild, isCompact: boolean) {
  const { row } = group;
  return (
    <span class="min-w-0 flex-1 pr-3">
      <span class="flex items-baseline gap-2">
        {renderFrom(group, 'max-w-3/5 flex-none')}
        {renderRecipient(group, 'min-w-0 flex-1')}
        {renderTime(row.received_at)}
      </span>
      <span class="flex items-center gap-2">
        <span class="flex min-w-0 flex-1">{link}</span>
        {renderTags(group)}
        {renderFinding(group)}
      </span>
      {!isCompact && (
        <span class="flex items-center gap-2 text-sm text-soft">
          <span class="plain min-w-0 flex-1 truncate">{row.snippet}</span>
          {row.attachment_count > 0 && renderClip(row.attachment_count)}
          <span class="text-xs text-faint tabular-nums">{size(row.size)}</span>
        </span>
      )}
    </span>
  );
}

const renderTime = (iso: string) => (
  <time class="min-w-15 flex-none text-right text-xs text-faint tabular-nums" dateTime={iso}>
    {shortTime(iso)}
  </time>
);

function renderClip(count: number) {
  const name = words.list.attachments(count);
  return (
    <span class="flex-none" role="img" aria-label={name} title={name}>
      <Icon name="clip" class="size-3.5! text-faint" />
    </span>
  );
}

/** Most recipients whose addresses a row shows. */
const SHOWN_RECIPIENTS = 1;

/** Every recipient as the sender wrote it: with its +tag, or whatever reached a catch-all. */
function renderRecipient({ recipients, row }: Group, more: string) {
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

/** Most tags that a row shows. */
const SHOWN_TAGS = 2;

function renderTags({ row: { tags } }: Group) {
  if (tags.length === 0) return null;
  const more = tags.length - SHOWN_TAGS;
  return (
    <span
      class="flex max-w-1/2 min-w-0 flex-none gap-1"
      role="img"
      aria-label={words.list.tags(tags.join(', '))}
      title={tags.join(', ')}
    >
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <span key={tag} class="tag block! min-w-0 truncate">
          {tag}
        </span>
      ))}
      {more > 0 && <span class="tag flex-none">+{more}</span>}
    </span>
  );
}

/** The code, which a click copies without opening the message, or a tag that there is a link. */
function renderFinding({ row: { otp, magic_link } }: Group) {
  if (otp) {
    return (
      <button
        type="button"
        class="relative flex-none rounded-sm bg-surface px-1.5 font-mono text-sm font-semibold text-tintink ring-1 ring-line after:absolute after:-inset-x-1 after:-inset-y-2 hover:bg-accent hover:text-onaccent"
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
