/** What happens to mail for a suspended account. */
export const suspension = {
  /** Seconds for which mail is deferred, so that senders keep it if the suspension was a mistake. Then it is refused. */
  mailPutOffS: 5 * 24 * 3600,
} as const;
