import type { UsageView } from '../../doors/dashboard/wire.ts';
import type { Cap } from '../../rules/plans.ts';
import { useData } from '../data.ts';
import { PageBody } from '../parts.tsx';
import { Facts, Loaded, Part } from '../rows.tsx';

const monthNames = {
  messages_received: 'Messages received',
  webhook_attempts: 'Webhook attempts',
  outbound_recipients: 'Email recipients',
  verifications: 'Addresses verified',
} as const satisfies Partial<Record<keyof UsageView['month'], string>>;

export default function UsagePage() {
  const usage = useData<UsageView>('usage', 30_000);
  return (
    <PageBody title="Plan and usage" about="What your plan includes, and how much you have used.">
      <Loaded of={usage}>{(data) => <Shown of={data} />}</Loaded>
    </PageBody>
  );
}

function Shown({ of: { plan, caps, used, month } }: { of: UsageView }) {
  const allowed = (cap: Cap) =>
    caps[cap] ? <span class="tag tag-accent">yes</span> : <span class="tag">no</span>;
  const monthName = new Date(`${month.month}-15T00:00:00Z`).toLocaleDateString(undefined, {
    month: 'long',
    year: 'numeric',
  });
  return (
    <>
      <Part title={`Plan: ${plan}`}>
        <div class="card space-y-5 p-4">
          <Bar name="Inboxes" used={used.inboxes} cap={caps.inboxes} />
          {caps.custom_domains > 0 && (
            <Bar name="Custom domains" used={used.custom_domains} cap={caps.custom_domains} />
          )}
          <Bar name="Open waits and streams" used={used.concurrent_waits} cap={caps.concurrent_waits} />
        </div>
      </Part>
      <Part title={`Usage in ${monthName}`}>
        <Facts
          of={(Object.keys(monthNames) as (keyof typeof monthNames)[]).map((key) => [
            monthNames[key],
            <span class="tabular-nums">{month[key].toLocaleString()}</span>,
          ])}
        />
      </Part>
      <Part title="Plan features">
        <Facts
          of={[
            ['Message retention', caps.retention_days ? `${caps.retention_days} days` : 'Forever'],
            ['Webhooks', allowed('webhooks')],
            ['Batch operations', allowed('batch')],
            [
              'Custom domains',
              caps.custom_domains ? caps.custom_domains.toLocaleString() : allowed('custom_domains'),
            ],
            ['Catch-all', allowed('catch_all')],
            ['Sending', allowed('outbound')],
            ['Full address verification', allowed('full_verify')],
          ]}
        />
      </Part>
    </>
  );
}

const NEARLY = 0.8;

function Bar({ name, used, cap }: { name: string; used: number; cap: number }) {
  const share = cap > 0 ? Math.min(1, used / cap) : used > 0 ? 1 : 0;
  const colour = share >= 1 ? 'bg-danger' : share >= NEARLY ? 'bg-warn' : 'bg-accent';
  return (
    <div>
      <div class="mb-1.5 flex items-baseline justify-between gap-4 text-sm">
        <span class="font-medium">{name}</span>
        <span class="text-soft tabular-nums">
          {used.toLocaleString()} of {cap.toLocaleString()}
        </span>
      </div>
      <div
        role="img"
        aria-label={`${name}: ${used} of ${cap} in use`}
        class="h-2 overflow-hidden rounded-full bg-hover"
      >
        <div class={`h-full rounded-full ${colour}`} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
