import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { Checkbox, TextAreaField } from '../forms.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { useDraft } from './drafts.ts';
import { AddressField, Letter, readAddresses } from './letter.tsx';

interface ReplyProps {
  message: OpenedMessage;
  onClose: () => void;
  onSent: () => void;
}

/** Answers a received message from the inbox's address, in its thread. The server decides who gets it. */
export function Reply({ message, onClose, onSent }: ReplyProps) {
  const t = words.conversation.reply;
  const { letter } = words.conversation;
  const { inbox_id, id, address, from, reply_to, to, cc } = message;
  const path = `inboxes/${inbox_id}/messages/${id}/reply`;
  const draft = useDraft(path, { text: '', copies: '', toAll: '' });
  const { text, copies } = draft.fields;
  const isToAll = draft.fields.toAll !== '';
  return (
    <Letter
      title={t.title}
      about={fill(t.about, {
        recipient: <strong class="wrap-anywhere text-ink">{reply_to ?? from}</strong>,
        address: <strong class="wrap-anywhere text-ink">{address}</strong>,
      })}
      path={path}
      draft={draft}
      makeBody={() => ({ body_text: text, cc: readAddresses(copies), reply_all: isToAll })}
      canSend={text.trim() !== ''}
      action={letter.send}
      onClose={onClose}
      onSent={onSent}
    >
      {(findFault) => (
        <>
          {to.length + cc.length > 1 && (
            <Checkbox checked={isToAll} onChange={(toAll) => draft.change({ toAll: toAll ? 'yes' : '' })}>
              {t.all}
            </Checkbox>
          )}
          <AddressField
            label={letter.cc}
            value={copies}
            onInput={(value) => draft.change({ copies: value })}
            fault={findFault('cc') ?? findFault('to')}
          />
          <TextAreaField
            label={letter.text}
            value={text}
            onInput={(value) => draft.change({ text: value })}
            fault={findFault('body_text')}
            rows={8}
            autofocus
          />
        </>
      )}
    </Letter>
  );
}
