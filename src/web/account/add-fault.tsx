import { call } from '../api.ts';
import { type Submit, useSubmit } from '../data.ts';
import { DialogButtons, SelectField, TextField } from '../forms.tsx';
import { Fault } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

type Answer = 'reply' | 'drop' | 'wait';

export const emptyForm = {
  stage: 'rcpt',
  answer: 'reply' as Answer,
  reply: '450 4.2.1 Try later',
  seconds: '3',
  recipient: '',
  times: '1',
};
export type FaultForm = typeof emptyForm;

interface AddFaultProps {
  stages: string[];
  start: FaultForm;
  onClose: () => void;
}

/** The form for an SMTP fault. */
export function AddFault({ stages, start, onClose }: AddFaultProps) {
  const [form, setForm] = useTyped('smtp_faults', start);
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    await call('POST', 'smtp_faults', makeRequest(form));
    onClose();
  });
  return (
    <form class="card mb-8 space-y-4 p-4" onSubmit={onSubmit}>
      <Fault>{fault}</Fault>
      <Fields form={form} onChange={setForm} stages={stages} findFault={findFault} />
      <DialogButtons action={words.frame.add} isDisabled={isBusy} onClose={onClose} />
    </form>
  );
}

function makeRequest({
  stage,
  answer,
  reply,
  seconds,
  recipient,
  times,
}: FaultForm): Record<string, unknown> {
  return {
    stage,
    ...(answer === 'reply' && { reply }),
    ...(answer === 'drop' && { drop: true }),
    ...(answer === 'wait' && { delay_ms: Math.round(Number(seconds) * 1000) }),
    ...(recipient.trim() !== '' && { recipient: recipient.trim() }),
    ...(times.trim() !== '' && { times: Number(times) }),
  };
}

interface FieldsProps extends Pick<Submit, 'findFault'> {
  form: FaultForm;
  onChange: (form: FaultForm) => void;
  stages: string[];
}

function Fields({ form, onChange, stages, findFault }: FieldsProps) {
  const t = words.trap.faults;
  const bind = <Name extends keyof FaultForm>(name: Name, field: string = name) => ({
    fault: findFault(field),
    value: form[name],
    onInput: (value: string) => onChange({ ...form, [name]: value }),
  });
  return (
    <div class="grid gap-4 sm:grid-cols-3">
      <SelectField
        label={t.stage}
        fault={findFault('stage')}
        value={form.stage}
        options={Object.fromEntries(stages.map((stage) => [stage, stage]))}
        onChange={(stage) => onChange({ ...form, stage })}
      />
      <SelectField
        label={t.whatHappens}
        value={form.answer}
        options={{ reply: t.refuse, drop: t.drop, wait: t.wait }}
        onChange={(answer) => onChange({ ...form, answer })}
      />
      {form.answer === 'reply' && <TextField label={t.reply} {...bind('reply')} />}
      {form.answer === 'wait' && (
        <TextField label={t.seconds} type="number" min="0" step="any" {...bind('seconds', 'delay_ms')} />
      )}
      <TextField label={t.recipient} hint={t.recipientHint} {...bind('recipient')} />
      <TextField label={t.timesLabel} hint={t.timesHint} type="number" min="1" {...bind('times')} />
    </div>
  );
}
