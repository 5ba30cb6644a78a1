import { useState } from 'preact/hooks';
import type { WithheldMessageView } from '../../features/messages/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { ask } from '../dialog.tsx';
import { lazily } from '../lazy.tsx';
import { ShortTime } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { words } from '../words/words.ts';

const MailDialog = lazily(
  async () => (await import('../mail/read-only-mail.tsx')).ReadOnlyMailDialog,
  ['reading'],
);

const SHOWN = 100;

/** The messages that an inbox's lists withhold. */
export function WithheldMessages({ inboxId }: { inboxId: string }) {
  const t = words.contacts.senders;
  const withheld = useData<WithheldMessageView[]>(`inboxes/${inboxId}/withheld?limit=${SHOWN}`);
  const [read, setRead] = useState<WithheldMessageView | null>(null);
  const accept = async ({ id }: WithheldMessageView) => {
    if (!(await attempt(() => call('POST', `messages/${id}/accept`)))) return;
    showToast(t.accepted);
    await withheld.reload();
  };
  const remove = async (message: WithheldMessageView) => {
    const name = message.subject || words.list.noSubject;
    const question = { title: t.deleteTitle, body: t.deleteBody(name), action: words.frame.delete };
    const sure = await ask({ ...question, isDanger: true });
    if (sure && (await attempt(() => call('DELETE', `messages/${message.id}`)))) await withheld.reload();
  };
  return (
    <Part title={t.withheld} about={t.withheldAbout}>
      <Loaded of={withheld}>
        {(list) =>
          list.length === 0 ? (
            <p class="text-sm text-soft">{t.noneWithheld}</p>
          ) : (
            <>
              <Rows label={t.withheld}>
                {list.map((message) => (
                  <Message
                    key={message.id}
                    of={message}
                    onRead={() => setRead(message)}
                    onAccept={() => accept(message)}
                    onDelete={() => void remove(message)}
                  />
                ))}
              </Rows>
              {list.length === SHOWN && <p class="mt-2 text-sm text-soft">{t.more(SHOWN)}</p>}
            </>
          )
        }
      </Loaded>
      {read && (
        <MailDialog
          path={`messages/${read.id}`}
          name={read.subject || words.list.noSubject}
          onClose={() => setRead(null)}
        />
      )}
    </Part>
  );
}

interface MessageProps {
  of: WithheldMessageView;
  onRead: () => void;
  onAccept: () => Promise<void>;
  onDelete: () => void;
}

function Message({ of: message, onRead, onAccept, onDelete }: MessageProps) {
  const t = words.contacts.senders;
  const name = message.subject || words.list.noSubject;
  return (
    <Row
      actions={
        <>
          <button type="button" class="button" aria-label={t.readOne(name)} onClick={onRead}>
            {t.read}
          </button>
          <ActionButton aria-label={t.acceptOne(name)} onRun={onAccept}>
            {t.accept}
          </ActionButton>
          <button type="button" class="button" aria-label={t.deleteOne(name)} onClick={onDelete}>
            {words.frame.delete}
          </button>
        </>
      }
    >
      <p class="flex flex-wrap items-baseline gap-x-3">
        <bdi class="min-w-0 font-medium wrap-anywhere">{name}</bdi>
        <span class="tag">{t.reasons[message.withheld]}</span>
        <ShortTime at={message.received_at} />
      </p>
      <p class="text-sm text-soft wrap-anywhere">
        <bdi>{message.from || words.frame.unknownSender}</bdi>
      </p>
    </Row>
  );
}
