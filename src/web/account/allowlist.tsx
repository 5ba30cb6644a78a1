import type { ApprovedView } from '../../features/outbound/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useSubmit } from '../data.ts';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { Field } from '../parts.tsx';
import { Fault, Part, Row, Rows } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

/** The recipients that the account may send to while the allowlist is on. Only owners see it. */
export function Allowlist({ is_on, reload }: { is_on: boolean; reload: () => Promise<void> }) {
  if (me.value?.role !== 'owner') return null;
  const turn = async () => {
    if (await attempt(() => call('POST', 'outbound_allowlist/mode', { enabled: !is_on }))) await reload();
  };
  const t = words.account.allowlist;
  return (
    <Part
      title={t.title}
      about={is_on ? t.on : t.off}
      actions={
        <button type="button" class="button" onClick={() => void turn()}>
          {is_on ? words.frame.turnOff : words.frame.turnOn}
        </button>
      }
    >
      <ApprovedList />
    </Part>
  );
}

function ApprovedList() {
  const approved = usePages<ApprovedView>('outbound_allowlist', { filters: { limit: 100 } });
  const [email, setEmail] = useTyped('outbound_allowlist', '');
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    await call('POST', 'outbound_allowlist', { email });
    setEmail('');
    approved.reload();
  });
  const remove = async (id: string) => {
    if (await attempt(() => call('DELETE', `outbound_allowlist/${id}`))) approved.reload();
  };
  return (
    <>
      <form class="mb-3 flex flex-wrap items-end gap-2" onSubmit={onSubmit}>
        <div class="min-w-56 flex-1">
          <Field label={words.account.allowlist.addRecipient} fault={findFault('email')}>
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
          {words.frame.add}
        </button>
      </form>
      <Fault>{fault}</Fault>
      <LoadedRows of={approved}>
        {(list) =>
          list.length > 0 && (
            <Rows label={words.account.allowlist.approved}>
              {list.map(({ id, email: address }) => (
                <Row
                  key={id}
                  actions={
                    <button
                      type="button"
                      class="button"
                      aria-label={words.frame.removeOne(address)}
                      onClick={() => void remove(id)}
                    >
                      {words.frame.remove}
                    </button>
                  }
                >
                  <p class="break-all">{address}</p>
                </Row>
              ))}
            </Rows>
          )
        }
      </LoadedRows>
      <LoadMore of={approved} />
    </>
  );
}
