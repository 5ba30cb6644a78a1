import { useState } from 'preact/hooks';
import type { Finding } from '../../features/doctor/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { send } from '../api.ts';
import { attempt } from '../data.ts';
import { Icon } from '../icons.tsx';
import { PageBody, Skeleton } from '../parts.tsx';
import { EmptyCard, Rows } from '../rows.tsx';
import { words } from '../words/words.ts';

export default function DoctorPage() {
  const t = words.server.doctor;
  const [checks, setChecks] = useState<Finding[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await attempt(async () =>
      setChecks((await send<{ checks: Finding[] }>('POST', 'operator/doctor')).checks),
    );
    setBusy(false);
  };
  return (
    <PageBody
      title={words.frame.places.doctor}
      about={t.about}
      actions={
        <ActionButton class="button button-main" busy={t.running} onRun={run}>
          {checks ? t.again : t.run}
        </ActionButton>
      }
    >
      <div aria-live="polite">
        {isBusy ? (
          <div class="card">
            <Skeleton rows={4} />
          </div>
        ) : checks ? (
          <Findings of={checks} />
        ) : (
          <EmptyCard icon="help" title={t.none}>
            {t.noneBody}
          </EmptyCard>
        )}
      </div>
    </PageBody>
  );
}

function Findings({ of: checks }: { of: Finding[] }) {
  const t = words.server.doctor;
  const bad = checks.filter(({ ok }) => !ok);
  return (
    <>
      <p class="mb-3 font-medium">{bad.length === 0 ? t.passed : t.failed(bad.length, checks.length)}</p>
      <Rows label={t.checks}>
        {[...bad, ...checks.filter(({ ok }) => ok)].map(({ name, ok, detail }) => (
          <li key={name} class="flex gap-3 px-4 py-3">
            <Icon name={ok ? 'check' : 'warn'} class={`mt-0.5 ${ok ? 'text-accent' : 'text-danger'}`} />
            <div class="min-w-0">
              <p class="font-medium">
                {name.replaceAll('_', ' ')}
                <span class="sr-only">{ok ? t.isGood : t.isBad}</span>
              </p>
              <p class="mt-0.5 text-sm break-words text-soft">{detail}</p>
            </div>
          </li>
        ))}
      </Rows>
    </>
  );
}
