import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { Attempt, Delivery, DeliveryStatus, Webhook } from './sql.ts';

/** A webhook as operators and the dashboard see it; never with its secret. */
export interface WebhookView {
  inbox_id: string;
  url: string;
  enabled: boolean;
  /** operator, gone (the receiver answered 410), failing (five days of nothing else). */
  disabled_reason: string | null;
  consecutive_failures: number;
  failing_since: string | null;
  /** Until then the secret before the last rotation signs too. */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

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

/** A webhook with a secret that was made just now: the only time at which it is shown. */
export interface NewSecretView {
  inbox_id: string;
  url: string;
  enabled: boolean;
  secret: string;
}

export function newSecretView(hook: Webhook, secret: string): NewSecretView {
  return { inbox_id: hook.inbox_id, url: hook.url, enabled: hook.is_enabled === 1, secret };
}

/** A delivery with its history (docs/operations.md, webhook deliveries). */
export interface DeliveryView {
  event_id: string;
  message_id: string;
  status: DeliveryStatus;
  attempts: { at: string; response_status: number | null; error: string | null; duration_ms: number }[];
  next_attempt_at: string | null;
}

export function deliveryView(row: Delivery): DeliveryView {
  const attempts = JSON.parse(row.attempts) as Attempt[];
  return {
    event_id: row.id,
    message_id: row.message_id,
    status: row.status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: isoTime(attempt.at) })),
    next_attempt_at: row.status === 'pending' ? isoTime(row.due_at) : null,
  };
}
