export type { PosternOptions } from './connection.js';
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
export type { CallOptions, Inbox, InboxDetail, InboxMethods, MessageName } from './inbox.js';
export type { InboxFilters } from './inboxes.js';
export type { Listing } from './listing.js';
export type { MessageFilters, WaitForMessageOptions } from './mailbox.js';
export { Postern } from './postern.js';
export type { StreamOptions } from './stream.js';
export type { MatchOptions, Requirement, WaitOptions } from './wait.js';
export { type VerifyOptions, type WebhookRequest, webhooks } from './webhooks.js';
export type {
  Account,
  Attachment,
  BatchVerification,
  Checks,
  InboxChanges,
  Message,
  MessageBatchResult,
  MessageSummary,
  NewComposedEmail,
  NewForward,
  NewInbox,
  NewOutboundEmail,
  NewReply,
  NewSmtpFault,
  OtpCandidate,
  OutboundEmail,
  SmtpFault,
  Verification,
  WebhookEvent,
} from './wire.js';
