/** An inbox's lists of senders (features/inboxes/senders/). */

/** `everyone`: all but blocked senders may write to the inbox. `allowed_only`: only allowed ones may. */
export const senderModes = ['everyone', 'allowed_only'] as const;
export type SenderMode = (typeof senderModes)[number];

/**
 * Why a message is withheld. unproven: its From is allowed, but the check of SPF, DKIM and DMARC is still to prove it.
 * unauthenticated: the check has not proven it, or this mail is not checked.
 */
export const withheldReasons = ['blocked', 'not_allowed', 'unproven', 'unauthenticated'] as const;
export type WithheldReason = (typeof withheldReasons)[number];

/** Most entries in both lists of an inbox. They are written in one transaction, which all mail waits for. */
export const SENDER_ENTRIES_MAX = 1_000;
