import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { SelectField, TextAreaField } from '../forms.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { useDraft } from './drafts.ts';
import { AddressField, Letter, readAddresses } from './letter.tsx';

/** How the email contains the original message. */
const ways = {
  quoted: {},
  kept: { include_attachments: true },
  attached: { as_attachment: true },
};
type Way = keyof typeof ways;

interface SendOnProps {
  message: OpenedMessage;
  onClose: () => void;
  onSent: () => void;
}

/** Forwards a received message to a real address, from the inbox's address (docs/api-v1.md). */
export function SendOn({ message, onClose, onSent }: SendOnProps) {
  const t = words.conversation.forwarding;
  const { letter } = words.conversation;
  const path = `inboxes/${message.inbox_id}/messages/${message.id}/forward`;
  const draft = useDraft<{ to: string; note: string; way: Way }>(path, {
    to: '',
    note: '',
    way: message.attachments.length > 0 ? 'kept' : 'quoted',
  });
  const { to, note, way } = draft.fields;
  return (
    <Letter
      title={t.title}
      about={fill(letter.about, {
        address: <strong class="wrap-anywhere text-ink">{message.address}</strong>,
      })}
      path={path}
      draft={draft}
      makeBody={() => ({
        to: readAddresses(to),
        ...(note.trim() ? { body_text: note } : {}),
        ...ways[way],
      })}
      canSend={to.trim() !== ''}
      action={words.reading.forward}
      onClose={onClose}
      onSent={onSent}
    >
      {(findFault) => (
        <>
          <AddressField
            label={letter.to}
            value={to}
            onInput={(value) => draft.change({ to: value })}
            fault={findFault('to')}
            isFirst
          />
          <TextAreaField
            label={t.note}
            hint={t.noteHint}
            value={note}
            onInput={(value) => draft.change({ note: value })}
            fault={findFault('body_text')}
            rows={3}
          />
          <SelectField
            label={t.way}
            fault={findFault('include_attachments')}
            value={way}
            options={t.ways}
            onChange={(value) => draft.change({ way: value })}
          />
        </>
      )}
    </Letter>
  );
}
