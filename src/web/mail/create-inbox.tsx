import { useEffect, useState } from 'preact/hooks';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import type { DomainView } from '../../features/domains/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { ApiFailure, call, me, send } from '../api.ts';
import { type Submit, useSubmit } from '../data.ts';
import { Checkbox, Field, FormDialog, SelectField, TextField } from '../forms.tsx';
import { go, pathTo } from '../router.tsx';
import { copy } from '../toast.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { loadInboxes } from './inboxes.ts';

interface InboxForm {
  routing_key: string;
  label: string;
  domain: string;
  is_public: boolean;
}

const nothing: InboxForm = { routing_key: '', label: '', domain: '', is_public: false };

/** Creates an inbox with a random or a chosen address. */
export function CreateInbox({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useTyped('inboxes', nothing);
  const submit = useSubmit(async () => {
    const data = await send<InboxWithUnread>('POST', 'inboxes', makeBody(form)).catch(explainTaken);
    await loadInboxes();
    onClose();
    go(pathTo('inbox', data.id));
    void copy(data.address, data.address);
  });
  return (
    <FormDialog
      title={words.list.inboxes.new}
      submit={submit}
      action={words.steps.newInbox.create}
      onClose={onClose}
    >
      <Fields
        form={form}
        findFault={submit.findFault}
        onChange={(change) => setForm({ ...form, ...change })}
      />
    </FormDialog>
  );
}

function makeBody({ routing_key, label, domain, is_public }: InboxForm) {
  return {
    ...(routing_key.trim() ? { routing_key: routing_key.trim() } : {}),
    ...(label.trim() ? { label: label.trim() } : {}),
    ...(domain ? { domain } : {}),
    ...(is_public ? { public: true } : {}),
  };
}

interface FieldsProps extends Pick<Submit, 'findFault'> {
  form: InboxForm;
  onChange: (change: Partial<InboxForm>) => void;
}

function Fields({ form, findFault, onChange }: FieldsProps) {
  const domains = useDomains();
  const t = words.steps.newInbox;
  return (
    <>
      <Field label={words.list.address} hint={t.addressHint} fault={findFault('routing_key')}>
        {(control) => (
          <span class="flex items-center gap-2">
            <input
              {...control}
              autofocus
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder={t.random}
              value={form.routing_key}
              onInput={({ currentTarget }) => onChange({ routing_key: currentTarget.value })}
            />
            {domains.length === 0 && <span class="flex-none text-soft">@{me.value?.mail_domain}</span>}
          </span>
        )}
      </Field>
      {domains.length > 0 && (
        <SelectField
          label={t.domain}
          fault={findFault('domain')}
          value={form.domain}
          options={{
            '': t.shared(me.value?.mail_domain ?? ''),
            ...Object.fromEntries(domains.map(({ id, name }) => [id, name])),
          }}
          onChange={(domain) => onChange({ domain, is_public: false })}
        />
      )}
      <TextField
        label={t.label}
        hint={t.labelHint}
        fault={findFault('label')}
        maxlength={me.value?.bounds.label_chars}
        placeholder={t.labelExample}
        value={form.label}
        onInput={(label) => onChange({ label })}
      />
      <PublicBox form={form} onChange={onChange} />
    </>
  );
}

function PublicBox({ form, onChange }: Pick<FieldsProps, 'form' | 'onChange'>) {
  return (
    <Checkbox
      checked={form.is_public}
      disabled={form.domain !== ''}
      onChange={(isPublic) => onChange({ is_public: isPublic })}
    >
      <span class="block font-medium">{words.steps.newInbox.public}</span>
      <span class="block text-xs text-soft">{words.steps.newInbox.publicHint}</span>
    </Checkbox>
  );
}

/** Says it in the person's language when the address is not free. */
function explainTaken(fault: unknown): never {
  if (!(fault instanceof ApiFailure)) throw fault;
  const { taken, own } = words.steps.newInbox;
  const text = { slug_taken: taken, conflict: own }[fault.code];
  throw text === undefined ? fault : new ApiFailure(fault.status, fault.code, text);
}

/** The account's verified domains. */
function useDomains(): DomainView[] {
  const [domains, setDomains] = useState<DomainView[]>([]);
  useEffect(() => {
    if (!me.value?.plan.custom_domains || me.value.capture) return;
    call<PageView<DomainView>>('GET', 'domains?limit=100')
      .then(({ data }) => setDomains(data.filter(({ status }) => status === 'verified')))
      .catch(() => {});
  }, []);
  return domains;
}
