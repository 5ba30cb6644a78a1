import { useState } from 'preact/hooks';
import type { SmtpFaultView } from '../../features/faults/wire.ts';
import { call } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { Empty } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';
import { AddFault } from './add-fault.tsx';

const RELOAD_MS = 5_000;

/** Rules that make SMTP refuse, wait or hang up, to see how a mailer copes. */
export function Faults({ stages }: { stages: string[] }) {
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
      {isAdding && <AddFault stages={stages} onClose={closeForm} />}
      <Loaded of={list} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <div class="card">
              <Empty icon="check" title="No faults: every mail is accepted" />
            </div>
          ) : (
            <Rows label="SMTP faults">
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
  return (
    <Row
      actions={
        <button
          type="button"
          class="button"
          aria-label={`Delete the fault at ${fault.stage}`}
          onClick={onDelete}
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
