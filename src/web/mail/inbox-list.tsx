import { useState } from 'preact/hooks';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { me } from '../api.ts';
import { formatCount, splitAddress } from '../format.ts';
import { Icon } from '../icons.tsx';
import { lazily } from '../lazy.tsx';
import { Empty, IconButton, Skeleton } from '../parts.tsx';
import { Link, pathTo } from '../router.tsx';
import { words } from '../words/words.ts';
import {
  inboxes,
  inboxesFault,
  inboxesLoaded,
  inboxesMore,
  inboxSearch,
  loadInboxes,
  loadMoreInboxes,
  unread,
} from './inboxes.ts';
import { shownInbox } from './shown.ts';

const CreateInbox = lazily(async () => (await import('./create-inbox.tsx')).CreateInbox, ['steps']);

/** The account's inboxes, in the sidebar. */
export function InboxList() {
  const [creating, setCreating] = useState(false);
  return (
    <div class="flex min-h-0 flex-1 flex-col">
      <div class="flex items-center gap-1 px-3 pb-2">
        <SearchInboxes />
        <IconButton icon="plus" label={words.list.inboxes.new} onClick={() => setCreating(true)} />
      </div>
      <nav aria-label={words.list.inboxes.title} class="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        <ul>
          <li>
            <Entry
              to={pathTo('all')}
              name={words.frame.palette.allMail}
              unread={unread.value}
              isShown={shownInbox.value === 'all'}
              isWhole
            />
          </li>
          {inboxes.value.map((inbox) => (
            <li key={inbox.id}>
              <InboxEntry inbox={inbox} />
            </li>
          ))}
        </ul>
        <Rest onCreate={() => setCreating(true)} />
      </nav>
      {creating && <CreateInbox onClose={() => setCreating(false)} />}
    </div>
  );
}

function SearchInboxes() {
  return (
    <label class="relative block flex-1">
      <span class="sr-only">{words.list.inboxes.search}</span>
      <Icon name="search" class="pointer-events-none absolute top-1/2 left-2 -translate-y-1/2 text-faint" />
      <input
        type="search"
        class="field pl-8 text-ellipsis"
        placeholder={words.list.inboxes.search}
        value={inboxSearch.value}
        onInput={({ currentTarget }) => {
          inboxSearch.value = currentTarget.value;
          void loadInboxes();
        }}
      />
    </label>
  );
}

function InboxEntry({ inbox }: { inbox: InboxWithUnread }) {
  const t = words.list.inboxes;
  const [local, domain] = splitAddress(inbox.address);
  return (
    <Entry
      to={pathTo('inbox', inbox.id)}
      name={inbox.label || local}
      detail={inbox.label ? inbox.address : domain}
      unread={inbox.unread}
      isShown={shownInbox.value === inbox.id}
      tag={inbox.is_public ? t.public : inbox.is_catch_all ? t.catchAll : undefined}
    />
  );
}

interface EntryProps {
  to: string;
  name: string;
  detail?: string;
  unread: number;
  isShown: boolean;
  /** The entry for all mail. */
  isWhole?: boolean;
  tag?: string | undefined;
}

function Entry({ to, name, detail, unread, isShown, isWhole = false, tag }: EntryProps) {
  return (
    <Link
      to={to}
      aria-current={isShown ? 'page' : undefined}
      class={`mb-px flex min-h-9 items-center gap-2 rounded-md px-2 py-1.5 ${
        isShown ? 'bg-tint text-tintink' : 'hover:bg-hover'
      } ${isWhole ? 'mb-2' : ''}`}
    >
      {isWhole && <Icon name="mail" />}
      <span class="min-w-0 flex-1">
        <span class={`plain block truncate ${unread > 0 || isWhole ? 'font-semibold' : ''}`} title={name}>
          {name}
        </span>
        {detail && (
          <span class={`block truncate text-xs ${isShown ? '' : 'text-faint'}`} title={detail}>
            {detail}
          </span>
        )}
      </span>
      {tag && <span class="tag">{tag}</span>}
      {unread > 0 && (
        <span class={`min-w-6 text-right text-xs font-semibold tabular-nums ${isShown ? '' : 'text-accent'}`}>
          {formatCount(unread)}
          <span class="sr-only"> {words.list.inboxes.unread(unread)}</span>
        </span>
      )}
    </Link>
  );
}

function Rest({ onCreate }: { onCreate: () => void }) {
  const t = words.list.inboxes;
  if (!inboxesLoaded.value) {
    if (!inboxesFault.value) return <Skeleton rows={4} />;
    return (
      <Empty icon="warn" title={inboxesFault.value}>
        <button type="button" class="button" onClick={() => void loadInboxes()}>
          {words.list.tryAgain}
        </button>
      </Empty>
    );
  }
  if (inboxesMore.value !== null) {
    return (
      <button type="button" class="button button-quiet w-full" onClick={() => void loadMoreInboxes()}>
        {words.frame.loadMore}
      </button>
    );
  }
  if (inboxes.value.length > 0) return null;
  if (inboxSearch.value) return <p class="px-2 py-3 text-sm text-soft">{t.noMatch}</p>;
  return (
    <Empty icon="inbox" title={t.none}>
      {me.value?.capture ? t.noneInTrap : t.noneBody}
      <div class="mt-4">
        <button type="button" class="button button-main" onClick={onCreate}>
          <Icon name="plus" />
          {t.new}
        </button>
      </div>
    </Empty>
  );
}
