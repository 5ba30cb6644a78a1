import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import { TextAreaField, TextField } from '../forms.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { useDraft } from './drafts.ts';
import { AddressField, Letter, readAddresses } from './letter.tsx';

/** Writes a new email from an inbox's address. */
export function Compose({ inbox, onClose }: { inbox: InboxWithUnread; onClose: () => void }) {
  const t = words.conversation.letter;
  const path = `inboxes/${inbox.id}/compose`;
  const draft = useDraft(path, { to: '', copies: '', subject: '', text: '' });
  const { to, copies, subject, text } = draft.fields;
  return (
    <Letter
      title={words.conversation.compose}
      about={fill(t.about, { address: <strong class="wrap-anywhere text-ink">{inbox.address}</strong> })}
      path={path}
      draft={draft}
      makeBody={() => ({ to: readAddresses(to), cc: readAddresses(copies), subject, body_text: text })}
      canSend={to.trim() !== '' && text.trim() !== ''}
      action={t.send}
      onClose={onClose}
    >
      {(findFault) => (
        <>
          <AddressField
            label={t.to}
            value={to}
            onInput={(value) => draft.change({ to: value })}
            fault={findFault('to')}
            isFirst
          />
          <AddressField
            label={t.cc}
            value={copies}
            onInput={(value) => draft.change({ copies: value })}
            fault={findFault('cc')}
          />
          <TextField
            label={t.subject}
            fault={findFault('subject')}
            value={subject}
            onInput={(value) => draft.change({ subject: value })}
          />
          <TextAreaField
            label={t.text}
            value={text}
            onInput={(value) => draft.change({ text: value })}
            fault={findFault('body_text')}
            rows={8}
          />
        </>
      )}
    </Letter>
  );
}
