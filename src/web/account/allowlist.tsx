import type { ApprovedView } from '../../features/outbound/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, isOwner } from '../api.ts';
import { attempt, useSubmit } from '../data.ts';
import { TextField } from '../forms.tsx';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { Fault, Row, Rows, SwitchPart } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

/** The recipients that the account may send to while the allowlist is on. Only owners see it. */
export function Allowlist({ isOn, reload }: { isOn: boolean; reload: () => Promise<void> }) {
  if (!isOwner.value) return null;
  const t = words.account.allowlist;
  return (
    <SwitchPart
      title={t.title}
      about={isOn ? t.on : t.off}
      isOn={isOn}
      onTurn={(enabled) => call('POST', 'outbound_allowlist/mode', { enabled })}
      reload={reload}
    >
      <ApprovedList />
    </SwitchPart>
  );
}

function ApprovedList() {
  const approved = usePages<ApprovedView>('outbound_allowlist', { filters: { limit: 100 } });
  const [email, setEmail] = useTyped('outbound_allowlist', '');
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
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
          <TextField
            label={words.account.allowlist.addRecipient}
            fault={findFault('email')}
            type="email"
            required
            value={email}
            onInput={setEmail}
          />
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
                    <ActionButton aria-label={words.frame.removeOne(address)} onRun={() => remove(id)}>
                      {words.frame.remove}
                    </ActionButton>
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
