import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { me, read } from '../api.ts';
import { splitAddress } from '../format.ts';
import { Icon, type IconName } from '../icons.tsx';
import { lazily } from '../lazy.tsx';
import { CopyButton, IconButton } from '../parts.tsx';
import { prefer, preferences } from '../preferences.ts';
import { go, pathTo } from '../router.tsx';
import { words } from '../words/words.ts';
import { confirmDeleteInbox } from './actions.tsx';
import { heldCount, showHeldRows } from './held-rows.ts';
import { inboxes, unread } from './inboxes.ts';
import { isStale, rows } from './list.ts';
import { connection } from './live.ts';
import { INBOXES, shownInbox } from './shown.ts';
import { markAllWithUndo, removeWithUndo } from './undoable.ts';

const Compose = lazily(async () => (await import('./compose.tsx')).Compose, ['conversation']);

/** An inbox that the sidebar has not loaded, because it is further down the list. */
const elsewhere = signal<InboxWithUnread | null>(null);

function listedInbox(): InboxWithUnread | null {
  const id = shownInbox.value;
  const known = inboxes.value.find((inbox) => inbox.id === id);
  return known ?? (elsewhere.value?.id === id ? elsewhere.value : null);
}

/** The name of the inbox, with its address to copy. */
export function ListHead({ isWide }: { isWide: boolean }) {
  const id = shownInbox.value;
  const inbox = listedInbox();
  useEffect(() => {
    if (id === 'all' || id === null || inbox) return;
    read<InboxWithUnread>(`inboxes/${id}`)
      .then((found) => {
        elsewhere.value = { ...found, unread: 0, last_at: null };
      })
      .catch(() => {});
  }, [id]);
  const t = words.list.head;
  const isCompact = preferences.value.density === 'compact';
  const hasUnread =
    (id === 'all' ? unread.value : (inbox?.unread ?? 0)) > 0 || rows.value.some(({ read }) => !read);
  return (
    <header class="flex h-14 flex-none items-center gap-1 pr-2 pl-3">
      <IconButton
        icon="back"
        label={words.list.inboxes.title}
        class="lg:hidden"
        onClick={() => go(pathTo(INBOXES))}
      />
      <div class="min-w-0 flex-1">
        <Title inbox={inbox} isAll={id === 'all'} />
      </div>
      <HeldRows />
      {inbox && <CopyButton text={inbox.address} what={words.list.address} />}
      {inbox?.domain && me.value?.outbound && <ComposeButton inbox={inbox} />}
      <IconButton
        icon={isCompact ? 'rowsHigh' : 'rowsLow'}
        label={isCompact ? t.comfortable : t.compact}
        class="pointer-coarse:hidden"
        onClick={() => prefer({ density: isCompact ? 'comfortable' : 'compact' })}
      />
      <HeadButton
        icon="read"
        label={t.markAll}
        isWide={isWide}
        disabled={!hasUnread}
        onClick={() => void markAllWithUndo()}
      />
      <HeadButton
        icon="trash"
        label={t.deleteAll}
        isWide={isWide}
        disabled={rows.value.length === 0 || isStale.value}
        onClick={() => void removeWithUndo('listed')}
      />
      {inbox && (
        <IconButton
          icon="inboxOff"
          label={words.list.inboxes.delete}
          onClick={() => void confirmDeleteInbox(inbox)}
        />
      )}
    </header>
  );
}

/** Says that new rows wait. Above the list, so that it never appears under a pointer that aims at a row. */
function HeldRows() {
  if (heldCount.value === 0) return null;
  return (
    <button type="button" class="chip flex-none border-accent bg-tint text-tintink" onClick={showHeldRows}>
      {words.list.head.held(heldCount.value)}
    </button>
  );
}

function ComposeButton({ inbox }: { inbox: InboxWithUnread }) {
  const [isWriting, setWriting] = useState(false);
  return (
    <>
      <IconButton icon="send" label={words.list.head.compose} onClick={() => setWriting(true)} />
      {isWriting && <Compose inbox={inbox} onClose={() => setWriting(false)} />}
    </>
  );
}

interface HeadButtonProps {
  icon: IconName;
  label: string;
  isWide: boolean;
  disabled: boolean;
  onClick: () => void;
}

/** With its name where there is room. */
function HeadButton({ isWide, ...button }: HeadButtonProps) {
  if (!isWide) return <IconButton {...button} />;
  const { icon, label, disabled, onClick } = button;
  return (
    <button type="button" class="button button-quiet" disabled={disabled} onClick={onClick}>
      <Icon name={icon} />
      {label}
    </button>
  );
}

function Title({ inbox, isAll }: { inbox: InboxWithUnread | null; isAll: boolean }) {
  if (isAll || !inbox) {
    return (
      <h2 class="flex items-center gap-2 text-lg font-semibold tracking-tight">
        {isAll ? words.frame.palette.allMail : words.list.head.inbox}
        <LiveDot />
      </h2>
    );
  }
  const [local, domain] = splitAddress(inbox.address);
  return (
    <>
      <h2 class="flex items-center gap-2 text-base leading-5 font-semibold">
        <span class="plain truncate" title={inbox.label || local}>
          {inbox.label || local}
        </span>
        <LiveDot />
      </h2>
      <p class="truncate text-xs text-soft" title={inbox.address}>
        {inbox.label ? inbox.address : domain}
      </p>
    </>
  );
}

/** Whether the live connection is up. Someone who waits for mail must be able to trust this. */
function LiveDot() {
  const colour = { live: 'bg-accent', connecting: 'bg-edge', lost: 'bg-danger' }[connection.value];
  const text = words.list.head.states[connection.value];
  return (
    <span class="inline-flex items-center gap-1.5" title={text}>
      <span class={`size-1.5 flex-none rounded-full ${colour}`} />
      {/* A red dot alone is easily missed, so say it in words too. */}
      <span class={connection.value === 'lost' ? 'text-xs font-medium text-danger' : 'sr-only'} role="status">
        {text}
      </span>
    </span>
  );
}
