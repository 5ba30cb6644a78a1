import type { RuleRequest, RuleView } from '../../features/mail-rules/wire.ts';
import { noticeExamples, placeholders } from '../../rules/notices.ts';
import { call, isOwner } from '../api.ts';
import { type Submit, useSubmit } from '../data.ts';
import { Checkbox, FormDialog, SelectField, TextAreaField, TextField } from '../forms.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

type Service = keyof typeof noticeExamples | 'none' | 'own';

const services = Object.fromEntries(
  Object.keys(noticeExamples).map((name) => [
    name,
    name === 'ntfy' ? name : name[0]!.toUpperCase() + name.slice(1),
  ]),
) as Record<keyof typeof noticeExamples, string>;

/** The contents of the form. */
interface Draft {
  name: string;
  inbox: string;
  from: string;
  to: string;
  subject: string;
  code: 'any' | 'yes' | 'no';
  tags: string;
  isRead: boolean;
  days: string;
  forward: string;
  service: Service;
  url: string;
  template: string;
  isLast: boolean;
}

interface RuleFormProps {
  /** Null for a new one. */
  rule: RuleView | null;
  onClose: () => void;
  onSaved: () => void;
}

/** The form for a rule. */
export function RuleForm({ rule, onClose, onSaved }: RuleFormProps) {
  const t = words.rules.form;
  const [draft, setDraft] = useTyped(`rules.${rule?.id ?? 'new'}`, readDraft(rule));
  const submit = useSubmit(async () => {
    const body = makeRequest(draft);
    await (rule ? call('PATCH', `rules/${rule.id}`, body) : call('POST', 'rules', body));
    onSaved();
  });
  const fields = {
    draft,
    findFault: submit.findFault,
    onChange: (changes: Partial<Draft>) => setDraft({ ...draft, ...changes }),
  };
  return (
    <FormDialog
      title={rule ? t.editTitle : t.newTitle}
      onClose={onClose}
      wide
      submit={submit}
      action={t.save}
      fault={submit.fault ?? submit.findFault('body')}
    >
      {textFields(fields)('name', t.name)}
      <ConditionFields {...fields} />
      <ActionFields {...fields} />
    </FormDialog>
  );
}

interface Fields extends Pick<Submit, 'findFault'> {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
}

type TextName = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft];

interface TextOptions {
  hint?: string;
  /** As the API calls it; by default as the form does. */
  field?: string;
  isNumber?: boolean;
}

/** Returns the function that renders the form's text fields. */
function textFields({ draft, onChange, findFault }: Fields) {
  return (of: TextName, label: string, { hint, field = of, isNumber }: TextOptions = {}) => (
    <TextField
      label={label}
      hint={hint}
      fault={findFault(field)}
      inputMode={isNumber ? 'numeric' : 'text'}
      value={draft[of]}
      onInput={(value) => onChange({ [of]: value })}
    />
  );
}

function ConditionFields(fields: Fields) {
  const t = words.rules.form;
  const { draft, onChange } = fields;
  const text = textFields(fields);
  return (
    <fieldset class="space-y-3">
      <legend class="mb-2 font-semibold">{t.when}</legend>
      <div class="grid gap-3 sm:grid-cols-2">
        {text('from', t.from, { hint: t.patternHint })}
        {text('subject', t.subject, { hint: t.patternHint })}
        {text('to', t.to, { hint: t.patternHint })}
        {text('inbox', t.inbox, { hint: t.inboxHint, field: 'inbox_id' })}
        <SelectField
          label={t.code}
          value={draft.code}
          options={{ any: t.anyCode, yes: t.withCode, no: t.withoutCode }}
          onChange={(code) => onChange({ code })}
        />
      </div>
    </fieldset>
  );
}

function ActionFields(fields: Fields) {
  const t = words.rules.form;
  const { draft, onChange } = fields;
  const text = textFields(fields);
  const tick = (name: 'isRead' | 'isLast', text: string) => (
    <Checkbox class="text-sm" checked={draft[name]} onChange={(isOn) => onChange({ [name]: isOn })}>
      {text}
    </Checkbox>
  );
  return (
    <fieldset class="space-y-3">
      <legend class="mb-2 font-semibold">{t.does}</legend>
      <div class="grid gap-3 sm:grid-cols-2">
        {text('tags', t.tags, { hint: t.tagsHint })}
        {text('days', t.deleteAfter, { hint: t.deleteHint, field: 'delete_after_days', isNumber: true })}
      </div>
      {isOwner.value && (
        <>
          {text('forward', t.forward, { hint: t.forwardHint, field: 'forward_to' })}
          <NoticeFields {...fields} />
        </>
      )}
      <div class="flex flex-wrap gap-x-6 gap-y-2">
        {tick('isRead', t.markRead)}
        {tick('isLast', t.stop)}
      </div>
    </fieldset>
  );
}

/** Choosing a service fills in the body that it expects. */
function NoticeFields(fields: Fields) {
  const t = words.rules.form;
  const { draft, onChange, findFault } = fields;
  const choose = (service: Service) => {
    if (service === 'none' || service === 'own') return onChange({ service });
    const { url, template } = noticeExamples[service];
    onChange({ service, url, template: JSON.stringify(template, null, 2) });
  };
  const names = Object.keys(placeholders).map((name) => `{{${name}}}`);
  return (
    <>
      <SelectField
        label={t.notify}
        fault={findFault('notify')}
        value={draft.service}
        options={{ none: t.noNotice, ...services, own: t.own }}
        onChange={choose}
      />
      {draft.service !== 'none' && (
        <>
          {textFields(fields)('url', 'URL')}
          <TextAreaField
            label={t.template}
            hint={t.templateHint(names.join(' '))}
            class="font-mono text-sm"
            rows={6}
            spellcheck={false}
            value={draft.template}
            onInput={(template) => onChange({ template })}
          />
        </>
      )}
    </>
  );
}

function readDraft(rule: RuleView | null): Draft {
  const code = { true: 'yes', false: 'no', null: 'any' } as const;
  return {
    name: rule?.name ?? '',
    inbox: rule?.inbox_address ?? rule?.inbox_id ?? '',
    from: rule?.from ?? '',
    to: rule?.to ?? '',
    subject: rule?.subject ?? '',
    code: code[`${rule?.has_code ?? null}`],
    tags: rule?.tags.join(', ') ?? '',
    isRead: rule?.mark_read ?? false,
    days: String(rule?.delete_after_days ?? ''),
    forward: rule?.forward_to.join(', ') ?? '',
    service: rule?.notify ? 'own' : 'none',
    url: rule?.notify?.url ?? '',
    template: rule?.notify?.template ?? '',
    isLast: rule?.stop ?? false,
  };
}

/** Sends every field, so that an emptied one is cleared. */
function makeRequest(draft: Draft): RuleRequest {
  const code = { any: null, yes: true, no: false } as const;
  return {
    name: draft.name.trim(),
    inbox_id: draft.inbox.trim() || null,
    from: draft.from.trim() || null,
    to: draft.to.trim() || null,
    subject: draft.subject.trim() || null,
    has_code: code[draft.code],
    tags: splitList(draft.tags),
    mark_read: draft.isRead,
    delete_after_days: readDays(draft.days.trim()),
    forward_to: splitList(draft.forward),
    notify: draft.service === 'none' ? null : { url: draft.url.trim(), template: draft.template },
    stop: draft.isLast,
  };
}

/** Anything that is not a number is sent unchanged, so that the server reports it. */
function readDays(text: string): number | null {
  return text === '' ? null : /^\d{1,9}$/.test(text) ? Number(text) : (text as unknown as number);
}

function splitList(text: string): string[] {
  return text.split(',').flatMap((one) => one.trim() || []);
}
