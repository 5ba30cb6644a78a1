import { useState } from 'preact/hooks';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import type { DomainView } from '../../features/domains/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, isOwner, me, query } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { FormDialog, SelectField } from '../forms.tsx';
import { Link, pathTo } from '../router.tsx';
import { Part } from '../rows.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';

interface Props {
  of: DomainView;
  path: string;
  reload: () => Promise<void>;
}

/** One inbox for mail to addresses of the domain that have no inbox. */
export function CatchAll({ of: domain, path, reload }: Props) {
  const [isChoosing, setChoosing] = useState(false);
  const mayChange = isOwner.value && (me.value?.plan.catch_all ?? 0) > 0;
  const turnOff = async () => {
    if (await attempt(() => call('PATCH', `${path}/catch_all`, { catch_all: false }))) await reload();
  };
  const t = words.account.catchAll;
  return (
    <Part
      title={t.title}
      about={
        domain.catch_all
          ? fill(t.on, {
              domain: domain.name,
              inbox: (
                <Link to={pathTo('inbox', domain.catch_all_inbox_id!)} class="text-accent underline">
                  {t.oneInbox}
                </Link>
              ),
            })
          : t.off(domain.name)
      }
      actions={
        mayChange &&
        (domain.catch_all ? (
          <ActionButton onRun={turnOff}>{words.frame.turnOff}</ActionButton>
        ) : (
          <button
            type="button"
            class="button"
            disabled={domain.status !== 'verified'}
            onClick={() => setChoosing(true)}
          >
            {words.frame.turnOn}
          </button>
        ))
      }
    >
      {isChoosing && (
        <Choose
          of={domain}
          path={path}
          onClose={() => setChoosing(false)}
          onDone={() => {
            setChoosing(false);
            void reload();
          }}
        />
      )}
    </Part>
  );
}

interface ChooseProps {
  of: DomainView;
  path: string;
  onClose: () => void;
  onDone: () => void;
}

function Choose({ of: domain, path, onClose, onDone }: ChooseProps) {
  const { data } = useData<InboxWithUnread[]>(`inboxes${query({ q: `@${domain.name}`, limit: 100 })}`);
  const inboxes = (data ?? []).filter((inbox) => inbox.domain === domain.id && inbox.is_enabled);
  const [inboxId, setInboxId] = useState(domain.catch_all_inbox_id ?? '');
  const submit = useSubmit(async () => {
    await call('PATCH', `${path}/catch_all`, { catch_all: true, ...(inboxId ? { inbox_id: inboxId } : {}) });
    onDone();
  });
  return (
    <FormDialog
      title={words.account.catchAll.turnOnTitle}
      onClose={onClose}
      submit={submit}
      action={words.frame.turnOn}
    >
      <SelectField
        label={words.account.catchAll.deliverTo}
        value={inboxId}
        options={{
          '': words.account.catchAll.newInbox,
          ...Object.fromEntries(inboxes.map(({ id, address }) => [id, address])),
        }}
        onChange={setInboxId}
      />
    </FormDialog>
  );
}
