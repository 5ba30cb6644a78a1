/** Every error code of the contract (docs/api-v1.md, Errors), and the few that were added. */
export interface ErrorRule {
  /** The HTTP status. */
  status: number;
  /** The default message. */
  text: string;
  /** The cause, for the OpenAPI document. */
  when: string;
  /** Other statuses with the same code. */
  also?: readonly number[];
}

export const errors = {
  authentication_required: {
    status: 401,
    text: 'A valid API key is required: send Authorization: Bearer <API_KEY>.',
    when: 'missing or invalid key',
  },
  account_forbidden: {
    status: 403,
    text: 'This account or key is not allowed to do that.',
    when: 'account unverified, suspended or inactive, a key that the owner did not create where one is required, or a Host that does not name this server',
  },
  not_found: {
    status: 404,
    text: 'Not found.',
    when: 'resource unknown, deleted or of another account',
  },
  method_not_allowed: {
    status: 405,
    text: 'This path does not support that method.',
    when: 'method not supported by this path; Allow lists the supported ones',
  },
  not_acceptable: {
    status: 406,
    text: 'The Accept header allows none of the formats of this route.',
    when: 'no acceptable response format',
  },
  request_timeout: {
    status: 408,
    text: 'The request body took too long to arrive.',
    when: 'request body not complete within 30 s, or 150 s if it has large attachments (added to v1)',
  },
  conflict: {
    status: 409,
    text: 'The request conflicts with the current state.',
    when: 'state conflict, e.g. no free address found, or an Idempotency-Key reused with another body',
  },
  plan_limit_reached: {
    status: 409,
    text: "The plan's inbox limit is reached.",
    when: 'plan limit reached (inbox creation; in the dashboard also API keys)',
  },
  slug_taken: {
    status: 409,
    text: 'That routing_key belongs to another account.',
    when: 'routing_key belongs to another account',
  },
  payload_too_large: {
    status: 413,
    text: 'The request body is larger than this route accepts.',
    when: "body over the route's bound (added to v1)",
  },
  unsupported_media_type: {
    status: 415,
    text: 'Send the body as application/json, or as multipart/form-data on routes that accept a file.',
    when: 'request media type not supported',
  },
  range_not_satisfiable: {
    status: 416,
    text: 'The range starts after the last byte; Content-Range has the size.',
    when: 'Range starts after the last byte (added to v1)',
  },
  validation_error: {
    status: 422,
    text: 'The request is not valid; see fields.',
    when: 'invalid body or parameter; see `fields`',
  },
  rate_limited: { status: 429, text: 'Too many requests; see Retry-After.', when: 'rate limit exceeded' },
  too_many_wait_requests: {
    status: 429,
    text: 'All concurrent waits of this account are in use.',
    when: 'per-account concurrent-wait cap',
  },
  wait_capacity: {
    status: 429,
    text: 'All concurrent waits of the service are in use.',
    when: 'service-wide concurrent-wait cap',
  },
  plan_upgrade_required: {
    status: 402,
    text: 'Batch operations need a paid plan.',
    when: 'batch message operations on Free',
  },
  webhook_entitlement_required: {
    status: 403,
    text: 'Your plan does not include webhooks.',
    when: 'webhooks not in the plan',
  },
  webhook_not_configured: {
    status: 404,
    text: 'The inbox has no webhook.',
    when: 'no webhook on the inbox',
  },
  webhook_ssrf_rejected: {
    status: 400,
    text: 'That webhook URL is not allowed; see fields.url.',
    when: 'webhook URL is private, loopback or link-local',
  },
  webhook_unreachable: {
    status: 502,
    text: 'The receiver could not be reached; see fields.error.',
    when: 'receiver unreachable: time-out, refused, TLS failure',
  },
  public_not_allowed_on_custom_domain: {
    status: 422,
    text: 'Only inboxes on the shared domain can be public.',
    when: 'public set on a custom-domain inbox',
  },
  metadata_must_be_object: {
    status: 422,
    text: 'metadata must be a JSON object.',
    when: 'metadata is not an object',
  },
  metadata_too_large: {
    status: 422,
    text: 'metadata is limited to 4096 bytes and 50 top-level keys.',
    when: 'metadata over 4096 bytes or 50 top-level keys',
  },
  domain_not_found_or_unverified: {
    status: 422,
    also: [404],
    text: 'You have no verified domain with that id.',
    when: 'domain unknown, of another account or not verified (inbox creation); 404 for the inbox_id of a catch-all',
  },
  catch_all_target: {
    status: 409,
    text: "The inbox is its domain's active catch-all target.",
    when: 'inbox is the active catch-all target',
  },
  outbound_disabled: {
    status: 403,
    text: 'Sending is not enabled for this account.',
    when: 'outbound email not enabled for the account',
  },
  outbound_entitlement_required: {
    status: 403,
    text: 'Sending needs the Business plan; demo and agent accounts cannot send.',
    when: 'sending needs Business; demo and agent accounts never qualify',
  },
  sending_domain_not_eligible: {
    status: 403,
    text: 'The sender address must be on a verified domain of yours with verified DKIM.',
    when: 'from domain not yours, not verified or without verified DKIM',
  },
  recipient_rejected: {
    status: 422,
    text: 'A recipient is on the suppression list; see fields.',
    when: 'a recipient is suppressed',
  },
  outbound_quota_exceeded: {
    status: 403,
    text: "The account's hourly or daily recipient cap is reached; see Retry-After.",
    when: 'hourly or daily recipient cap reached',
  },
  outbound_rate_limited: {
    status: 429,
    text: 'Too many sends, or too many emails waiting to be sent; see Retry-After.',
    when: 'too many sends per minute, or too many queued emails',
  },
  recipient_not_approved: {
    status: 422,
    text: 'A recipient is not on the list of approved recipients; see fields.',
    when: 'recipient not on the list of approved recipients',
  },
  outbound_allowlist_entitlement_required: {
    status: 403,
    text: 'The list of approved recipients needs the Business plan.',
    when: 'list of approved recipients needs Business',
  },
  approved_recipient_exists: {
    status: 409,
    text: 'That address is already approved.',
    when: 'address already approved',
  },
  outbound_allowlist_limit_reached: {
    status: 422,
    text: 'The list of approved recipients is full.',
    when: 'list of approved recipients is full',
  },
  outbound_allowlist_rate_limited: {
    status: 429,
    text: 'Too many changes to the list of approved recipients; see Retry-After.',
    when: 'too many changes to the list of approved recipients',
  },
  reply_target_invalid: {
    status: 422,
    text: 'The original message has no address to reply to.',
    when: 'original has no usable reply address',
  },
  byod_disabled: {
    status: 403,
    text: 'Custom domains are not enabled for this account.',
    when: 'custom domains not enabled for the account',
  },
  domain_entitlement_required: {
    status: 403,
    text: 'Your plan does not include custom domains.',
    when: 'custom domains not in the plan',
  },
  domain_limit_reached: {
    status: 403,
    text: "The plan's cap on custom domains is reached.",
    when: 'custom-domain cap reached',
  },
  domain_taken: {
    status: 409,
    text: 'That domain is already registered.',
    when: 'domain already registered, by any account and in any status',
  },
  domain_has_inboxes: {
    status: 409,
    text: 'The domain still has inboxes; delete them first.',
    when: 'domain still has inboxes',
  },
  domain_verify_rate_limited: {
    status: 429,
    text: 'Too many domain checks; see Retry-After. Domains are also checked automatically.',
    when: 'limit of requested domain checks reached',
  },
  catch_all_entitlement_required: {
    status: 403,
    text: 'Your plan does not include catch-all.',
    when: 'catch-all not in the plan',
  },
  domain_not_verified: {
    status: 409,
    text: 'The domain is not verified.',
    when: 'domain not `verified` (catch-all, DKIM setup)',
  },
  catch_all_target_invalid: {
    status: 422,
    text: 'inbox_id must name a live, enabled inbox on this domain.',
    when: 'inbox_id is not a live inbox on the domain',
  },
  inbox_limit_reached: {
    status: 403,
    text: "The catch-all inbox would exceed the plan's inbox limit.",
    when: "catch-all inbox would exceed the plan's inbox limit",
  },
  catch_all_rate_limited: {
    status: 429,
    text: 'The catch-all was switched too often; see Retry-After.',
    when: 'more than 6 toggles per domain per hour',
  },
  smtp_verify_disabled: {
    status: 403,
    text: 'Full verification is not enabled on this server; use mode safe.',
    when: 'full verify mode not enabled',
  },
  verify_full_entitlement_required: {
    status: 403,
    text: 'Your plan does not include full verification; use mode safe.',
    when: 'full verify mode needs Business',
  },
  batch_too_large: {
    status: 422,
    text: 'Too many addresses in one batch; see fields.',
    when: 'over 100 unique rows (25 in full mode)',
  },
  file_too_large: { status: 422, text: 'The file may have at most 64 KB.', when: 'file over 64 KB' },
  unsupported_file_type: {
    status: 422,
    text: 'The file must be named .csv or .txt.',
    when: 'file is not .csv or .txt',
  },
  malformed_file: {
    status: 422,
    text: 'The file must be UTF-8 text.',
    when: 'not UTF-8 or contains a NUL byte',
  },
  too_many_connections: {
    status: 503,
    text: 'Too many connections are open; close idle ones, then try again (see Retry-After).',
    when: 'too many open connections, in total or from one address (added to v1)',
  },
  not_a_trap: {
    status: 403,
    text: 'Only a trap for test mail has SMTP faults: capture mode, or an account that its operator made a trap.',
    when: 'SMTP faults for an account that is no trap (added to v1)',
  },
  storage_unavailable: {
    status: 503,
    text: 'The store is not writable at the moment; nothing was changed. Try again.',
    when: 'disk full or store not writable (added to v1)',
  },
  server_error: { status: 500, text: 'Internal error.', when: 'internal error' },
} as const satisfies Record<string, ErrorRule>;

export type ErrorCode = keyof typeof errors;
