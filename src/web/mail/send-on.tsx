import { useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { ApiFailure, call } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../parts.tsx';
import { tell, tellFault } from '../toast.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { ChosenFiles, isTooMuch, readFiles } from './chosen-files.tsx';

/** How the message is in the email. */
const ways = ['quoted', 'kept', 'attached'] as const;
type Way = (typeof ways)[number];

const asked: Record<Way, object> = {
  quoted: {},
  kept: { include_attachments: true },
  attached: { as_attachment: true },
};

/** Forwards a received message to a real address, from the inbox's address (docs/api-v1.md). */
export function SendOn({ message, onClose }: { message: OpenedMessage; onClose: () => void }) {
  const t = words.reading.forwarding;
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const [way, setWay] = useState<Way>(message.attachments.length > 0 ? 'kept' : 'quoted');
  const [files, setFiles] = useState<File[]>([]);
  const [fault, setFault] = useState<ApiFailure | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await call('POST', `inboxes/${message.inbox_id}/messages/${message.id}/forward`, {
        to: to.split(/[\s,;]+/).filter(Boolean),
        ...(note.trim() ? { body_text: note } : {}),
        ...asked[way],
        ...(files.length > 0 ? { attachments: await readFiles(files) } : {}),
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
        <Note note={note} onChange={setNote} />
        <WayChoice way={way} onChange={setWay} />
        <ChosenFiles files={files} onChange={setFiles} />
        {fault && !fault.fields.to && (
          <p class="rounded-md bg-dangertint px-3 py-2 text-sm text-danger" role="alert">
            {fault.message}
          </p>
        )}
        <Buttons canSend={!busy && to.trim() !== '' && !isTooMuch(files)} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function Note({ note, onChange }: { note: string; onChange: (note: string) => void }) {
  const t = words.reading.forwarding;
  return (
    <Field label={t.note} hint={t.noteHint}>
      <textarea
        class="field"
        rows={3}
        value={note}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  );
}

function WayChoice({ way, onChange }: { way: Way; onChange: (way: Way) => void }) {
  const t = words.reading.forwarding;
  return (
    <Field label={t.way}>
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
