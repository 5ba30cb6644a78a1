import { useState } from 'preact/hooks';
import type { SmtpFaultView } from '../../features/faults/wire.ts';
import { call } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { Empty, Field } from '../parts.tsx';
import { Fault, Loaded, Part, Row, Rows } from '../rows.tsx';

const RELOAD_MS = 5_000;

/** Rules that make SMTP refuse, wait or hang up, to see how a mailer copes. */
export function Faults({ stages }: { stages: string[] }) {
  const list = useData<SmtpFaultView[]>('smtp_faults', RELOAD_MS);
  const [isAdding, setAdding] = useState(false);
  const remove = async (path: string) => {
    if (await attempt(() => call('DELETE', path))) await list.reload();
  };
  return (
    <Part
      title="SMTP faults"
      about="Make SMTP refuse, wait or hang up, to see how your app retries. The first rule that matches answers."
      actions={
        <>
          {list.data && list.data.length > 0 && (
            <button type="button" class="button" onClick={() => void remove('smtp_faults')}>
              Delete all
            </button>
          )}
          <button type="button" class="button button-main" onClick={() => setAdding(true)}>
            Add fault
          </button>
        </>
      }
    >
      {isAdding && (
        <AddFault
          stages={stages}
          onClose={() => setAdding(false)}
          onDone={() => {
            setAdding(false);
            void list.reload();
          }}
        />
      )}
      <Loaded of={list} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <div class="card">
              <Empty icon="check" title="No faults: every mail is accepted" />
            </div>
          ) : (
            <Rows label="SMTP faults">
              {rows.map((fault) => (
                <Row
                  key={fault.id}
                  actions={
                    <button
                      type="button"
                      class="button"
                      aria-label={`Delete the fault at ${fault.stage}`}
                      onClick={() => void remove(`smtp_faults/${fault.id}`)}
                    >
                      Delete
                    </button>
                  }
                >
                  <p class="font-medium break-words">
                    <code class="font-mono">{fault.stage}</code>: {describeAnswer(fault)}
                  </p>
                  <p class="mt-0.5 text-sm break-words text-soft">{describeMatches(fault)}</p>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Part>
  );
}

function describeAnswer({ reply, drop, delay_ms }: SmtpFaultView): string {
  const wait = delay_ms > 0 ? `waits ${delay_ms / 1000} s` : '';
  const answer = drop ? 'hangs up' : reply === null ? '' : `answers ${reply}`;
  return [wait, answer].filter((part) => part !== '').join(', then ');
}

function describeMatches({ recipient, sender, skip, times, hits }: SmtpFaultView): string {
  return [
    recipient !== null && `to ${recipient}`,
    sender !== null && `from ${sender || 'the null reverse-path'}`,
    skip > 0 && `after ${skip}`,
    times !== null && `${times} ${times === 1 ? 'time' : 'times'}`,
    `${hits} ${hits === 1 ? 'hit' : 'hits'} so far`,
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

const answers = { reply: 'Refuse', drop: 'Hang up', wait: 'Wait, then go on' } as const;
type AnswerName = keyof typeof answers;

function AddFault({
  stages,
  onClose,
  onDone,
}: {
  stages: string[];
  onClose: () => void;
  onDone: () => void;
}) {
  const [form, setForm] = useState({
    stage: 'rcpt',
    answer: 'reply' as AnswerName,
    reply: '450 4.2.1 Try later',
    seconds: '3',
    recipient: '',
    times: '1',
  });
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    const { stage, answer, reply, seconds, recipient, times } = form;
    await call('POST', 'smtp_faults', {
      stage,
      ...(answer === 'reply' && { reply }),
      ...(answer === 'drop' && { drop: true }),
      ...(answer === 'wait' && { delay_ms: Math.round(Number(seconds) * 1000) }),
      ...(recipient.trim() !== '' && { recipient: recipient.trim() }),
      ...(times.trim() !== '' && { times: Number(times) }),
    });
    onDone();
  });
  const field = (name: keyof typeof form) => ({
    class: 'field',
    value: form[name],
    onInput: (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      setForm({ ...form, [name]: event.currentTarget.value }),
  });
  return (
    <form class="card mb-3 space-y-4 p-4" onSubmit={onSubmit}>
      <Fault>{fault}</Fault>
      <div class="grid gap-4 sm:grid-cols-3">
        <Field label="Stage" fault={faultOf('stage')}>
          <select {...field('stage')}>
            {stages.map((stage) => (
              <option key={stage} value={stage}>
                {stage}
              </option>
            ))}
          </select>
        </Field>
        <Field label="What happens">
          <select {...field('answer')}>
            {Object.entries(answers).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        {form.answer === 'reply' && (
          <Field label="Reply" fault={faultOf('reply')}>
            <input {...field('reply')} />
          </Field>
        )}
        {form.answer === 'wait' && (
          <Field label="Seconds" fault={faultOf('delay_ms')}>
            <input type="number" min="0" step="any" {...field('seconds')} />
          </Field>
        )}
        <Field label="Recipient" hint="Empty for all; * is any text." fault={faultOf('recipient')}>
          <input {...field('recipient')} />
        </Field>
        <Field label="Times" hint="Empty for no end." fault={faultOf('times')}>
          <input type="number" min="1" {...field('times')} />
        </Field>
      </div>
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
