import { useState } from 'preact/hooks';
import type { Finding } from '../../features/doctor/wire.ts';
import { call } from '../api.ts';
import { attempt } from '../data.ts';
import { Icon } from '../icons.tsx';
import { Empty, PageBody, Skeleton } from '../parts.tsx';
import { Rows } from '../rows.tsx';

export default function DoctorPage() {
  const [checks, setChecks] = useState<Finding[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await attempt(async () =>
      setChecks((await call<{ data: { checks: Finding[] } }>('POST', 'operator/doctor')).data.checks),
    );
    setBusy(false);
  };
  return (
    <PageBody
      title="Doctor"
      about="Looks at the store, the disk, the clock, the ports, the DNS of the mail domain and the certificate, and sends itself a mail."
      actions={
        <button type="button" class="button button-main" disabled={isBusy} onClick={() => void run()}>
          {isBusy ? 'Looking…' : checks ? 'Look again' : 'Look at everything'}
        </button>
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
          <div class="card">
            <Empty icon="help" title="Nothing was looked at yet">
              It takes some seconds and changes nothing.
            </Empty>
          </div>
        )}
      </div>
    </PageBody>
  );
}

function Findings({ of: checks }: { of: Finding[] }) {
  const bad = checks.filter(({ ok }) => !ok);
  return (
    <>
      <p class="mb-3 font-medium">
        {bad.length === 0 ? 'All is well.' : `${bad.length} of ${checks.length} need you.`}
      </p>
      <Rows label="Findings">
        {[...bad, ...checks.filter(({ ok }) => ok)].map(({ name, ok, detail }) => (
          <li key={name} class="flex gap-3 px-4 py-3">
            <Icon name={ok ? 'check' : 'warn'} class={`mt-0.5 ${ok ? 'text-accent' : 'text-danger'}`} />
            <div class="min-w-0">
              <p class="font-medium">
                {name.replaceAll('_', ' ')}
                <span class="sr-only">{ok ? ': as it should be' : ': needs you'}</span>
              </p>
              <p class="mt-0.5 text-sm break-words text-soft">{detail}</p>
            </div>
          </li>
        ))}
      </Rows>
    </>
  );
}
