/** What the audit log records (docs/security.md, The audit log). */
export const auditActions = [
  'sign_in',
  'sign_in.failed',
  'sign_out',
  'sessions.ended',
  'key.created',
  'key.revoked',
  'member.added',
  'member.link_created',
  'member.role_changed',
  'member.removed',
  'password.changed',
  'second_factor.added',
  'second_factor.removed',
  'second_factor.reset',
  'recovery_codes.created',
  'passkey.added',
  'passkey.removed',
  'account.created',
  'account.changed',
  'account.deleted',
  'webhook.set',
  'webhook.secret_rotated',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.removed',
  'domain.added',
  'domain.removed',
  'domain.enabled',
  'domain.disabled',
  'domain.catch_all_changed',
  'domain.dkim_key_created',
  'rule.created',
  'rule.changed',
  'rule.enabled',
  'rule.disabled',
  'rule.deleted',
  'senders.changed',
  'recipient.approved',
  'recipient.removed',
  'allowlist.changed',
  'hold.changed',
  'email.approved',
  'email.rejected',
] as const;

export type AuditAction = (typeof auditActions)[number];

export const auditActors = ['user', 'key', 'operator', 'capture', 'visitor', 'system'] as const;

export const audit = {
  /** Longer User-Agents are cut: a client must not fill the log. */
  agent_chars_max: 300,
  /** Longer targets and details are cut. */
  text_chars_max: 320,
  /** Failed sign-ins recorded in an hour for one email; a guesser must not fill the log. */
  failures_per_email: 50,
  /** The same for all emails that nobody has, together. */
  failures_of_nobody: 200,
} as const;
