import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import type { ThreadMessageView, ThreadView } from '../../features/threads/wire.ts';
import { readAddress, readName } from '../format.ts';
import { Icon } from '../icons.tsx';
import { usePages } from '../pages.tsx';
import { ShortTime } from '../parts.tsx';
import { Link, pathTo } from '../router.tsx';
import { words } from '../words/words.ts';

interface ConversationProps {
  message: OpenedMessage;
  /** Changes when the conversation may have grown. */
  version: string;
}

/** The mail's messages to other recipients. They are in its thread, and its head lists them. */
const listOtherCopies = ({ id, recipients }: OpenedMessage): string[] =>
  recipients.flatMap((copy) => (copy.id === id ? [] : copy.id));

/** The other messages of the thread, received and sent, oldest first. */
export function Conversation({ message, version }: ConversationProps) {
  const { rows, data, loadMore } = usePages<ThreadMessageView, ThreadView>(`threads/${message.thread_id}`, {
    filters: { limit: 50 },
    version,
    readRows: ({ messages }) => messages,
  });
  const copies = listOtherCopies(message);
  const count = (data?.message_count ?? message.thread_messages) - copies.length;
  const t = words.conversation.thread;
  return (
    <details class="card mt-4 overflow-hidden text-sm" open>
      <summary class="cursor-pointer px-3 py-2 font-medium hover:bg-hover">{t.title(count)}</summary>
      <ol class="max-h-56 overflow-y-auto border-t border-line">
        {rows
          ?.filter(({ id }) => !copies.includes(id))
          .map((member) => (
            <Member key={member.id} of={member} isShown={member.id === message.id} />
          ))}
      </ol>
      {loadMore && (
        <button type="button" class="button button-quiet m-1" onClick={loadMore}>
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
      <ShortTime at={at} class="flex-none tabular-nums" />
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
          title={readAddress(member.from)}
        >
          {row}
        </Link>
      ) : (
        <div class={look}>{row}</div>
      )}
    </li>
  );
}
