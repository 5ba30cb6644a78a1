import type { WebhookView } from '../../features/webhooks/wire.ts';

const reasons: Record<NonNullable<WebhookView['disabled_reason']>, string> = {
  operator: 'off',
  gone: 'off: endpoint returned 410',
  failing: 'off: failing for days',
};

export function HookState({ of: { enabled, disabled_reason, consecutive_failures } }: { of: WebhookView }) {
  if (!enabled) return <span class="tag tag-warn">{disabled_reason ? reasons[disabled_reason] : 'off'}</span>;
  if (consecutive_failures === 0) return <span class="tag tag-accent">on</span>;
  const failures =
    consecutive_failures === 1 ? 'last delivery failed' : `${consecutive_failures} failures in a row`;
  return <span class="tag tag-danger">{failures}</span>;
}
