import type { UsageView } from '../../doors/dashboard/wire.ts';
import type { Cap } from '../../rules/plans.ts';
import { useData } from '../data.ts';
import { monthName } from '../format.ts';
import { PageBody } from '../parts.tsx';
import { Facts, Loaded, Part } from '../rows.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';

const counted = ['messages_received', 'webhook_attempts', 'outbound_recipients', 'verifications'] as const;

export default function UsagePage() {
  const usage = useData<UsageView>('usage', 30_000);
  return (
    <PageBody title={words.frame.places.usage} about={words.account.usage.about}>
      <Loaded of={usage}>{(data) => <Shown of={data} />}</Loaded>
    </PageBody>
  );
}

function Shown({ of: { plan, caps, used, month } }: { of: UsageView }) {
  const t = words.account.usage;
  const allowed = (cap: Cap) =>
    caps[cap] ? <span class="tag tag-accent">{t.yes}</span> : <span class="tag">{t.no}</span>;
  return (
    <>
      <Part title={t.plan(plan)}>
        <div class="card space-y-5 p-4">
          <Bar name={t.inboxes} used={used.inboxes} cap={caps.inboxes} />
          {caps.custom_domains > 0 && (
            <Bar name={t.customDomains} used={used.custom_domains} cap={caps.custom_domains} />
          )}
          <Bar name={t.waits} used={used.concurrent_waits} cap={caps.concurrent_waits} />
        </div>
      </Part>
      <Part title={t.usageIn(monthName(month.month))}>
        <Facts
          of={counted.map((key) => [t.month[key], <span class="tabular-nums">{number(month[key])}</span>])}
        />
      </Part>
      <Part title={t.features}>
        <Facts
          of={[
            [t.retention, caps.retention_days ? t.retentionDays(caps.retention_days) : t.forever],
            [words.frame.places.webhooks, allowed('webhooks')],
            [t.batch, allowed('batch')],
            [t.customDomains, caps.custom_domains ? number(caps.custom_domains) : allowed('custom_domains')],
            [t.catchAll, allowed('catch_all')],
            [words.frame.places.sending, allowed('outbound')],
            [t.fullVerify, allowed('full_verify')],
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
        <span class="flex-none text-soft tabular-nums">{words.frame.outOf(number(used), number(cap))}</span>
      </div>
      <div
        role="img"
        aria-label={words.account.usage.inUse(name, number(used), number(cap))}
        class="h-2 overflow-hidden rounded-full bg-hover"
      >
        <div class={`h-full rounded-full ${colour}`} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
