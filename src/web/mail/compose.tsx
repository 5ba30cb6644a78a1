import { useState } from 'preact/hooks';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { Field } from '../parts.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { AddressField, Letter, readAddresses, TextField } from './letter.tsx';

/** Writes a new email from an inbox's address. */
export function Compose({ inbox, onClose }: { inbox: InboxWithUnread; onClose: () => void }) {
  const t = words.conversation.letter;
  const [to, setTo] = useState('');
  const [copies, setCopies] = useState('');
  const [subject, setSubject] = useState('');
  const [text, setText] = useState('');
  return (
    <Letter
      title={words.conversation.compose}
      about={fill(t.about, { address: <strong class="break-all text-ink">{inbox.address}</strong> })}
      path={`inboxes/${inbox.id}/compose`}
      makeBody={() => ({ to: readAddresses(to), cc: readAddresses(copies), subject, body_text: text })}
      canSend={to.trim() !== '' && text.trim() !== ''}
      action={t.send}
      onClose={onClose}
    >
      {(findFault) => (
        <>
          <AddressField label={t.to} value={to} onChange={setTo} fault={findFault('to')} isFirst />
          <AddressField label={t.cc} value={copies} onChange={setCopies} fault={findFault('cc')} />
          <Field label={t.subject} fault={findFault('subject')}>
            <input
              class="field"
              value={subject}
              onInput={({ currentTarget }) => setSubject(currentTarget.value)}
            />
          </Field>
          <TextField label={t.text} value={text} onChange={setText} fault={findFault('body_text')} rows={8} />
        </>
      )}
    </Letter>
  );
}
