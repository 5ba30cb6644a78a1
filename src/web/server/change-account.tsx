import type { AccountChoices, AccountInList } from '../../doors/dashboard/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask, Dialog } from '../dialog.tsx';
import { Checkbox, SelectField } from '../forms.tsx';
import { CopyButton } from '../parts.tsx';
import { Fault } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

type Changes = Pick<AccountInList, 'plan' | 'status' | 'kind'> & AccountInList['flags'];

/** Changes the plan, status, kind and flags of an account. Only the changes are sent. */
export function ChangeAccount({
  of: account,
  onClose,
  onDone,
}: {
  of: AccountInList;
  onClose: () => void;
  onDone: () => void;
}) {
  const t = words.server.accounts;
  const before: Changes = {
    plan: account.plan,
    status: account.status,
    kind: account.kind,
    ...account.flags,
  };
  const path = `operator/accounts/${account.account_id}`;
  const [form, setForm] = useTyped(path, before);
  const changed = Object.fromEntries(
    Object.entries(form).filter(([name, value]) => before[name as keyof Changes] !== value),
  );
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    if (Object.keys(changed).length > 0) await call('PATCH', path, changed);
    onDone();
  });
  const remove = async () => {
    const body = t.deleteBody(account.email ?? account.name);
    if (!(await ask({ title: t.deleteTitle, body, action: t.delete, isDanger: true }))) return;
    if (await attempt(() => call('DELETE', path))) onDone();
  };
  return (
    <Dialog title={account.email ?? account.name} onClose={onClose}>
      <form class="space-y-4" onSubmit={onSubmit}>
        <p class="flex items-center gap-1 text-sm text-soft">
          <code class="min-w-0 font-mono wrap-anywhere">{account.account_id}</code>
          <CopyButton text={account.account_id} what={t.id} />
        </p>
        <Fault>{fault}</Fault>
        <Choices of={form} onChange={setForm} findFault={findFault} />
        <div class="flex flex-wrap justify-between gap-2 pt-1">
          <ActionButton class="button text-danger!" onRun={remove}>
            {t.delete}
          </ActionButton>
          <span class="flex gap-2">
            <button type="button" class="button" onClick={onClose}>
              {words.frame.cancel}
            </button>
            <button type="submit" class="button button-main" disabled={isBusy}>
              {t.save}
            </button>
          </span>
        </div>
      </form>
    </Dialog>
  );
}

interface ChoicesProps {
  of: Changes;
  onChange: (form: Changes) => void;
  findFault: (field: string) => string | undefined;
}

function Choices({ of: form, onChange, findFault }: ChoicesProps) {
  const t = words.server.accounts;
  // Plans are shown by their names in the settings.
  const names: Record<string, string> = { ...t.statuses, ...t.kinds };
  const { data: choices } = useData<AccountChoices>('operator/account-choices');
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-3">
        {(['plan', 'status', 'kind'] as const).map((name) => (
          <SelectField<string>
            key={name}
            label={t[name]}
            fault={findFault(name)}
            value={form[name]}
            options={Object.fromEntries(
              (choices?.[name] ?? [form[name]]).map((choice) => [choice, names[choice] ?? choice]),
            )}
            onChange={(choice) => onChange({ ...form, [name]: choice })}
          />
        ))}
      </div>
      <fieldset class="space-y-2">
        <legend class="sr-only">{t.flags}</legend>
        {(['custom_domains', 'outbound', 'operator', 'trap'] as const).map((name) => (
          <Checkbox
            key={name}
            class="text-sm"
            checked={form[name]}
            onChange={(isOn) => onChange({ ...form, [name]: isOn })}
          >
            {t.flagNames[name]}
          </Checkbox>
        ))}
      </fieldset>
    </>
  );
}
