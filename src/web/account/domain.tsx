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
              {data.last_checked_at ? `Last checked ${fullTime(data.last_checked_at)}` : 'Not checked yet'}
            </p>
            <Part
              title="DNS records"
              about="Add these records at your DNS provider. Changes can take a few minutes to appear."
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
      tell(data.status === 'verified' ? 'Domain verified' : 'Not verified yet. See the records below.');
    });
    if (done) await reload();
    setBusy(false);
  };
  const remove = async () => {
    const body = 'Anyone can then register the name. Delete its inboxes first.';
    const sure = await ask({ title: 'Remove this domain?', body, action: 'Remove', isDanger: true });
    if (sure && (await attempt(() => call('DELETE', path)))) go(pathTo('domains'));
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void remove()}>
        Remove
      </button>
      <button type="button" class="button button-main" disabled={isBusy} onClick={() => void check()}>
        {isBusy ? 'Checking…' : 'Check now'}
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
  pending_dns: 'Publish the DKIM record above. Nothing can be sent from this domain until it is found.',
  verified: 'Ready. Mail from this domain is signed.',
  failed: 'The DKIM record is missing. Nothing can be sent from this domain until it is back.',
} as const;

function SendingSetup({ of: domain, path, reload }: SetupProps) {
  // Nothing to set up while the operator has sending turned off.
  if (!me.value?.outbound) return null;
  const setUp = async () => {
    if (domain.dkim_status !== null) {
      const body = 'You get a new DNS record to publish. The current key is used until that record is found.';
      if (!(await ask({ title: 'Create a new DKIM key?', body, action: 'Create key' }))) return;
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
            ? 'Create a DKIM key and get the DNS record to publish. Mail can only be sent signed.'
            : 'Verify the domain first.'
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
