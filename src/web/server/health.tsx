import { useState } from 'preact/hooks';
import type { Health, PlotSpan } from '../../doors/dashboard/wire.ts';
import { useData } from '../data.ts';
import { fullTime, size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { PageBody } from '../parts.tsx';
import { Facts, Loaded, Part } from '../rows.tsx';
import { Segmented } from '../segmented.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { Plot } from './plot.tsx';

const REFRESH_MS = 5_000;
const SPANS: readonly PlotSpan[] = ['hour', 'day'];

export default function HealthPage() {
  const [span, setSpan] = useState<PlotSpan>('hour');
  const health = useData<Health>(`operator/health?span=${span}`, REFRESH_MS);
  return (
    <PageBody title={words.server.health.title}>
      <Loaded of={health} rows={5}>
        {(data) => (
          <>
            <Trouble of={data.trouble} />
            {data.certificate?.failure && <CertificatePart of={data.certificate} />}
            <Throughput of={data.plots} span={span} setSpan={setSpan} />
            <Now of={data} />
            {data.certificate && !data.certificate.failure && <CertificatePart of={data.certificate} />}
          </>
        )}
      </Loaded>
    </PageBody>
  );
}

function Trouble({ of: reason }: { of: string | null }) {
  const t = words.server.health;
  return (
    <p
      role="status"
      class={`mb-6 flex items-center gap-2 rounded-md px-3.5 py-2.5 font-medium ${reason ? 'bg-dangertint text-danger' : 'bg-tint text-tintink'}`}
    >
      <Icon name={reason ? 'warn' : 'check'} />
      {reason ? t.bad(reason) : t.good}
    </p>
  );
}

function CertificatePart({ of: certificate }: { of: NonNullable<Health['certificate']> }) {
  const t = words.server.health.certificate;
  const { source, issuer, names, expires_at, renews_at, failure, next_try_at } = certificate;
  const rows: [string, string][] = [
    [t.source, t.sources[source]],
    [t.issuer, issuer],
    [t.names, names.join(', ')],
    [t.expires, fullTime(expires_at)],
  ];
  if (renews_at !== null) rows.push([t.renews, fullTime(renews_at)]);
  if (next_try_at !== null) rows.push([t.nextTry, fullTime(next_try_at)]);
  return (
    <Part title={t.title}>
      {failure && (
        <p role="alert" class="mb-3 rounded-md bg-dangertint px-3.5 py-2.5 text-sm text-danger">
          <strong class="block font-medium">{t.failed(fullTime(failure.at))}</strong>
          <span class="block break-words" lang="en">
            {failure.reason}
          </span>
          <span class="block break-words" lang="en">
            {failure.todo}
          </span>
        </p>
      )}
      <Facts of={rows} />
    </Part>
  );
}

interface ThroughputProps {
  of: Health['plots'];
  span: PlotSpan;
  setSpan: (span: PlotSpan) => void;
}

function Throughput({ of: { series, step_minutes }, span, setSpan }: ThroughputProps) {
  const t = words.server.health;
  const plotNames: Record<string, string> = t.plots;
  return (
    <Part
      title={t.throughput}
      about={span === 'hour' ? t.lastHour : t.lastDay}
      actions={<Segmented label={t.range} keys={SPANS} names={t} current={span} onChoose={setSpan} />}
    >
      <div class="grid grid-cols-1 gap-3 sm:grid-cols-2">
        {Object.entries(series).map(([name, values]) => (
          <Plot key={name} name={plotNames[name] ?? name} values={values} minutes={step_minutes} />
        ))}
      </div>
    </Part>
  );
}

function Now({ of: { queues, store, listening, memory_bytes, started_at, version, bun } }: { of: Health }) {
  const t = words.server.health;
  const { outOf } = words.frame;
  const known = (value: number | null) => (value === null ? t.unknown : number(value));
  const smtp = listening.smtp
    .map(({ host, port, tls }) => `${host}:${port}${tls ? ' (TLS)' : ''}`)
    .join(', ');
  return (
    <>
      <Part title={t.queues}>
        <Facts
          of={[
            [t.waits, outOf(number(queues.waits), known(queues.waits_max))],
            [t.smtpConnections, outOf(known(queues.smtp_connections), known(queues.smtp_connections_max))],
            [t.pendingDeliveries, known(queues.webhooks)],
            [t.queuedEmails, known(queues.outbound)],
            [t.pendingWrites, known(queues.writes)],
          ]}
        />
      </Part>
      <Part title={t.store}>
        <Facts
          of={[
            [t.database, size(store.bytes)],
            [t.writeAheadLog, size(store.log_bytes)],
            [t.freeDisk, outOf(size(store.disk_free_bytes), size(store.disk_bytes))],
            [t.floor, size(store.disk_floor_bytes)],
          ]}
        />
      </Part>
      <Part title={t.process}>
        <Facts
          of={[
            [t.version, `${version}, Bun ${bun}`],
            [t.started, fullTime(started_at)],
            [t.memory, size(memory_bytes)],
            ['HTTP', listening.http ?? t.off],
            ['SMTP', smtp || t.off],
          ]}
        />
      </Part>
    </>
  );
}
