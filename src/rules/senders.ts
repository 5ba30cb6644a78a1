/** Who may write to an inbox (features/inboxes/senders/). */

/** `everyone`: all but the blocked. `allowed_only`: nobody but the allowed. */
export const senderModes = ['everyone', 'allowed_only'] as const;
export type SenderMode = (typeof senderModes)[number];

/**
 * Why a message is kept but not handed on. unproven: its sender is allowed if the check of SPF, DKIM and DMARC says that
 * it is the sender. unauthenticated: the check said no, or there is none for this mail.
 */
export const withheldReasons = ['blocked', 'not_allowed', 'unproven', 'unauthenticated'] as const;
export type WithheldReason = (typeof withheldReasons)[number];

/** Entries in both lists of an inbox. They are written in one transaction, for which all mail waits. */
export const SENDER_ENTRIES_MAX = 1_000;
