import { useCallback, useEffect, useState } from 'preact/hooks';
import type { AccountInList, CreatedAccountView } from '../../doors/dashboard/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { call, me, query } from '../api.ts';
import { attempt } from '../data.ts';
import { agoTime, shortTime } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Empty, PageBody, Skeleton } from '../parts.tsx';
import { Row, Rows } from '../rows.tsx';
import { words } from '../words/words.ts';
import { ChangeAccount } from './change-account.tsx';
import { MadeAccount, NewAccount } from './new-account.tsx';

const TYPING_MS = 200;

export default function Accounts() {
  const t = words.server.accounts;
  const [accounts, setAccounts] = useState<AccountInList[] | undefined>(undefined);
  const [cursor, setCursor] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [changing, setChanging] = useState<AccountInList | null>(null);
  const load = useCallback(
    async (after: string | null) => {
      const page = await call<PageView<AccountInList>>(
        'GET',
        `operator/accounts${query({ q: text, cursor: after })}`,
      );
      setAccounts((before) => [...(after === null ? [] : (before ?? [])), ...page.data]);
      setCursor(page.pagination.next_cursor);
    },
    [text],
  );
  useEffect(() => {
    const timer = setTimeout(() => void attempt(() => load(null)), accounts ? TYPING_MS : 0);
    return () => clearTimeout(timer);
  }, [load]);
  return (
    <PageBody
      title={words.frame.places.accounts}
      about={t.about}
      actions={<NewAccountButton onMade={() => void attempt(() => load(null))} />}
    >
      <input
        class="field mb-4 max-w-72"
        type="search"
        aria-label={t.search}
        placeholder={t.searchHint}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <List accounts={accounts} onOpen={setChanging} />
      {cursor !== null && (
        <button type="button" class="button mt-4" onClick={() => void attempt(() => load(cursor))}>
          {words.frame.loadMore}
        </button>
      )}
      {changing && (
        <ChangeAccount
          of={changing}
          onClose={() => setChanging(null)}
          onDone={() => {
            setChanging(null);
            void attempt(() => load(null));
          }}
        />
      )}
    </PageBody>
  );
}

function NewAccountButton({ onMade }: { onMade: () => void }) {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedAccountView | null>(null);
  return (
    <>
      <button type="button" class="button button-main" onClick={() => setMaking(true)}>
        <Icon name="plus" />
        {words.server.accounts.new}
      </button>
      {isMaking && (
        <NewAccount
          onClose={() => setMaking(false)}
          onMade={(account) => {
            setMaking(false);
            setMade(account);
            onMade();
          }}
        />
      )}
      {made && <MadeAccount of={made} onClose={() => setMade(null)} />}
    </>
  );
}

function List({
  accounts,
  onOpen,
}: {
  accounts: AccountInList[] | undefined;
  onOpen: (account: AccountInList) => void;
}) {
  if (!accounts) {
    return (
      <div class="card">
        <Skeleton rows={3} />
      </div>
    );
  }
  if (accounts.length === 0) {
    return (
      <div class="card">
        <Empty icon="search" title={words.server.accounts.none} />
      </div>
    );
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
        <button type="button" class="button" aria-label={t.changeOne(email ?? account_id)} onClick={onOpen}>
          {t.change}
        </button>
      }
    >
      <p class="flex flex-wrap items-center gap-1.5">
        <span class="mr-1 min-w-0 truncate font-medium">{email ?? name}</span>
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
