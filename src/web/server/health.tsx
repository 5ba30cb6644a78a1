import { useState } from 'preact/hooks';
import type { Health, PlotSpan } from '../../doors/dashboard/wire.ts';
import { useData } from '../data.ts';
import { fullTime, size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { PageBody } from '../parts.tsx';
import { Facts, Loaded, Part } from '../rows.tsx';
import { Plot } from './plot.tsx';

const plotNames: Record<string, string> = {
  mails_accepted_total: 'Messages accepted',
  mails_refused_total: 'Messages rejected',
  webhook_attempts_total: 'Webhook attempts',
  http_requests_total: 'API requests',
};

const REFRESH_MS = 5_000;

export default function HealthPage() {
  const [span, setSpan] = useState<PlotSpan>('hour');
  const health = useData<Health>(`operator/health?span=${span}`, REFRESH_MS);
  return (
    <PageBody title="Server health">
      <Loaded of={health} rows={5}>
        {(data) => (
          <>
            <Trouble of={data.trouble} />
            <Throughput of={data.plots} span={span} setSpan={setSpan} />
            <Now of={data} />
          </>
        )}
      </Loaded>
    </PageBody>
  );
}

function Trouble({ of: reason }: { of: string | null }) {
  return (
    <p
      role="status"
      class={`mb-6 flex items-center gap-2 rounded-md px-3.5 py-2.5 font-medium ${reason ? 'bg-dangertint text-danger' : 'bg-tint text-tintink'}`}
    >
      <Icon name={reason ? 'warn' : 'check'} />
      {reason ? `Not accepting mail: ${reason}` : 'All systems operational'}
    </p>
  );
}

interface ThroughputProps {
  of: Health['plots'];
  span: PlotSpan;
  setSpan: (span: PlotSpan) => void;
}

function Throughput({ of: { series, step_minutes }, span, setSpan }: ThroughputProps) {
  const per = step_minutes === 1 ? 'per minute' : `per ${step_minutes} minutes`;
  return (
    <Part
      title="Throughput"
      about={`${span === 'hour' ? 'Last hour' : 'Last 24 hours'}, since the server started.`}
      actions={
        <fieldset class="flex rounded-md bg-hover p-0.5">
          <legend class="sr-only">Time range</legend>
          {(['hour', 'day'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={span === each}
              class={`rounded-[5px] px-2.5 py-1 text-sm font-medium ${span === each ? 'bg-raised shadow-sm' : 'text-soft hover:text-ink'}`}
              onClick={() => setSpan(each)}
            >
              {each === 'hour' ? 'Hour' : 'Day'}
            </button>
          ))}
        </fieldset>
      }
    >
      <div class="grid grid-cols-1 gap-3 sm:grid-cols-2">
        {Object.entries(series).map(([name, values]) => (
          <Plot key={name} name={plotNames[name] ?? name} values={values} per={per} />
        ))}
      </div>
    </Part>
  );
}

function Now({ of: { queues, store, listening, memory_bytes, started_at, version, bun } }: { of: Health }) {
  const number = (value: number | null) => (value === null ? 'unknown' : value.toLocaleString());
  const smtp = listening.smtp
    .map(({ host, port, tls }) => `${host}:${port}${tls ? ' (TLS)' : ''}`)
    .join(', ');
  return (
    <>
      <Part title="Queues">
        <Facts
          of={[
            ['Waits and streams', `${queues.waits} of ${number(queues.waits_max)}`],
            [
              'SMTP connections',
              `${number(queues.smtp_connections)} of ${number(queues.smtp_connections_max)}`,
            ],
            ['Pending deliveries', number(queues.webhooks)],
            ['Queued emails', number(queues.outbound)],
            ['Pending writes', number(queues.writes)],
          ]}
        />
      </Part>
      <Part title="Store">
        <Facts
          of={[
            ['Database', size(store.bytes)],
            ['Write-ahead log', size(store.log_bytes)],
            ['Free disk space', `${size(store.disk_free_bytes)} of ${size(store.disk_bytes)}`],
            ['Mail is rejected below', size(store.disk_floor_bytes)],
          ]}
        />
      </Part>
      <Part title="Process">
        <Facts
          of={[
            ['Version', `${version}, Bun ${bun}`],
            ['Started', fullTime(started_at)],
            ['Memory', size(memory_bytes)],
            ['HTTP', listening.http ?? 'off'],
            ['SMTP', smtp || 'off'],
          ]}
        />
      </Part>
    </>
  );
}
