export type DisabledReason = 'operator' | 'gone' | 'failing';
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** A webhook as operators and the dashboard see it; never with its secret. */
export interface WebhookView {
  inbox_id: string;
  url: string;
  enabled: boolean;
  /** operator, gone (the receiver answered 410), failing (five days of nothing else). */
  disabled_reason: DisabledReason | null;
  consecutive_failures: number;
  failing_since: string | null;
  /** Until then the secret before the last rotation signs too. */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

/** A webhook with a secret that was made just now: the only time at which it is shown. */
export interface NewSecretView {
  inbox_id: string;
  url: string;
  enabled: boolean;
  secret: string;
}

/** A delivery with its history (docs/operations.md, webhook deliveries). */
export interface DeliveryView {
  event_id: string;
  message_id: string;
  status: DeliveryStatus;
  attempts: { at: string; response_status: number | null; error: string | null; duration_ms: number }[];
  next_attempt_at: string | null;
}
