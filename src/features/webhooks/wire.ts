import type { EventKind } from '../../rules/events.ts';

export type DisabledReason = 'operator' | 'gone' | 'failing';
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** A webhook as the operator and the dashboard see it, without its secret. */
export interface WebhookView {
  /** Null for a webhook of the whole account. */
  inbox_id: string | null;
  url: string;
  enabled: boolean;
  /** operator; gone (the receiver answered 410); failing (every attempt failed for five days). */
  disabled_reason: DisabledReason | null;
  consecutive_failures: number;
  failing_since: string | null;
  /** Until then the previous secret signs too. */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

/** A webhook with its new secret. The secret is shown only this once. */
export interface NewSecretView {
  inbox_id: string | null;
  url: string;
  enabled: boolean;
  secret: string;
}

/** A delivery with its history (docs/operations.md, webhook deliveries). */
export interface DeliveryView {
  event_id: string;
  event: EventKind;
  /** Null if the event is about something else. */
  message_id: string | null;
  status: DeliveryStatus;
  attempts: { at: string; response_status: number | null; error: string | null; duration_ms: number }[];
  next_attempt_at: string | null;
}
