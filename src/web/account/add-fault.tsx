import { call } from '../api.ts';
import { type Submit, useSubmit } from '../data.ts';
import { DialogButtons } from '../dialog-buttons.tsx';
import { Field } from '../parts.tsx';
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
  const answers: Record<Answer, string> = { reply: t.refuse, drop: t.drop, wait: t.wait };
  const bind = (name: keyof FaultForm) => ({
    class: 'field',
    value: form[name],
    onInput: (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      onChange({ ...form, [name]: event.currentTarget.value }),
  });
  return (
    <div class="grid gap-4 sm:grid-cols-3">
      <Field label={t.stage} fault={findFault('stage')}>
        <select {...bind('stage')}>
          {stages.map((stage) => (
            <option key={stage} value={stage}>
              {stage}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t.whatHappens}>
        <select {...bind('answer')}>
          {Object.entries(answers).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      {form.answer === 'reply' && (
        <Field label={t.reply} fault={findFault('reply')}>
          <input {...bind('reply')} />
        </Field>
      )}
      {form.answer === 'wait' && (
        <Field label={t.seconds} fault={findFault('delay_ms')}>
          <input type="number" min="0" step="any" {...bind('seconds')} />
        </Field>
      )}
      <Field label={t.recipient} hint={t.recipientHint} fault={findFault('recipient')}>
        <input {...bind('recipient')} />
      </Field>
      <Field label={t.timesLabel} hint={t.timesHint} fault={findFault('times')}>
        <input type="number" min="1" {...bind('times')} />
      </Field>
    </div>
  );
}
