import { useState } from 'preact/hooks';
import type { AccountChoices, CreatedAccountView } from '../../doors/dashboard/wire.ts';
import { send } from '../api.ts';
import { serverUrl } from '../base.ts';
import { useData, useSubmit } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { FormDialog, SelectField, TextField } from '../forms.tsx';
import { CopyButton } from '../parts.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

export function NewAccount({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (created: CreatedAccountView) => void;
}) {
  const t = words.server.accounts;
  const { data: choices } = useData<AccountChoices>('operator/account-choices');
  const [email, setEmail] = useTyped('operator/accounts', '');
  const [chosenPlan, setPlan] = useState<string | null>(null);
  const plan = chosenPlan ?? choices?.default_plan;
  const submit = useSubmit(async () => {
    onCreated(await send<CreatedAccountView>('POST', 'operator/accounts', { email, plan }));
  });
  return (
    <FormDialog title={t.new} onClose={onClose} submit={submit} action={t.create}>
      <TextField
        label={t.ownerEmail}
        fault={submit.findFault('email')}
        type="email"
        required
        autofocus
        value={email}
        onInput={setEmail}
      />
      <SelectField
        label={t.plan}
        fault={submit.findFault('plan')}
        value={plan}
        options={Object.fromEntries((choices?.plan ?? []).map((each) => [each, each]))}
        onChange={setPlan}
      />
    </FormDialog>
  );
}

/** The owner's invitation link and the account's first API key, both shown only once. */
export function CreatedAccount({
  of: { email, api_key, invite_path },
  onClose,
}: {
  of: CreatedAccountView;
  onClose: () => void;
}) {
  const t = words.server.accounts;
  const secrets = [
    [t.invitation, serverUrl + invite_path, t.link],
    [t.apiKey, api_key, t.apiKey],
  ] as const;
  return (
    <Dialog title={t.created} onClose={onClose}>
      <p class="text-sm text-soft">{t.createdBody(email ?? '')}</p>
      {secrets.map(([name, secret, what]) => (
        <div key={name} class="mt-4">
          <p class="mb-1 text-sm font-medium">{name}</p>
          <div class="flex items-center gap-1 rounded-md bg-hover py-1 pr-1 pl-3">
            <span class="min-w-0 flex-1 font-mono text-sm break-all select-all">{secret}</span>
            <CopyButton text={secret} what={what} />
          </div>
        </div>
      ))}
      <div class="mt-5 flex justify-end">
        <button type="button" class="button button-main" onClick={onClose}>
          {words.frame.done}
        </button>
      </div>
    </Dialog>
  );
}
