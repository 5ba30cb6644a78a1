import { useState } from 'preact/hooks';
import type { ApprovedView } from '../../features/outbound/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { Field } from '../parts.tsx';
import { Fault, Loaded, Part, Row, Rows } from '../rows.tsx';

/** The recipients that the account may send to while the allowlist is on. Only owners see it. */
export function Allowlist({ is_on, reload }: { is_on: boolean; reload: () => Promise<void> }) {
  if (me.value?.role !== 'owner') return null;
  const turn = async () => {
    if (await attempt(() => call('POST', 'outbound_allowlist/mode', { enabled: !is_on }))) await reload();
  };
  return (
    <Part
      title="Allowlist"
      about={
        is_on
          ? 'On. Email can only be sent to these recipients.'
          : 'Off. Email can be sent to anyone. Turn it on to allow only these recipients.'
      }
      actions={
        <button type="button" class="button" onClick={() => void turn()}>
          {is_on ? 'Turn off' : 'Turn on'}
        </button>
      }
    >
      <ApprovedList />
    </Part>
  );
}

function ApprovedList() {
  const approved = useData<ApprovedView[]>('outbound_allowlist?limit=100');
  const [email, setEmail] = useState('');
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    await call('POST', 'outbound_allowlist', { email });
    setEmail('');
    await approved.reload();
  });
  const remove = async (id: string) => {
    if (await attempt(() => call('DELETE', `outbound_allowlist/${id}`))) await approved.reload();
  };
  return (
    <>
      <form class="mb-3 flex flex-wrap items-end gap-2" onSubmit={onSubmit}>
        <div class="min-w-56 flex-1">
          <Field label="Add recipient" fault={faultOf('email')}>
            <input
              class="field"
              type="email"
              required
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
            />
          </Field>
        </div>
        <button type="submit" class="button" disabled={isBusy}>
          Add
        </button>
      </form>
      <Fault>{fault}</Fault>
      <Loaded of={approved} rows={1}>
        {(list) =>
          list.length > 0 && (
            <Rows label="Approved recipients">
              {list.map(({ id, email: address }) => (
                <Row
                  key={id}
                  actions={
                    <button
                      type="button"
                      class="button"
                      aria-label={`Remove ${address}`}
                      onClick={() => void remove(id)}
                    >
                      Remove
                    </button>
                  }
                >
                  <p class="break-all">{address}</p>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </>
  );
}
