import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import { type EventKind, eventKinds } from '../../rules/events.ts';
import type { Attempt, Delivery, Webhook } from './sql.ts';
import type { DeliveryView, NewSecretView, WebhookView } from './wire.ts';

export function webhookView(hook: Webhook, nowUs: number): WebhookView {
  const hasPrevious = hook.previous_until !== null && hook.previous_until > nowUs;
  return {
    inbox_id: hook.inbox_id,
    url: hook.url,
    enabled: hook.is_enabled === 1,
    disabled_reason: hook.disabled_reason,
    consecutive_failures: hook.failures,
    failing_since: isoTimeOrNull(hook.failing_since),
    previous_secret_until: hasPrevious ? isoTime(hook.previous_until!) : null,
    created_at: isoTime(hook.created_at),
    updated_at: isoTime(hook.updated_at),
  };
}

export function newSecretView(hook: Webhook, secret: string): NewSecretView {
  return { inbox_id: hook.inbox_id, url: hook.url, enabled: hook.is_enabled === 1, secret };
}

export function deliveryView(row: Delivery): DeliveryView {
  const attempts = JSON.parse(row.attempts) as Attempt[];
  return {
    event_id: row.id,
    event: row.kind,
    message_id: isAboutMessage(row.kind) ? row.subject_id : null,
    status: row.status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: isoTime(attempt.at) })),
    next_attempt_at: row.status === 'pending' ? isoTime(row.due_at) : null,
  };
}

function isAboutMessage(kind: EventKind): boolean {
  const { about, as } = eventKinds[kind];
  return about === 'message' || as === 'message';
}
