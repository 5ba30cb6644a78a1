/** What becomes of mail for a suspended account. */
export const suspension = {
  /** Put off for 5 days, so that senders keep it if the suspension was a mistake; then refused. */
  mail_put_off_s: 5 * 24 * 3600,
} as const;
