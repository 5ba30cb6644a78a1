import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { ServerKey } from '../../platform/core/sealed.ts';
import { type EventKind, eventKinds } from '../../rules/events.ts';
import { openSecret } from './secret.ts';
import type { WebhookWithSecret } from './setup/writes.ts';
import type { Attempt, Delivery, Webhook } from './sql.ts';
import type { DeliveryView, WebhookSecretView, WebhookView } from './wire.ts';

/** Returns how the log names a webhook. */
export function nameWebhook({ inbox_id, id }: Webhook): { inbox: string } | { webhook: string } {
  return inbox_id === null ? { webhook: id } : { inbox: inbox_id };
}

export function viewWebhook(hook: Omit<Webhook, 'secret' | 'previous_secret'>, nowUs: number): WebhookView {
  const hasPrevious = hook.previous_until !== null && hook.previous_until > nowUs;
  return {
    id: hook.id,
    inbox_id: hook.inbox_id,
    url: hook.url,
    events: JSON.parse(hook.events),
    enabled: hook.is_enabled === 1,
    disabled_reason: hook.disabled_reason,
    consecutive_failures: hook.failures,
    failing_since: isoTimeOrNull(hook.failing_since),
    previous_secret_until: hasPrevious ? isoTime(hook.previous_until!) : null,
    created_at: isoTime(hook.created_at),
    updated_at: isoTime(hook.updated_at),
  };
}

export function viewNewSecret(key: ServerKey, { hook, sealed }: WebhookWithSecret): WebhookSecretView {
  // By the time of its change, not by now: a repeat with the same Idempotency-Key must get the same answer.
  return { ...viewWebhook(hook, hook.updated_at), secret: openSecret(key, hook, sealed) };
}

export function viewDelivery(row: Delivery): DeliveryView {
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
