import { useState } from 'preact/hooks';
import type { InboxWithUnread } from '../../doors/dashboard/wire.ts';
import type { SenderListsView } from '../../features/inboxes/senders/wire.ts';
import { call, isOwner, send } from '../api.ts';
import { useData, useSubmit } from '../data.ts';
import { TextAreaField } from '../forms.tsx';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { PageBody } from '../parts.tsx';
import { Link, type PlaceProps, pathTo } from '../router.tsx';
import { BackLink, EmptyCard, Fault, Loaded, Row, Rows, SearchField, SwitchPart } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { WithheldMessages } from './withheld.tsx';

export default function Senders({ rest: [inboxId] }: PlaceProps) {
  return inboxId ? <InboxSenders key={inboxId} inboxId={inboxId} /> : <InboxList />;
}

function InboxList() {
  const t = words.contacts.senders;
  const [find, setFind] = useState('');
  const inboxes = usePages<InboxWithUnread>('inboxes', { search: find });
  return (
    <PageBody title={words.frame.places.senders} about={t.about}>
      <div class="mb-4">
        <SearchField label={words.list.inboxes.search} value={find} onInput={setFind} />
      </div>
      <LoadedRows of={inboxes}>
        {(list) =>
          list.length === 0 ? (
            <EmptyCard icon="inbox" title={find === '' ? t.none : words.list.inboxes.noMatch} />
          ) : (
            <Rows label={words.frame.places.senders}>
              {list.map(({ id, address, label }) => (
                <Row key={id}>
                  <Link to={pathTo('senders', id)} class="font-medium break-all hover:underline">
                    {address}
                  </Link>
                  {label && <p class="mt-0.5 text-sm wrap-anywhere text-soft">{label}</p>}
                </Row>
              ))}
            </Rows>
          )
        }
      </LoadedRows>
      <LoadMore of={inboxes} />
    </PageBody>
  );
}

function InboxSenders({ inboxId }: { inboxId: string }) {
  const inbox = useData<{ address: string }>(`inboxes/${inboxId}`);
  const lists = useData<SenderListsView>(`inboxes/${inboxId}/senders`);
  return (
    <PageBody
      title={inbox.data?.address ?? words.frame.places.senders}
      about={<BackLink to={pathTo('senders')}>{words.contacts.senders.all}</BackLink>}
    >
      <Loaded of={lists}>{(data) => <Form inboxId={inboxId} lists={data} />}</Loaded>
      <WithheldMessages inboxId={inboxId} />
      {isOwner.value && <InboxHold inboxId={inboxId} />}
    </PageBody>
  );
}

/** Whether members' emails from this inbox wait for an owner. Absent where sending is off. */
function InboxHold({ inboxId }: { inboxId: string }) {
  const t = words.contacts.hold;
  const path = `inboxes/${inboxId}/outbound_hold`;
  const hold = useData<{ enabled: boolean }>(path);
  if (!hold.data) return null;
  const { enabled } = hold.data;
  return (
    <SwitchPart
      title={t.title}
      about={enabled ? t.inboxOn : t.inboxOff}
      isOn={enabled}
      onTurn={(isOn) => call('PUT', path, { enabled: isOn })}
      reload={hold.reload}
    />
  );
}

const readLines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

function Form({ inboxId, lists }: { inboxId: string; lists: SenderListsView }) {
  const t = words.contacts.senders;
  const path = `inboxes/${inboxId}/senders`;
  const [mode, setMode] = useTyped(`${path}.mode`, lists.mode);
  const [allow, setAllow] = useTyped(`${path}.allow`, lists.allow.join('\n'));
  const [block, setBlock] = useTyped(`${path}.block`, lists.block.join('\n'));
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    const body = { mode, allow: readLines(allow), block: readLines(block) };
    const data = await send<SenderListsView>('PUT', path, body);
    setAllow(data.allow.join('\n'));
    setBlock(data.block.join('\n'));
    showToast(t.saved);
  });
  const entries = (list: 'allow' | 'block', value: string, onInput: (text: string) => void) => (
    <TextAreaField
      label={t[list]}
      hint={t[`${list}Hint`]}
      fault={findFault(list)}
      class="h-40 font-mono text-sm"
      spellcheck={false}
      autocomplete="off"
      value={value}
      onInput={onInput}
    />
  );
  const modes: [SenderListsView['mode'], string][] = [
    ['everyone', t.everyone],
    ['allowed_only', t.allowedOnly],
  ];
  return (
    <form class="mb-8 space-y-4" onSubmit={onSubmit}>
      <Fault>{fault ?? findFault('mode')}</Fault>
      <fieldset class="space-y-1.5">
        <legend class="mb-1 font-semibold">{t.who}</legend>
        {modes.map(([value, label]) => (
          <label key={value} class="flex items-baseline gap-2">
            <input type="radio" name="mode" checked={mode === value} onChange={() => setMode(value)} />
            {label}
          </label>
        ))}
      </fieldset>
      <div class="grid gap-4 sm:grid-cols-2">
        {entries('allow', allow, setAllow)}
        {entries('block', block, setBlock)}
      </div>
      <button type="submit" class="button button-main" disabled={isBusy}>
        {t.save}
      </button>
    </form>
  );
}
