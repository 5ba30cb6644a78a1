import type { OpenedMessage, Released } from '../../doors/dashboard/wire.ts';
import { me, send } from '../api.ts';
import { useSubmit } from '../data.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { showToast } from '../toast.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { noteReleases } from './opened.ts';

const KEY = 'postern.release_to';

/** Sends a captured message on, exactly as it came, to an address that the operator allows. */
export function ReleaseDialog({ message, onClose }: { message: OpenedMessage; onClose: () => void }) {
  const t = words.delivery.release;
  const allow = me.value?.release_allow ?? [];
  const [to, setTo] = useTyped(
    `messages/${message.id}/release`,
    localStorage.getItem(KEY) ?? allow.find((one) => one.includes('@')) ?? '',
  );
  const submit = useSubmit(async () => {
    const body = { to: to.split(/[\s,;]+/).filter(Boolean) };
    const data = await send<Released>('POST', `messages/${message.id}/release`, body);
    localStorage.setItem(KEY, to);
    noteReleases(message.id, data.releases);
    const refused = data.releases.filter(({ is_accepted }) => !is_accepted);
    if (refused.length > 0) showToast(t.refused(refused.map((one) => one.to).join(', ')), true);
    else showToast(data.is_exact ? t.released : t.changed);
    onClose();
  });
  return (
    <FormDialog
      title={t.title}
      onClose={onClose}
      submit={submit}
      action={submit.isBusy ? t.releasing : words.reading.release}
      isIncomplete={to.trim() === ''}
      about={t.about}
    >
      <TextField
        label={words.conversation.letter.to}
        fault={submit.findFault('to')}
        hint={t.allowed(allow.join(', '))}
        type="text"
        inputMode="email"
        autofocus
        required
        value={to}
        onInput={setTo}
      />
    </FormDialog>
  );
}
