import type { DnsRecord } from '../../doors/dashboard/wire.ts';
import type { DomainView } from '../../features/domains/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, isOwner, me, send } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { ask } from '../dialog.tsx';
import { fullTime } from '../format.ts';
import { PageBody } from '../parts.tsx';
import { go, pathTo } from '../router.tsx';
import { BackLink, Loaded, Part } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { CatchAll } from './catch-all.tsx';
import { DnsRecords } from './dns-records.tsx';
import { DomainState } from './domain-state.tsx';

export function DomainPage({ id }: { id: string }) {
  const t = words.account.domains;
  const path = `domains/${encodeURIComponent(id)}`;
  const domain = useData<DomainView>(path);
  const records = useData<DnsRecord[]>(`${path}/records`);
  const reload = () => Promise.all([domain.reload(), records.reload()]);
  return (
    <PageBody
      title={domain.data?.name ?? t.one}
      about={<BackLink to={pathTo('domains')}>{t.all}</BackLink>}
      actions={isOwner.value && <Actions of={domain.data} path={path} reload={reload} />}
    >
      <Loaded of={domain}>
        {(data) => (
          <>
            <p class="mb-6 flex flex-wrap items-center gap-2 text-sm text-soft">
              <DomainState of={data.status} />
              {data.last_checked_at ? t.lastChecked(fullTime(data.last_checked_at)) : t.notChecked}
            </p>
            <Part title={words.account.records.title} about={words.account.records.about}>
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

interface ActionsProps {
  of: DomainView | undefined;
  path: string;
  reload: () => Promise<unknown>;
}

function Actions({ of: domain, path, reload }: ActionsProps) {
  const t = words.account.domains;
  const check = async () => {
    const done = await attempt(async () => {
      const data = await send<DomainView>('POST', `${path}/verify`);
      showToast(data.status === 'verified' ? t.verified : t.notVerified);
    });
    if (done) await reload();
  };
  const remove = async () => {
    const sure = await ask({
      title: t.removeTitle,
      body: (
        <>
          <p class="mb-2 break-all text-ink">{domain?.name}</p>
          {t.removeBody}
        </>
      ),
      action: words.frame.remove,
      isDanger: true,
    });
    if (sure && (await attempt(() => call('DELETE', path)))) go(pathTo('domains'));
  };
  return (
    <>
      <ActionButton onRun={remove}>{words.frame.remove}</ActionButton>
      <ActionButton class="button button-main" busy={t.checking} onRun={check}>
        {t.check}
      </ActionButton>
    </>
  );
}

interface SetupProps {
  of: DomainView;
  path: string;
  reload: () => Promise<unknown>;
}

function SendingSetup({ of: domain, path, reload }: SetupProps) {
  const t = words.account.dkim;
  // Nothing to set up while the operator has sending turned off.
  if (!me.value?.outbound) return null;
  const setUp = async () => {
    if (domain.dkim_status !== null) {
      if (!(await ask({ title: t.newTitle, body: t.newBody, action: t.create }))) return;
    }
    if (await attempt(() => call('POST', `${path}/sending_setup`))) await reload();
  };
  const isVerified = domain.status === 'verified';
  return (
    <Part
      title={words.frame.places.sending}
      about={domain.dkim_status ? t.states[domain.dkim_status] : isVerified ? t.setUpAbout : t.verifyFirst}
      actions={
        isOwner.value && (
          <ActionButton disabled={!isVerified} onRun={setUp}>
            {domain.dkim_status ? t.new : t.setUp}
          </ActionButton>
        )
      }
    >
      {domain.dkim_selector && (
        <p class="text-sm text-soft">
          {fill(t.selector, { selector: <code class="font-mono">{domain.dkim_selector}</code> })}
        </p>
      )}
    </Part>
  );
}
