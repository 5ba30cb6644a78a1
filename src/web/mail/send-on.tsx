import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { Field } from '../parts.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { useDraft } from './drafts.ts';
import { AddressField, Letter, readAddresses, TextField } from './letter.tsx';

/** How the email contains the original message. */
const ways = ['quoted', 'kept', 'attached'] as const;
type Way = (typeof ways)[number];

const asked: Record<Way, object> = {
  quoted: {},
  kept: { include_attachments: true },
  attached: { as_attachment: true },
};

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
        ...asked[way],
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
            onChange={(value) => draft.change({ to: value })}
            fault={findFault('to')}
            isFirst
          />
          <TextField
            label={t.note}
            hint={t.noteHint}
            value={note}
            onChange={(value) => draft.change({ note: value })}
            fault={findFault('body_text')}
            rows={3}
          />
          <WayChoice
            way={way}
            onChange={(value) => draft.change({ way: value })}
            fault={findFault('include_attachments')}
          />
        </>
      )}
    </Letter>
  );
}

interface WayChoiceProps {
  way: Way;
  onChange: (way: Way) => void;
  fault: string | undefined;
}

function WayChoice({ way, onChange, fault }: WayChoiceProps) {
  const t = words.conversation.forwarding;
  return (
    <Field label={t.way} fault={fault}>
      <select
        class="field"
        value={way}
        onChange={({ currentTarget }) =>
          onChange(ways.find((one) => one === currentTarget.value) ?? 'quoted')
        }
      >
        {ways.map((one) => (
          <option key={one} value={one}>
            {t.ways[one]}
          </option>
        ))}
      </select>
    </Field>
  );
}
