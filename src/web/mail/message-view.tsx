import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { type ApiFailure, me } from '../api.ts';
import { apiPath } from '../base.ts';
import { Icon } from '../icons.tsx';
import { useKeys } from '../keys.ts';
import { lazily } from '../lazy.tsx';
import { Empty, IconButton, Skeleton } from '../parts.tsx';
import { preferences } from '../preferences.ts';
import { copy } from '../toast.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { closeMessage } from './actions.tsx';
import { MessageBody } from './body.tsx';
import { CodeCard, LinkCard } from './finding.tsx';
import { fullPage, toggleFullPage, toggleList } from './layout.ts';
import { BarTitle, FoldButton, FullPageButton } from './layout-buttons.tsx';
import { mark, rows, wholeMails } from './list.ts';
import { connection } from './live.ts';
import { MessageHead } from './message-head.tsx';
import { Neighbours } from './neighbours.tsx';
import { OpenLinkQuestion } from './open-link.tsx';
import { openedMessages, openMessage } from './opened.ts';
import { shownMessage } from './shown.ts';
import { removeWithUndo } from './undoable.ts';

const Attachments = lazily(async () => (await import('./attachments.tsx')).Attachments);
const CopyDialog = lazily(async () => (await import('./copy-dialog.tsx')).CopyDialog, ['delivery']);
const SendOn = lazily(async () => (await import('./send-on.tsx')).SendOn, ['conversation']);
const Reply = lazily(async () => (await import('./reply.tsx')).Reply, ['conversation']);
const Conversation = lazily(async () => (await import('./conversation.tsx')).Conversation, ['conversation']);
const ReleaseDialog = lazily(
  async () => (await import('./release.tsx')).ReleaseDialog,
  ['delivery', 'conversation'],
);

/** How long a message is open before it is marked as read, by preference; null for never. */
const markAfterMs = { at_once: 0, after_2_s: 2_000, never: null } as const;

function markRead(message: Signal<OpenedMessage>): void {
  const { id, read } = message.peek();
  if (!read) void mark(wholeMails([id]), true);
}

/** The message in the path. Opening it marks it as read, unless the person prefers otherwise. */
export function ShownMessage() {
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    openMessage(id)
      .then((message) => {
        if (!isCurrent) return;
        setOpened(message);
        const wait = markAfterMs[preferences.peek().markRead];
        if (wait === 0) markRead(message);
        else if (wait !== null) timer = setTimeout(() => markRead(message), wait);
      })
      .catch((fault) => isCurrent && setOpened(fault));
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [id, tries]);

  if (id === null) return <Nothing />;
  const t = words.reading;
  // One that was expected is in memory: it is shown in the first frame after the click.
  const message =
    openedMessages.get(id) ?? (opened instanceof Error || opened?.peek().id !== id ? null : opened);
  if (opened instanceof Error && !message) {
    return (
      <div>
        <div class="flex h-14 items-center px-2 lg:hidden">
          <Back />
        </div>
        <Empty icon="warn" title={opened.code === 'not_found' ? t.notFound : t.failed}>
          {opened.code === 'not_found' ? (
            t.notFoundBody
          ) : (
            <>
              <p>{opened.message}</p>
              <button type="button" class="button mt-3" onClick={again}>
                {words.list.tryAgain}
              </button>
            </>
          )}
        </Empty>
      </div>
    );
  }
  if (!message) return <Skeleton rows={5} />;
  return <MessageView message={message.value} />;
}

function Nothing() {
  return (
    <div class="grid h-full place-items-center">
      <Empty icon="mail" title={rows.value.length > 0 ? words.reading.none : words.list.empty}>
        {fill(words.reading.noneBody, {
          next: <span class="key">j</span>,
          previous: <span class="key">k</span>,
          help: <span class="key">?</span>,
        })}
      </Empty>
    </div>
  );
}

function Back() {
  return (
    <IconButton
      icon="back"
      label={words.frame.help.back}
      shortcut="u"
      class="lg:hidden"
      onClick={closeMessage}
    />
  );
}

function Toolbar({ message, children }: { message: OpenedMessage; children: ComponentChildren }) {
  return (
    // On a phone all buttons have to fit, so they become narrower together.
    <div class="flex h-14 flex-none items-center gap-1 border-b border-line px-2 sm:px-4 max-sm:[&_.button-icon]:shrink">
      <Back />
      <FoldButton />
      {!fullPage.value && <Neighbours />}
      <BarTitle subject={message.subject} />
      <FullPageButton />
      {children}
    </div>
  );
}

function Download({ id }: { id: string }) {
  return (
    <a
      class="button button-quiet button-icon"
      href={apiPath(`messages/${id}/raw`)}
      download={`${id}.eml`}
      aria-label={words.reading.download}
      title={words.reading.download}
    >
      <Icon name="download" />
    </a>
  );
}

type DialogName = 'copy' | 'release' | 'reply' | 'forward';

interface ActionsProps {
  message: OpenedMessage;
  open: (dialog: DialogName) => void;
  toggleRead: () => void;
  remove: () => void;
}

function Actions({ message: { id, read }, open, toggleRead, remove }: ActionsProps) {
  const t = words.reading;
  return (
    <>
      <IconButton
        icon={read ? 'unread' : 'read'}
        label={read ? words.list.markUnread : words.list.markRead}
        shortcut="e"
        onClick={toggleRead}
      />
      <IconButton icon="copy" label={t.copy} shortcut="y" onClick={() => open('copy')} />
      {me.value?.release_allow && (
        <IconButton icon="send" label={t.release} onClick={() => open('release')} />
      )}
      {me.value?.outbound && (
        <>
          <IconButton icon="reply" label={t.reply} shortcut="r" onClick={() => open('reply')} />
          <IconButton icon="send" label={t.forward} onClick={() => open('forward')} />
        </>
      )}
      <Download id={id} />
      <IconButton icon="trash" label={words.frame.delete} shortcut="#" onClick={remove} />
    </>
  );
}

function MessageView({ message }: { message: OpenedMessage }) {
  const t = words.reading;
  const { id, read, otp } = message;
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const [lastSent, setLastSent] = useState({ from: '', times: 0 });
  const close = () => setDialog(null);
  const onSent = () => setLastSent(({ times }) => ({ from: id, times: times + 1 }));
  const toggleRead = () => void mark(wholeMails([id]), !read);
  const removeIt = () => void removeWithUndo(wholeMails([id]));
  useKeys({
    u: closeMessage,
    Escape: () => (fullPage.value ? toggleFullPage() : closeMessage()),
    f: toggleFullPage,
    w: toggleList,
    e: toggleRead,
    '#': removeIt,
    Delete: removeIt,
    y: () => setDialog('copy'),
    r: () => me.value?.outbound && setDialog('reply'),
    c: () => otp && void copy(otp, words.list.code(otp)),
  });
  return (
    <article class="flex h-full min-h-0 flex-col" aria-label={message.subject || t.message}>
      <Toolbar message={message}>
        <Actions message={message} open={setDialog} toggleRead={toggleRead} remove={removeIt} />
      </Toolbar>
      <div class="min-h-0 flex-1 overflow-y-auto" data-scrolls>
        <div class={`flex min-h-full flex-col px-4 sm:px-6 ${fullPage.value ? '' : 'pt-4 sm:pt-5'}`}>
          {!fullPage.value && (
            <>
              <MessageHead message={message} />
              {(message.thread_messages > message.recipients.length || lastSent.from === id) && (
                <Conversation message={message} version={`${lastSent.times} ${rows.value[0]?.id}`} />
              )}
              <div class="mt-4 grid grid-cols-1 gap-3 empty:hidden">
                <CodeCard message={message} />
                <LinkCard message={message} />
              </div>
            </>
          )}
          <MessageBody key={id} message={message} />
          {message.attachments.length > 0 && <Attachments key={`files of ${id}`} message={message} />}
        </div>
      </div>
      {dialog === 'copy' && <CopyDialog message={message} onClose={close} />}
      {dialog === 'release' && <ReleaseDialog message={message} onClose={close} />}
      {dialog === 'reply' && <Reply message={message} onClose={close} onSent={onSent} />}
      {dialog === 'forward' && <SendOn message={message} onClose={close} onSent={onSent} />}
      <OpenLinkQuestion />
    </article>
  );
}
