/** What happens to mail for a suspended account. */
export const suspension = {
  /** Mail is deferred for 5 days, so that senders keep it if the suspension was a mistake; then it is refused. */
  mail_put_off_s: 5 * 24 * 3600,
} as const;
