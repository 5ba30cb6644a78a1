import type { Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { type ApiFailure, me } from '../api.ts';
import { addressIn, fullTime, nameOf, size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { useKeys } from '../keys.ts';
import { CopyButton, Empty, IconButton, Skeleton } from '../parts.tsx';
import { copy } from '../toast.tsx';
import { closeMessage, confirmRemove } from './actions.tsx';
import { MessageBody } from './body.tsx';
import { CodeCard, LinkCard } from './finding.tsx';
import { connection } from './live.ts';
import { OpenLinkQuestion } from './open-link.tsx';
import { openMessage } from './opened.ts';
import { SendOn } from './send-on.tsx';
import { mark, rows, shownMessage, wholeMails } from './store.ts';

/** The message in the path. Opening it marks it as read. */
export function MessagePane() {
  const id = shownMessage.value;
  const [opened, setOpened] = useState<Signal<OpenedMessage> | ApiFailure | null>(null);
  const [tries, setTries] = useState(0);
  const again = () => setTries((before) => before + 1);
  const isOffline = opened instanceof Error && opened.code === 'offline';
  useEffect(() => {
    if (isOffline && connection.value === 'live') again();
  }, [connection.value]);
  useEffect(() => {
    setOpened(null);
    if (id === null) return;
    let isCurrent = true;
    openMessage(id)
      .then((message) => {
        if (!isCurrent) return;
        setOpened(message);
        if (!message.peek().read) void mark(wholeMails([id]), true);
      })
      .catch((fault) => isCurrent && setOpened(fault));
    return () => {
      isCurrent = false;
    };
  }, [id, tries]);

  if (id === null) return <Nothing />;
  if (opened instanceof Error) {
    return (
      <div>
        <Back />
        <Empty
          icon="warn"
          title={opened.code === 'not_found' ? 'Message not found' : 'The message could not be loaded'}
        >
          {opened.code === 'not_found' ? (
            'It was deleted, or the link is wrong.'
          ) : (
            <>
              <p>{opened.message}</p>
              <button type="button" class="button mt-3" onClick={again}>
                Try again
              </button>
            </>
          )}
        </Empty>
      </div>
    );
  }
  if (!opened || opened.value.id !== id) return <Skeleton rows={5} />;
  return <MessageView message={opened.value} />;
}

function Nothing() {
  return (
    <div class="grid h-full place-items-center">
      <Empty icon="mail" title={rows.value.length > 0 ? 'No message selected' : 'No messages yet'}>
        Use <span class="key">j</span> and <span class="key">k</span> to move through the list, and{' '}
        <span class="key">?</span> for all shortcuts.
      </Empty>
    </div>
  );
}

function Back() {
  return (
    <IconButton icon="back" label="Back to list" shortcut="u" class="lg:hidden" onClick={closeMessage} />
  );
}

function MessageView({ message }: { message: OpenedMessage }) {
  const { id, read, otp } = message;
  const [sending, setSending] = useState(false);
  const toggleRead = () => void mark(wholeMails([id]), !read);
  const removeIt = () => void confirmRemove(wholeMails([id]));
  useKeys({
    u: closeMessage,
    Escape: closeMessage,
    e: toggleRead,
    '#': removeIt,
    Delete: removeIt,
    c: () => otp && void copy(otp, `Code ${otp}`),
  });
  return (
    <article class="flex h-full min-h-0 flex-col" aria-label={message.subject || 'Message'}>
      <div class="flex h-14 flex-none items-center gap-1 border-b border-line px-2 sm:px-4">
        <Back />
        <div class="flex-1" />
        <IconButton
          icon={read ? 'unread' : 'read'}
          label={read ? 'Mark as unread' : 'Mark as read'}
          shortcut="e"
          onClick={toggleRead}
        />
        {me.value?.outbound && <IconButton icon="send" label="Forward" onClick={() => setSending(true)} />}
        <a
          class="button button-quiet button-icon"
          href={`/dashboard/api/messages/${id}/raw`}
          download={`${id}.eml`}
          aria-label="Download as .eml"
          title="Download as .eml"
        >
          <Icon name="download" />
        </a>
        <IconButton icon="trash" label="Delete" shortcut="#" onClick={removeIt} />
      </div>
      <div class="min-h-0 flex-1 overflow-y-auto">
        <div class="flex min-h-full flex-col px-4 pt-4 sm:px-6 sm:pt-5">
          <Head message={message} />
          <div class="mt-4 grid grid-cols-1 gap-3 empty:hidden">
            <CodeCard message={message} />
            <LinkCard message={message} />
          </div>
          <MessageBody key={id} message={message} />
        </div>
      </div>
      <OpenLinkQuestion />
      {sending && <SendOn message={message} onClose={() => setSending(false)} />}
    </article>
  );
}

function Head({ message }: { message: OpenedMessage }) {
  const { subject, from, to, cc, received_at, status, truncated, tags } = message;
  const when = (
    <>
      <time dateTime={received_at}>{fullTime(received_at)}</time>
      <span> · {size(message.size)}</span>
    </>
  );
  return (
    <header>
      <h2 dir="auto" class="text-xl font-semibold tracking-tight text-balance wrap-anywhere">
        {subject || '(no subject)'}
      </h2>
      {tags.length > 0 && (
        <ul class="mt-2 flex flex-wrap gap-1" aria-label="Tags">
          {tags.map((tag) => (
            <li key={tag} class="tag">
              {tag}
            </li>
          ))}
        </ul>
      )}
      <div class="mt-3 flex items-start gap-3">
        <Monogram name={nameOf(from)} />
        <div class="min-w-0 flex-1 text-sm">
          <div class="flex flex-wrap items-baseline gap-x-2">
            <bdi class="font-semibold wrap-anywhere">{nameOf(from)}</bdi>
            {nameOf(from) !== addressIn(from) && (
              <span class="wrap-anywhere text-soft">{addressIn(from)}</span>
            )}
          </div>
          <Recipients label="to" list={to.length > 0 ? to : [message.envelope_recipient]} />
          {cc.length > 0 && <Recipients label="cc" list={cc} />}
          <div class="mt-0.5 text-xs text-faint tabular-nums sm:hidden">{when}</div>
        </div>
        <div class="hidden flex-none text-right text-xs text-faint tabular-nums sm:block">{when}</div>
      </div>
      {(status === 'failed' || truncated) && (
        <p class="mt-3 flex items-center gap-2 rounded-md bg-warntint px-3 py-2 text-sm text-warn">
          <Icon name="warn" />
          {status === 'failed'
            ? 'This message could not be parsed, so only its headers are shown. The source is complete.'
            : 'This message is too large to show in full. The source is complete.'}
        </p>
      )}
    </header>
  );
}

function Monogram({ name }: { name: string }) {
  const letter = [...name.replace(/[^\p{L}\p{N}]/gu, '')][0]?.toUpperCase() ?? '?';
  return (
    <span
      aria-hidden="true"
      class="mt-0.5 grid size-9 flex-none place-items-center rounded-full bg-hover text-sm font-semibold text-soft"
    >
      {letter}
    </span>
  );
}

const SHOWN_RECIPIENTS = 5;

function Recipients({ label, list }: { label: string; list: readonly string[] }) {
  const shown = list.slice(0, SHOWN_RECIPIENTS);
  return (
    <div class="flex items-baseline gap-x-1.5 text-soft">
      <span class="flex-none text-faint">{label}</span>
      <span class="min-w-0 wrap-anywhere">
        <bdi>{shown.join(', ')}</bdi>
        {list.length > shown.length && ` and ${list.length - shown.length} more`}
      </span>
      {label === 'to' && list.length === 1 && (
        <span class="-my-2.5 flex-none self-center">
          <CopyButton text={addressIn(list[0]!)} what="Recipient" />
        </span>
      )}
    </div>
  );
}
