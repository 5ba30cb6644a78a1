import type { WebhookView } from '../../features/webhooks/wire.ts';
import { words } from '../words/words.ts';

export function WebhookState({
  of: { enabled, disabled_reason, consecutive_failures },
}: {
  of: WebhookView;
}) {
  const { states, failures } = words.account.webhooks;
  if (!enabled) {
    const reason = disabled_reason === null || disabled_reason === 'operator' ? 'off' : disabled_reason;
    return <span class="tag tag-warn">{states[reason]}</span>;
  }
  if (consecutive_failures === 0) return <span class="tag tag-accent">{states.on}</span>;
  return <span class="tag tag-danger">{failures(consecutive_failures)}</span>;
}
