import { useState } from 'preact/hooks';
import type { AccountInList, CreatedAccountView } from '../../doors/dashboard/wire.ts';
import { me } from '../api.ts';
import { agoTime, shortTime } from '../format.ts';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { PageBody } from '../parts.tsx';
import { AddButton, EmptyCard, Row, Rows, SearchField } from '../rows.tsx';
import { words } from '../words/words.ts';
import { ChangeAccount } from './change-account.tsx';
import { CreatedAccount, NewAccount } from './new-account.tsx';

export default function Accounts() {
  const t = words.server.accounts;
  const [text, setText] = useState('');
  const [changing, setChanging] = useState<AccountInList | null>(null);
  const pages = usePages<AccountInList>('operator/accounts', { search: text });
  return (
    <PageBody
      title={words.frame.places.accounts}
      about={t.about}
      actions={<NewAccountButton onCreated={pages.reload} />}
    >
      <div class="mb-4">
        <SearchField label={t.search} hint={t.searchHint} value={text} onInput={setText} />
      </div>
      <LoadedRows of={pages}>{(accounts) => <List accounts={accounts} onOpen={setChanging} />}</LoadedRows>
      <LoadMore of={pages} />
      {changing && (
        <ChangeAccount
          of={changing}
          onClose={() => setChanging(null)}
          onDone={() => {
            setChanging(null);
            pages.reload();
          }}
        />
      )}
    </PageBody>
  );
}

function NewAccountButton({ onCreated }: { onCreated: () => void }) {
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedAccountView | null>(null);
  return (
    <>
      <AddButton onClick={() => setCreating(true)}>{words.server.accounts.new}</AddButton>
      {isCreating && (
        <NewAccount
          onClose={() => setCreating(false)}
          onCreated={(account) => {
            setCreating(false);
            setCreated(account);
            onCreated();
          }}
        />
      )}
      {created && <CreatedAccount of={created} onClose={() => setCreated(null)} />}
    </>
  );
}

function List({ accounts, onOpen }: { accounts: AccountInList[]; onOpen: (account: AccountInList) => void }) {
  if (accounts.length === 0) {
    return <EmptyCard icon="search" title={words.server.accounts.none} />;
  }
  return (
    <Rows label={words.frame.places.accounts}>
      {accounts.map((account) => (
        <AccountRow key={account.account_id} of={account} onOpen={() => onOpen(account)} />
      ))}
    </Rows>
  );
}

function AccountRow({ of: account, onOpen }: { of: AccountInList; onOpen: () => void }) {
  const t = words.server.accounts;
  const { account_id, email, name, plan, kind, status, flags, inboxes, created_at, last_active_at } = account;
  return (
    <Row
      actions={
        <button type="button" class="button" aria-label={t.editOne(email ?? account_id)} onClick={onOpen}>
          {t.edit}
        </button>
      }
    >
      <p class="flex flex-wrap items-center gap-1.5">
        <span class="mr-1 min-w-0 font-medium wrap-anywhere">{email ?? name}</span>
        <span class="tag tag-accent">{plan}</span>
        {kind !== 'standard' && <span class="tag">{t.kinds[kind]}</span>}
        {status !== 'active' && <span class="tag tag-danger">{t.statuses[status]}</span>}
        {flags.operator && <span class="tag">{t.operator}</span>}
        {account_id === me.value?.account.id && <span class="tag">{t.yours}</span>}
      </p>
      <p class="mt-0.5 text-sm text-soft">{t.row(inboxes, shortTime(created_at), agoTime(last_active_at))}</p>
    </Row>
  );
}
