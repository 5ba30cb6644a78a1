import { useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { ApiFailure, call } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../parts.tsx';
import { tell, tellFault } from '../toast.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';

/** Forwards a received message to a real address: quoted, from the inbox's address (docs/api-v1.md). */
export function SendOn({ message, onClose }: { message: OpenedMessage; onClose: () => void }) {
  const t = words.reading.forwarding;
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const [fault, setFault] = useState<ApiFailure | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await call('POST', `inboxes/${message.inbox_id}/messages/${message.id}/forward`, {
        to: to.split(/[\s,;]+/).filter(Boolean),
        ...(note.trim() ? { body_text: note } : {}),
      });
      tell(t.queued);
      onClose();
    } catch (thrown) {
      if (thrown instanceof ApiFailure) setFault(thrown);
      else tellFault(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t.title} onClose={onClose}>
      <form class="space-y-4" onSubmit={send}>
        <p class="text-soft">
          {fill(t.about, { address: <strong class="break-all text-ink">{message.address}</strong> })}
        </p>
        <Field label={t.to} fault={fault?.fields.to?.[0]}>
          <input
            class="field"
            type="text"
            inputMode="email"
            autofocus
            required
            placeholder="ann@example.com"
            value={to}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </Field>
        <Field label={t.note} hint={t.noteHint}>
          <textarea
            class="field"
            rows={3}
            value={note}
            onInput={({ currentTarget }) => setNote(currentTarget.value)}
          />
        </Field>
        {fault && !fault.fields.to && (
          <p class="rounded-md bg-dangertint px-3 py-2 text-sm text-danger" role="alert">
            {fault.message}
          </p>
        )}
        <Buttons canSend={!busy && to.trim() !== ''} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function Buttons({ canSend, onClose }: { canSend: boolean; onClose: () => void }) {
  return (
    <div class="flex justify-end gap-2 pt-1">
      <button type="button" class="button" onClick={onClose}>
        {words.frame.cancel}
      </button>
      <button type="submit" class="button button-main" disabled={!canSend}>
        {words.reading.forward}
      </button>
    </div>
  );
}
