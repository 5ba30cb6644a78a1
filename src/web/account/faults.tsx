import { useState } from 'preact/hooks';
import type { SmtpFaultView } from '../../features/faults/wire.ts';
import { call } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { Empty } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';
import { number } from '../words/amounts.ts';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { AddFault } from './add-fault.tsx';

const RELOAD_MS = 5_000;

/** Rules that make SMTP refuse, wait or hang up, to see how a mailer copes. */
export function Faults({ stages }: { stages: string[] }) {
  const t = words.account.faults;
  const list = useData<SmtpFaultView[]>('smtp_faults', RELOAD_MS);
  const [isAdding, setAdding] = useState(false);
  const remove = async (path: string) => {
    if (await attempt(() => call('DELETE', path))) await list.reload();
  };
  const closeForm = () => {
    setAdding(false);
    void list.reload();
  };
  return (
    <Part
      title={t.title}
      about={t.about}
      actions={
        <>
          {list.data && list.data.length > 0 && (
            <button type="button" class="button" onClick={() => void remove('smtp_faults')}>
              {t.deleteAll}
            </button>
          )}
          <button type="button" class="button button-main" onClick={() => setAdding(true)}>
            {t.add}
          </button>
        </>
      }
    >
      {isAdding && <AddFault stages={stages} onClose={closeForm} />}
      <Loaded of={list} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <div class="card">
              <Empty icon="check" title={t.empty} />
            </div>
          ) : (
            <Rows label={t.title}>
              {rows.map((fault) => (
                <FaultRow key={fault.id} of={fault} onDelete={() => void remove(`smtp_faults/${fault.id}`)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Part>
  );
}

function FaultRow({ of: fault, onDelete }: { of: SmtpFaultView; onDelete: () => void }) {
  const t = words.account.faults;
  return (
    <Row
      actions={
        <button type="button" class="button" aria-label={t.deleteAt(fault.stage)} onClick={onDelete}>
          {words.frame.delete}
        </button>
      }
    >
      <p class="font-medium break-words">
        {fill(t.rule, {
          stage: <code class="font-mono">{fault.stage}</code>,
          answer: describeAnswer(fault),
        })}
      </p>
      <p class="mt-0.5 text-sm break-words text-soft">{describeMatches(fault)}</p>
    </Row>
  );
}

function describeAnswer({ reply, drop, delay_ms }: SmtpFaultView): string {
  const t = words.account.faults;
  const wait = delay_ms > 0 ? t.waits(number(delay_ms / 1000)) : '';
  const answer = drop ? t.hangsUp : reply === null ? '' : t.answers(reply);
  return wait && answer ? t.waitThen(wait, answer) : wait || answer;
}

function describeMatches({ recipient, sender, skip, times, hits }: SmtpFaultView): string {
  const t = words.account.faults;
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
