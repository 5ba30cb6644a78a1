/** A valid request for each route, by its name, for the tests that cover all routes. */
import type { Route } from '../../src/platform/http/route.ts';

/** A value for each path parameter, by kind of resource. */
export interface Own {
  inbox: string;
  message: string;
  address: string;
  outbound: string;
  approved: string;
  domain: string;
  rule: string;
  webhook: string;
}

export const unknownIds = {
  inbox: 'inbox_x',
  message: 'msg_x',
  outbound: 'out_x',
  approved: 'apr_x',
  domain: 'dom_x',
  rule: 'rule_x',
  webhook: 'hook_x',
};

interface Example {
  /** The path with a new resource in it. */
  path: (own: Own) => string;
  /** A valid body. */
  body?: unknown;
}

export const examples: Record<string, Example> = {
  getAccount: { path: () => '/api/v1/account' },
  listInboxes: { path: () => '/api/v1/inboxes' },
  createInbox: { path: () => '/api/v1/inboxes', body: {} },
  getInbox: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}` },
  updateInbox: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}`, body: { label: 'x' } },
  deleteInbox: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}` },
  getSenders: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/senders` },
  setSenders: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/senders`, body: { block: ['x.example'] } },
  listWithheldMessages: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/withheld` },
  acceptMessage: { path: ({ message }) => `/api/v1/messages/${message}/accept` },
  listAccountMessages: { path: () => '/api/v1/messages' },
  listMessages: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/messages` },
  waitForMessage: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/messages/wait` },
  streamMessages: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/stream` },
  waitForAnyMessage: { path: () => '/api/v1/messages/wait' },
  streamAllMessages: { path: () => '/api/v1/messages/stream' },
  getLatestMessage: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/messages/latest` },
  getMessage: { path: ({ message }) => `/api/v1/messages/${message}` },
  markMessage: { path: ({ message }) => `/api/v1/messages/${message}`, body: { read: true } },
  setMessageTags: { path: ({ message }) => `/api/v1/messages/${message}/tags`, body: { tags: ['x'] } },
  checkMessage: { path: ({ message }) => `/api/v1/messages/${message}/checks` },
  deleteMessage: { path: ({ message }) => `/api/v1/messages/${message}` },
  batchMessages: { path: () => '/api/v1/messages/batch', body: { action: 'fetch', ids: ['msg_x'] } },
  listAuditLog: { path: () => '/api/v1/audit_log' },
  listThreads: { path: () => '/api/v1/threads' },
  getThread: { path: ({ message }) => `/api/v1/threads/${message.replace('msg_', 'thr_')}` },
  getRawMessage: { path: ({ message }) => `/api/v1/messages/${message}/raw` },
  getAttachment: { path: ({ message }) => `/api/v1/messages/${message}/attachments/0` },
  testWebhook: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook/test` },
  setInboxWebhook: {
    path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook`,
    body: { url: 'https://hooks.example.com/mail' },
  },
  getInboxWebhook: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook` },
  deleteInboxWebhook: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook` },
  listInboxWebhookDeliveries: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook/deliveries` },
  rotateInboxWebhook: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook/rotate` },
  enableInboxWebhook: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook/enable` },
  disableInboxWebhook: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook/disable` },
  replayInboxWebhook: {
    path: ({ inbox }) => `/api/v1/inboxes/${inbox}/webhook/replay`,
    body: { since: '2026-11-21T08:00:00Z' },
  },
  listWebhooks: { path: () => '/api/v1/webhooks' },
  createWebhook: {
    path: () => '/api/v1/webhooks',
    body: { url: 'https://hooks.example.com/all', events: ['email.received', 'domain.failed'] },
  },
  getWebhook: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}` },
  updateWebhook: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}`, body: { enabled: true } },
  deleteWebhook: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}` },
  listWebhookDeliveries: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}/deliveries` },
  rotateWebhook: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}/rotate` },
  enableWebhook: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}/enable` },
  disableWebhook: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}/disable` },
  replayWebhook: {
    path: ({ webhook }) => `/api/v1/webhooks/${webhook}/replay`,
    body: { since: '2026-11-21T08:00:00Z' },
  },
  testAccountWebhook: { path: ({ webhook }) => `/api/v1/webhooks/${webhook}/test` },
  listEvents: { path: () => '/api/v1/events' },
  sendEmail: {
    path: () => '/api/v1/outbound_emails',
    body: { from_address: 'a@one.example', to: ['b@example.org'], subject: 'x', body_text: 'x' },
  },
  listOutboundEmails: { path: () => '/api/v1/outbound_emails' },
  getOutboundHold: { path: () => '/api/v1/outbound_hold' },
  setOutboundHold: { path: () => '/api/v1/outbound_hold', body: { enabled: false } },
  getInboxOutboundHold: { path: ({ inbox }) => `/api/v1/inboxes/${inbox}/outbound_hold` },
  setInboxOutboundHold: {
    path: ({ inbox }) => `/api/v1/inboxes/${inbox}/outbound_hold`,
    body: { enabled: false },
  },
  getRawOutboundEmail: { path: ({ outbound }) => `/api/v1/outbound_emails/${outbound}/raw` },
  approveOutboundEmail: { path: ({ outbound }) => `/api/v1/outbound_emails/${outbound}/approve` },
  rejectOutboundEmail: {
    path: ({ outbound }) => `/api/v1/outbound_emails/${outbound}/reject`,
    body: { reason: 'x' },
  },
  getOutboundEmail: { path: ({ outbound }) => `/api/v1/outbound_emails/${outbound}` },
  replyToMessage: {
    path: ({ inbox, message }) => `/api/v1/inboxes/${inbox}/messages/${message}/reply`,
    body: { body_text: 'x' },
  },
  forwardMessage: {
    path: ({ inbox, message }) => `/api/v1/inboxes/${inbox}/messages/${message}/forward`,
    body: { to: ['b@example.org'] },
  },
  composeEmail: {
    path: ({ inbox }) => `/api/v1/inboxes/${inbox}/compose`,
    body: { to: ['b@example.org'], subject: 'x', body_text: 'x' },
  },
  listApprovedRecipients: { path: () => '/api/v1/outbound_allowlist' },
  approveRecipient: { path: () => '/api/v1/outbound_allowlist', body: { email: 'b@example.org' } },
  getApprovedRecipient: { path: ({ approved }) => `/api/v1/outbound_allowlist/${approved}` },
  removeApprovedRecipient: { path: ({ approved }) => `/api/v1/outbound_allowlist/${approved}` },
  setAllowlistMode: { path: () => '/api/v1/outbound_allowlist/mode', body: { enabled: false } },
  // Its verdict needs no DNS.
  verifyEmail: { path: () => '/api/v1/verify', body: { email: 'a@b..c' } },
  verifyBatch: { path: () => '/api/v1/verify/batch', body: { emails: ['a@b..c'] } },
  listDomains: { path: () => '/api/v1/domains' },
  createDomain: { path: () => '/api/v1/domains', body: { name: 'two.example' } },
  getDomain: { path: ({ domain }) => `/api/v1/domains/${domain}` },
  deleteDomain: { path: ({ domain }) => `/api/v1/domains/${domain}` },
  verifyDomain: { path: ({ domain }) => `/api/v1/domains/${domain}/verify` },
  setCatchAll: { path: ({ domain }) => `/api/v1/domains/${domain}/catch_all`, body: { catch_all: false } },
  setUpSending: { path: ({ domain }) => `/api/v1/domains/${domain}/sending_setup` },
  readPublicMessages: { path: ({ address }) => `/api/v1/public/emails/${address}/messages` },
  registerAgent: { path: () => '/api/v1/agents/register', body: {} },
  createSmtpFault: { path: () => '/api/v1/smtp_faults', body: { stage: 'rcpt', drop: true } },
  listSmtpFaults: { path: () => '/api/v1/smtp_faults' },
  clearSmtpFaults: { path: () => '/api/v1/smtp_faults' },
  deleteSmtpFault: { path: () => '/api/v1/smtp_faults/fault_x' },
  listRules: { path: () => '/api/v1/rules' },
  createRule: { path: () => '/api/v1/rules', body: { subject: 'code', tags: ['x'] } },
  getRule: { path: ({ rule }) => `/api/v1/rules/${rule}` },
  updateRule: { path: ({ rule }) => `/api/v1/rules/${rule}`, body: { is_enabled: false } },
  deleteRule: { path: ({ rule }) => `/api/v1/rules/${rule}` },
  dryRunRules: { path: () => '/api/v1/rules/dry_run', body: {} },
  listMessageDiary: { path: ({ message }) => `/api/v1/messages/${message}/diary` },
  getOpenApi: { path: () => '/api/v1/openapi.json' },
  getMetrics: { path: () => '/metrics' },
  getReference: { path: () => '/docs' },
  getHealth: { path: () => '/healthz' },
  getReadiness: { path: () => '/readyz' },
};

export const findExample = ({ name }: Route) => examples[name] ?? { path: () => `/no-example-for-${name}` };
