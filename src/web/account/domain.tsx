import { useState } from 'preact/hooks';
import type { DnsRecord } from '../../doors/dashboard/wire.ts';
import type { DomainView } from '../../features/domains/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { ask } from '../dialog.tsx';
import { fullTime } from '../format.ts';
import { PageBody } from '../parts.tsx';
import { go, Link, pathTo } from '../router.tsx';
import { Loaded, Part } from '../rows.tsx';
import { tell } from '../toast.tsx';
import { CatchAll } from './catch-all.tsx';
import { DnsRecords } from './dns-records.tsx';
import { DomainState } from './domain-state.tsx';

export function DomainPage({ id }: { id: string }) {
  const path = `domains/${encodeURIComponent(id)}`;
  const domain = useData<DomainView>(path);
  const records = useData<DnsRecord[]>(`${path}/records`);
  const reload = () => Promise.all([domain.reload(), records.reload()]);
  return (
    <PageBody
      title={domain.data?.name ?? 'Domain'}
      about={
        <Link to={pathTo('domains')} class="text-accent underline-offset-2 hover:underline">
          All domains
        </Link>
      }
      actions={me.value?.role === 'owner' && <Actions path={path} reload={reload} />}
    >
      <Loaded of={domain}>
        {(data) => (
          <>
            <p class="mb-6 flex flex-wrap items-center gap-2 text-sm text-soft">
              <DomainState of={data.status} />
              {data.last_checked_at ? `last checked ${fullTime(data.last_checked_at)}` : 'not checked yet'}
            </p>
            <Part
              title="DNS records"
              about="Publish these where the domain’s DNS is kept. What is right or wrong is what the DNS says now; a change may take some minutes to be seen."
            >
              <Loaded of={records}>{(list) => <DnsRecords of={list} />}</Loaded>
            </Part>
            <CatchAll of={data} path={path} reload={domain.reload} />
            <SendingSetup of={data} path={path} reload={reload} />
          </>
        )}
      </Loaded>
    </PageBody>
  );
}

function Actions({ path, reload }: { path: string; reload: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    const done = await attempt(async () => {
      const { data } = await call<{ data: DomainView }>('POST', `${path}/verify`);
      tell(data.status === 'verified' ? 'The records are right' : 'Not yet: see what is wrong below');
    });
    if (done) await reload();
    setBusy(false);
  };
  const remove = async () => {
    const body = 'The name is free again for anybody. Inboxes on it have to go first.';
    const sure = await ask({ title: 'Remove this domain?', body, action: 'Remove', isDanger: true });
    if (sure && (await attempt(() => call('DELETE', path)))) go(pathTo('domains'));
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void remove()}>
        Remove
      </button>
      <button type="button" class="button button-main" disabled={isBusy} onClick={() => void check()}>
        {isBusy ? 'Looking…' : 'Check now'}
      </button>
    </>
  );
}

interface SetupProps {
  of: DomainView;
  path: string;
  reload: () => Promise<unknown>;
}

const dkimWords = {
  pending_dns: 'The DKIM key waits for its record, above. Until then nothing is sent from here.',
  verified: 'Ready: what is sent from here is signed.',
  failed: 'The DKIM record is gone from the DNS. Nothing is sent from here until it is back.',
} as const;

function SendingSetup({ of: domain, path, reload }: SetupProps) {
  // Where the operator has sending off, there is nothing to set up.
  if (!me.value?.outbound) return null;
  const setUp = async () => {
    if (domain.dkim_status !== null) {
      const body =
        'A new key is made, with a record of its own to publish. The present one signs until that is seen.';
      if (!(await ask({ title: 'Make a new DKIM key?', body, action: 'Make it' }))) return;
    }
    if (await attempt(() => call('POST', `${path}/sending_setup`))) await reload();
  };
  const isVerified = domain.status === 'verified';
  return (
    <Part
      title="Sending"
      about={
        domain.dkim_status
          ? dkimWords[domain.dkim_status]
          : isVerified
            ? 'To send from addresses here, mail has to be signed: this makes a key, and the record to publish.'
            : 'The domain has to be verified first.'
      }
      actions={
        me.value.role === 'owner' && (
          <button type="button" class="button" disabled={!isVerified} onClick={() => void setUp()}>
            {domain.dkim_status ? 'New DKIM key' : 'Set up sending'}
          </button>
        )
      }
    >
      {domain.dkim_selector && (
        <p class="text-sm text-soft">
          Selector <code class="font-mono">{domain.dkim_selector}</code>
        </p>
      )}
    </Part>
  );
}
