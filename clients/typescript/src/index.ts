export type { CallOptions, PosternOptions } from './connection.js';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  NotFoundError,
  NotPosternError,
  PermissionError,
  PosternError,
  RateLimitError,
  ServerError,
  SignatureError,
  StartError,
  ValidationError,
  WaitTimeoutError,
} from './errors.js';
export type { Replay } from './hooks.js';
export type { Inbox, InboxDetail, InboxMethods, MessageName } from './inbox.js';
export type { InboxFilters } from './inboxes.js';
export type { Listing, PageOptions } from './listing.js';
export type { MessageFilters, WaitForMessageOptions } from './mailbox.js';
export type { AttachmentToSend, WithAttachments } from './outbound.js';
export { type EventFilters, Postern } from './postern.js';
export type { StreamOptions } from './stream.js';
export type { MatchOptions, Requirement, WaitOptions } from './wait.js';
export { type AnyWebhookEvent, type VerifyOptions, type WebhookRequest, webhooks } from './webhooks.js';
export type {
  Account,
  ApprovedRecipient,
  Attachment,
  AuditEntry,
  BatchVerification,
  CatchAll,
  Checks,
  Domain,
  Event,
  InboxChanges,
  Message,
  MessageBatchResult,
  MessageDiaryEntry,
  MessageSummary,
  NewAttachment,
  NewComposedEmail,
  NewForward,
  NewInbox,
  NewOutboundEmail,
  NewReply,
  NewRule,
  NewSenderLists,
  NewSmtpFault,
  NewWebhook,
  OtpCandidate,
  OutboundEmail,
  Rule,
  RuleChanges,
  RuleDryRunMatch,
  RuleDryRunRequest,
  SenderLists,
  SmtpFault,
  Thread,
  ThreadMessage,
  ThreadSummary,
  Verification,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookEvent,
  WebhookReplayed,
  WebhookTest,
  WebhookWithSecret,
  WithheldMessage,
} from './wire.js';
