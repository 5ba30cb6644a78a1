import { useEffect, useState } from 'preact/hooks';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import type { DomainView } from '../../features/domains/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { ApiFailure, call, me } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { DialogButtons } from '../dialog-buttons.tsx';
import { Field } from '../parts.tsx';
import { go, pathTo } from '../router.tsx';
import { copy, showFault } from '../toast.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { loadInboxes } from './store.ts';

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
  const [faults, setFaults] = useState<Record<string, string[]>>({});
  const [busy, setBusy] = useState(false);
  const create = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { data } = await call<{ data: InboxWithUnread }>('POST', 'inboxes', makeBody(form));
      await loadInboxes();
      onClose();
      go(pathTo('inbox', data.id));
      void copy(data.address, data.address);
    } catch (fault) {
      if (fault instanceof ApiFailure) setFaults(listFaults(fault));
      else showFault(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.list.inboxes.new} onClose={onClose}>
      <form class="space-y-4" onSubmit={create}>
        <Fields form={form} faults={faults} onChange={(change) => setForm({ ...form, ...change })} />
        {faults.other && (
          <p class="rounded-md bg-dangertint px-3 py-2 text-sm text-danger" role="alert">
            {faults.other[0]}
          </p>
        )}
        <DialogButtons action={words.list.newInbox.create} isDisabled={busy} onClose={onClose} />
      </form>
    </Dialog>
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

interface FieldsProps {
  form: InboxForm;
  faults: Record<string, string[]>;
  onChange: (change: Partial<InboxForm>) => void;
}

function Fields({ form, faults, onChange }: FieldsProps) {
  const domains = useDomains();
  const t = words.list.newInbox;
  return (
    <>
      <Field label={t.address} hint={t.addressHint} fault={faults.routing_key?.[0]}>
        <span class="flex items-center gap-2">
          <input
            class="field"
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
      </Field>
      {domains.length > 0 && (
        <Field label={t.domain} fault={faults.domain?.[0]}>
          <select
            class="field"
            value={form.domain}
            onChange={({ currentTarget }) => onChange({ domain: currentTarget.value, is_public: false })}
          >
            <option value="">{t.shared(me.value?.mail_domain ?? '')}</option>
            {domains.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label={t.label} hint={t.labelHint} fault={faults.label?.[0]}>
        <input
          class="field"
          maxLength={me.value?.bounds.label_chars}
          placeholder={t.labelExample}
          value={form.label}
          onInput={({ currentTarget }) => onChange({ label: currentTarget.value })}
        />
      </Field>
      <PublicBox form={form} onChange={onChange} />
    </>
  );
}

function PublicBox({ form, onChange }: Pick<FieldsProps, 'form' | 'onChange'>) {
  return (
    <label class="flex items-start gap-2.5">
      <input
        type="checkbox"
        class="mt-0.5 size-4 accent-accent"
        checked={form.is_public}
        disabled={form.domain !== ''}
        onChange={({ currentTarget }) => onChange({ is_public: currentTarget.checked })}
      />
      <span>
        <span class="block font-medium">{words.list.newInbox.public}</span>
        <span class="block text-xs text-soft">{words.list.newInbox.publicHint}</span>
      </span>
    </label>
  );
}

/** Errors by field; one that belongs to no field is shown below the form. */
function listFaults({ code, message, fields }: ApiFailure): Record<string, string[]> {
  if (code === 'slug_taken') return { routing_key: [words.list.newInbox.taken] };
  if (code === 'conflict') return { routing_key: [words.list.newInbox.own] };
  return Object.keys(fields).length > 0 ? fields : { other: [message] };
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
