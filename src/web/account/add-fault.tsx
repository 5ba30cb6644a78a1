import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { type Submit, useSubmit } from '../data.ts';
import { Field } from '../parts.tsx';
import { Fault } from '../rows.tsx';

const answers = { reply: 'Refuse', drop: 'Hang up', wait: 'Wait, then go on' } as const;

const empty = {
  stage: 'rcpt',
  answer: 'reply' as keyof typeof answers,
  reply: '450 4.2.1 Try later',
  seconds: '3',
  recipient: '',
  times: '1',
};
type Form = typeof empty;

/** The form for an SMTP fault. */
export function AddFault({ stages, onClose }: { stages: string[]; onClose: () => void }) {
  const [form, setForm] = useState(empty);
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    await call('POST', 'smtp_faults', makeRequest(form));
    onClose();
  });
  return (
    <form class="card mb-3 space-y-4 p-4" onSubmit={onSubmit}>
      <Fault>{fault}</Fault>
      <Fields form={form} onChange={setForm} stages={stages} faultOf={faultOf} />
      <div class="flex justify-end gap-2">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button button-main" disabled={isBusy}>
          Add
        </button>
      </div>
    </form>
  );
}

function makeRequest({ stage, answer, reply, seconds, recipient, times }: Form): Record<string, unknown> {
  return {
    stage,
    ...(answer === 'reply' && { reply }),
    ...(answer === 'drop' && { drop: true }),
    ...(answer === 'wait' && { delay_ms: Math.round(Number(seconds) * 1000) }),
    ...(recipient.trim() !== '' && { recipient: recipient.trim() }),
    ...(times.trim() !== '' && { times: Number(times) }),
  };
}

interface FieldsProps extends Pick<Submit, 'faultOf'> {
  form: Form;
  onChange: (form: Form) => void;
  stages: string[];
}

function Fields({ form, onChange, stages, faultOf }: FieldsProps) {
  const bind = (name: keyof Form) => ({
    class: 'field',
    value: form[name],
    onInput: (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      onChange({ ...form, [name]: event.currentTarget.value }),
  });
  return (
    <div class="grid gap-4 sm:grid-cols-3">
      <Field label="Stage" fault={faultOf('stage')}>
        <select {...bind('stage')}>
          {stages.map((stage) => (
            <option key={stage} value={stage}>
              {stage}
            </option>
          ))}
        </select>
      </Field>
      <Field label="What happens">
        <select {...bind('answer')}>
          {Object.entries(answers).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      {form.answer === 'reply' && (
        <Field label="Reply" fault={faultOf('reply')}>
          <input {...bind('reply')} />
        </Field>
      )}
      {form.answer === 'wait' && (
        <Field label="Seconds" fault={faultOf('delay_ms')}>
          <input type="number" min="0" step="any" {...bind('seconds')} />
        </Field>
      )}
      <Field label="Recipient" hint="Empty for all; * is any text." fault={faultOf('recipient')}>
        <input {...bind('recipient')} />
      </Field>
      <Field label="Times" hint="Empty for no end." fault={faultOf('times')}>
        <input type="number" min="1" {...bind('times')} />
      </Field>
    </div>
  );
}
