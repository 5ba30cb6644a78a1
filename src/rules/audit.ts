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
  'single_sign_on.connected',
  'single_sign_on.removed',
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
  /** Longer User-Agents are cut, so that a client can't fill the log. */
  agentCharsMax: 300,
  /** Longer targets and details are cut. */
  textCharsMax: 320,
  /** Most failed sign-ins to record per hour and email address, so that a guesser can't fill the log. */
  failuresPerEmail: 50,
  /** Most to record per hour for all email addresses that nobody has, together. */
  failuresOfNobody: 200,
} as const;
