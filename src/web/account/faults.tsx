import { useState } from 'preact/hooks';
import type { TrapView } from '../../doors/dashboard/wire.ts';
import type { SmtpFaultView } from '../../features/faults/wire.ts';
import { call } from '../api.ts';
import { attempt, type Loading, useData } from '../data.ts';
import { PageBody } from '../parts.tsx';
import { AddButton, EmptyCard, Loaded, Part, Row, Rows } from '../rows.tsx';
import { number } from '../words/amounts.ts';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { AddFault, emptyForm, type FaultForm } from './add-fault.tsx';

const RELOAD_MS = 5_000;

/** Rules that make SMTP reject, wait or disconnect, to test how a mailer copes. */
export default function Faults() {
  const t = words.trap.faults;
  const trap = useData<TrapView>('trap');
  const list = useData<SmtpFaultView[]>('smtp_faults', RELOAD_MS);
  const [form, setForm] = useState<FaultForm | null>(null);
  const remove = async (path: string) => {
    if (await attempt(() => call('DELETE', path))) await list.reload();
  };
  const closeForm = () => {
    setForm(null);
    void list.reload();
  };
  return (
    <PageBody
      title={words.frame.places.faults}
      about={t.about}
      actions={<AddButton onClick={() => setForm(emptyForm)}>{t.add}</AddButton>}
    >
      <Loaded of={trap}>
        {({ stages }) =>
          form ? (
            <AddFault key={form.reply + form.answer} stages={stages} start={form} onClose={closeForm} />
          ) : (
            <Presets stages={stages} onChoose={setForm} />
          )
        }
      </Loaded>
      <ActiveRules of={list} onDelete={(path) => void remove(path)} />
      <p class="max-w-prose text-sm text-soft">
        {fill(t.byAddress, {
          later: <Suffix of="+fault-450" />,
          unknown: <Suffix of="+fault-550" />,
          drop: <Suffix of="+fault-drop" />,
          slow: <Suffix of="+fault-slow" />,
        })}
      </p>
    </PageBody>
  );
}

function Suffix({ of: suffix }: { of: string }) {
  return <code class="font-mono whitespace-nowrap">{suffix}</code>;
}

function ActiveRules({
  of: list,
  onDelete,
}: {
  of: Loading<SmtpFaultView[]>;
  onDelete: (path: string) => void;
}) {
  const t = words.trap.faults;
  return (
    <Part
      title={t.active}
      actions={
        list.data &&
        list.data.length > 1 && (
          <button type="button" class="button" onClick={() => onDelete('smtp_faults')}>
            {t.deleteAll}
          </button>
        )
      }
    >
      <Loaded of={list} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyCard icon="check" title={t.empty} />
          ) : (
            <Rows label={t.active}>
              {rows.map((fault) => (
                <FaultRow key={fault.id} of={fault} onDelete={() => onDelete(`smtp_faults/${fault.id}`)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Part>
  );
}

/** What most people want to try, to start the form with. */
const presets: readonly [keyof typeof words.trap.faults.presets, Partial<FaultForm>][] = [
  ['later', {}],
  ['unknown', { reply: '550 5.1.1 No such user', times: '' }],
  ['full', { reply: '452 4.2.2 Mailbox full' }],
  ['spam', { stage: 'dot', reply: '554 5.7.1 Message refused' }],
  ['lost', { stage: 'dot', answer: 'drop' }],
  ['slow', { stage: 'mail', answer: 'wait', seconds: '10', times: '' }],
];

function Presets({ stages, onChoose }: { stages: string[]; onChoose: (form: FaultForm) => void }) {
  const offered = presets.filter(([, form]) => stages.includes(form.stage ?? emptyForm.stage));
  return (
    <div class="mb-8 grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
      {offered.map(([name, form]) => (
        <button
          key={name}
          type="button"
          class="card flex flex-col px-4 py-3 text-left hover:bg-hover"
          onClick={() => onChoose({ ...emptyForm, ...form })}
        >
          <span class="font-medium">{words.trap.faults.presets[name].name}</span>
          <span class="mt-0.5 text-sm text-soft">{words.trap.faults.presets[name].about}</span>
        </button>
      ))}
    </div>
  );
}

function FaultRow({ of: fault, onDelete }: { of: SmtpFaultView; onDelete: () => void }) {
  const t = words.trap.faults;
  return (
    <Row
      actions={
        <button type="button" class="button" aria-label={t.deleteAt(fault.stage)} onClick={onDelete}>
          {words.frame.delete}
        </button>
      }
    >
      <p class="font-medium break-words">
        <span class="tag mr-2 font-mono">{fault.stage}</span>
        {describeAnswer(fault)}
      </p>
      <p class="mt-0.5 text-sm break-words text-soft">{describeMatches(fault)}</p>
    </Row>
  );
}

function describeAnswer({ reply, drop, delay_ms }: SmtpFaultView): string {
  const t = words.trap.faults;
  const wait = delay_ms > 0 ? t.waits(number(delay_ms / 1000)) : '';
  const answer = drop ? t.disconnects : reply === null ? '' : t.answers(reply);
  return wait && answer ? t.waitThen(wait, answer) : wait || answer;
}

function describeMatches({ recipient, sender, skip, times, hits }: SmtpFaultView): string {
  const t = words.trap.faults;
  return [
    recipient !== null && t.to(recipient),
    sender !== null && t.from(sender || t.nullPath),
    skip > 0 && t.after(skip),
    times !== null && t.times(times),
    t.hits(hits),
  ]
    .filter((part) => part !== false)
    .join(' · ');
}
