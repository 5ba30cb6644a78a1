import { useEffect, useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import type { ThreadMessageView, ThreadView } from '../../features/threads/wire.ts';
import { call, query } from '../api.ts';
import { addressIn, fullTime, readName, shortTime } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Link, pathTo } from '../router.tsx';
import { tellFault } from '../toast.tsx';
import { words } from '../words/words.ts';

interface ThreadPage {
  data: ThreadView;
  pagination: { next_cursor: string | null };
}

interface ConversationProps {
  message: OpenedMessage;
  /** Changes when the conversation may have grown. */
  version: string;
}

/** The other messages of an open one's thread, received and sent, oldest first. */
export function Conversation({ message, version }: ConversationProps) {
  const [members, setMembers] = useState<ThreadMessageView[]>([]);
  const [count, setCount] = useState(message.thread_messages);
  const [cursor, setCursor] = useState<string | null>(null);
  const load = async (after: string | null) => {
    const path = `threads/${message.thread_id}${query({ cursor: after, limit: 50 })}`;
    const { data, pagination } = await call<ThreadPage>('GET', path);
    setMembers((before) => [...(after === null ? [] : before), ...data.messages]);
    setCount(data.message_count);
    setCursor(pagination.next_cursor);
  };
  useEffect(() => void load(null).catch(tellFault), [message.thread_id, version]);
  const t = words.conversation.thread;
  return (
    <details class="card mt-4 overflow-hidden text-sm" open>
      <summary class="cursor-pointer px-3 py-2 font-medium hover:bg-hover">{t.title(count)}</summary>
      <ol class="max-h-56 overflow-y-auto border-t border-line">
        {members.map((member) => (
          <Member key={member.id} of={member} isShown={member.id === message.id} />
        ))}
      </ol>
      {cursor !== null && (
        <button
          type="button"
          class="button button-quiet m-1"
          onClick={() => void load(cursor).catch(tellFault)}
        >
          {t.later}
        </button>
      )}
    </details>
  );
}

function Member({ of: member, isShown }: { of: ThreadMessageView; isShown: boolean }) {
  const t = words.conversation.thread;
  const isReceived = member.direction === 'in';
  const at = isReceived ? member.received_at : member.created_at;
  const row = (
    <>
      <Icon name={isReceived ? 'inbox' : 'send'} class="size-4! text-faint" />
      <span class="sr-only">{isReceived ? t.received : t.sent}</span>
      <bdi class="min-w-0 flex-1 truncate">
        {isReceived ? readName(member.from) : t.to(member.recipients.map(({ email }) => email).join(', '))}
      </bdi>
      <bdi class="hidden min-w-0 flex-1 truncate text-soft sm:block">
        {member.subject || words.list.noSubject}
      </bdi>
      <time class="flex-none text-xs text-faint tabular-nums" dateTime={at} title={fullTime(at)}>
        {shortTime(at)}
      </time>
    </>
  );
  const look = `flex items-center gap-2 px-3 py-1.5 ${isShown ? 'bg-hover font-medium' : ''}`;
  return (
    <li>
      {isReceived ? (
        <Link
          to={pathTo('all', member.id)}
          class={`${look} hover:bg-hover`}
          aria-current={isShown ? 'true' : undefined}
          title={addressIn(member.from)}
        >
          {row}
        </Link>
      ) : (
        <div class={look}>{row}</div>
      )}
    </li>
  );
}
