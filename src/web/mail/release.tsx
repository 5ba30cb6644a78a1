import { useState } from 'preact/hooks';
import type { OpenedMessage, Released } from '../../doors/dashboard/wire.ts';
import { call, me } from '../api.ts';
import { useSubmit } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../parts.tsx';
import { Fault } from '../rows.tsx';
import { tell } from '../toast.tsx';
import { noteReleases } from './opened.ts';

const KEY = 'postern.release_to';

/** Sends a captured message on, exactly as it came, to an address that the operator allows. */
export function ReleaseDialog({ message, onClose }: { message: OpenedMessage; onClose: () => void }) {
  const allow = me.value?.release_allow ?? [];
  const [to, setTo] = useState(localStorage.getItem(KEY) ?? allow.find((one) => one.includes('@')) ?? '');
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    const body = { to: to.split(/[\s,;]+/).filter(Boolean) };
    const { data } = await call<{ data: Released }>('POST', `messages/${message.id}/release`, body);
    localStorage.setItem(KEY, to);
    noteReleases(message.id, data.releases);
    const refused = data.releases.filter(({ is_accepted }) => !is_accepted);
    if (refused.length > 0) tell(`Refused for ${refused.map((one) => one.to).join(', ')}`, true);
    else tell(data.is_exact ? 'Message released' : 'Message released; its bare line feeds became CRLF');
    onClose();
  });
  return (
    <Dialog title="Release message" onClose={onClose}>
      <form class="space-y-4" onSubmit={onSubmit}>
        <p class="text-soft">
          The message leaves this machine exactly as it came, with its attachments. Choose which of the
          allowed addresses gets it.
        </p>
        <Field label="To" fault={faultOf('to')} hint={`Allowed: ${allow.join(', ')}`}>
          <input
            class="field"
            type="text"
            inputMode="email"
            autofocus
            required
            value={to}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </Field>
        <Fault>{fault}</Fault>
        <div class="flex justify-end gap-2 pt-1">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={isBusy || to.trim() === ''}>
            {isBusy ? 'Releasing…' : 'Release'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
