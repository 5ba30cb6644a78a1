/**
 * Every error code of the contract (api-v1.md, Errors) and the few added ones, with its HTTP status.
 * `text` is what a caller reads; `when` is what the documents say. `also` lists further statuses
 * under which the contract uses the same code.
 */
export interface ErrorRule {
  status: number;
  text: string;
  when: string;
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
    text: 'This account or key may not do that.',
    when: 'account unverified, suspended or inactive, or key not minted by the owner where required',
  },
  not_found: {
    status: 404,
    text: 'There is no such resource.',
    when: 'unknown, foreign or deleted resource',
  },
  method_not_allowed: {
    status: 405,
    text: 'This path does not take that method.',
    when: 'method unsupported for the path; Allow lists those that are',
  },
  not_acceptable: {
    status: 406,
    text: 'The Accept header admits no format that this route can give.',
    when: 'response format not acceptable',
  },
  request_timeout: {
    status: 408,
    text: 'The request body took too long to arrive.',
    when: 'request body not whole within 30 s (added to v1)',
  },
  conflict: {
    status: 409,
    text: 'The request conflicts with the present state.',
    when: 'state conflict, e.g. address allocation retries exhausted, or an Idempotency-Key used with another body',
  },
  plan_limit_reached: {
    status: 409,
    text: "The plan's inbox limit is reached.",
    when: 'plan limit for the action reached (inbox creation; in the dashboard API keys too)',
  },
  slug_taken: {
    status: 409,
    text: 'That routing_key belongs to another account.',
    when: 'routing_key claimed by another account',
  },
  payload_too_large: {
    status: 413,
    text: 'The request body is larger than this route takes.',
    when: "body over the route's bound (added to v1)",
  },
  unsupported_media_type: {
    status: 415,
    text: 'Send the body as application/json; a route that takes a file takes multipart/form-data too.',
    when: 'request media type unsupported',
  },
  range_not_satisfiable: {
    status: 416,
    text: 'The range starts after the last byte; Content-Range has the size.',
    when: 'Range starts after the last byte (added to v1)',
  },
  validation_error: {
    status: 422,
    text: 'The request is not valid; see fields.',
    when: 'body or parameter invalid; see `fields`',
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
    text: 'Batch message operations need a paid plan.',
    when: 'batch message operations on Free',
  },
  webhook_entitlement_required: {
    status: 403,
    text: 'The plan of this account has no webhooks.',
    when: 'plan has no webhooks',
  },
  webhook_not_configured: {
    status: 404,
    text: 'The inbox has no webhook.',
    when: 'no webhook on the inbox',
  },
  webhook_ssrf_rejected: {
    status: 400,
    text: 'The webhook URL may not be called; see fields.url.',
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
    text: 'metadata may have 4096 bytes and 50 top-level keys.',
    when: 'metadata over 4096 bytes or 50 top-level keys',
  },
  domain_not_found_or_unverified: {
    status: 422,
    also: [404],
    text: 'There is no verified domain of yours with that id.',
    when: 'domain id not found, foreign or not verified (inbox creation); 404 on catch-all inbox_id lookup',
  },
  catch_all_target: {
    status: 409,
    text: 'The inbox is the active catch-all target of its domain.',
    when: 'inbox is the active catch-all target',
  },
  outbound_disabled: {
    status: 403,
    text: 'Sending is not enabled for this account.',
    when: 'outbound email not enabled for the account',
  },
  outbound_entitlement_required: {
    status: 403,
    text: 'Sending needs the Business plan; demo and agent accounts never send.',
    when: 'outbound needs Business; demo and agent accounts never qualify',
  },
  sending_domain_not_eligible: {
    status: 403,
    text: 'The sender address is not on a domain of yours that is verified and has verified DKIM.',
    when: 'from domain not owned, verified and DKIM-verified',
  },
  recipient_rejected: {
    status: 422,
    text: 'A recipient is on the suppression list; see fields.',
    when: 'a recipient is suppressed',
  },
  outbound_quota_exceeded: {
    status: 403,
    text: 'The recipients that this account may write to in an hour or a day are used up; see Retry-After.',
    when: 'per-day or per-hour outbound recipient cap reached',
  },
  outbound_rate_limited: {
    status: 429,
    text: 'Too many sends, or too many emails still wait to be sent; see Retry-After.',
    when: 'send velocity or queue-depth guard',
  },
  recipient_not_approved: {
    status: 422,
    text: 'A recipient is not on the list of approved recipients; see fields.',
    when: 'recipient not on the approved-recipients allowlist',
  },
  outbound_allowlist_entitlement_required: {
    status: 403,
    text: 'The list of approved recipients needs the Business plan.',
    when: 'allowlist needs Business',
  },
  approved_recipient_exists: {
    status: 409,
    text: 'That address is approved already.',
    when: 'address already approved',
  },
  outbound_allowlist_limit_reached: {
    status: 422,
    text: 'The list of approved recipients is full.',
    when: 'allowlist entry cap reached',
  },
  outbound_allowlist_rate_limited: {
    status: 429,
    text: 'Too many changes of the list of approved recipients; see Retry-After.',
    when: 'too many allowlist changes',
  },
  reply_target_invalid: {
    status: 422,
    text: 'The original message has no address that a reply could go to.',
    when: 'no usable reply address in the original',
  },
  byod_disabled: {
    status: 403,
    text: 'Custom domains are not enabled for this account.',
    when: 'custom domains not enabled for the account',
  },
  domain_entitlement_required: {
    status: 403,
    text: 'The plan of this account has no custom domains.',
    when: 'plan has no custom domains',
  },
  domain_limit_reached: {
    status: 403,
    text: "The plan's cap of custom domains is reached.",
    when: 'custom-domain cap reached',
  },
  domain_taken: {
    status: 409,
    text: 'That domain is registered here already.',
    when: 'domain name already registered, by any account and in whatever status',
  },
  domain_has_inboxes: {
    status: 409,
    text: 'Inboxes are still bound to the domain; delete them first.',
    when: 'inboxes still bound to the domain',
  },
  domain_verify_rate_limited: {
    status: 429,
    text: 'Too many checks of domains; see Retry-After. Domains are checked by themselves too.',
    when: 'manual domain verify limit',
  },
  catch_all_entitlement_required: {
    status: 403,
    text: 'The plan of this account has no catch-all.',
    when: 'plan has no catch-all',
  },
  domain_not_verified: {
    status: 409,
    text: 'The domain is not verified.',
    when: 'domain not `verified` (catch-all, DKIM setup)',
  },
  catch_all_target_invalid: {
    status: 422,
    text: 'inbox_id must name a live, enabled inbox on this domain.',
    when: 'inbox_id not a live inbox bound to the domain',
  },
  inbox_limit_reached: {
    status: 403,
    text: "The catch-all inbox would exceed the plan's inbox cap.",
    when: "creating the catch-all inbox exceeds the plan's inbox cap",
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
    text: 'The plan of this account has no full verification; use mode safe.',
    when: 'full verify mode needs Business',
  },
  batch_too_large: {
    status: 422,
    text: 'Too many addresses in one batch; see fields.',
    when: 'over 100 unique rows (25 in full mode)',
  },
  file_too_large: { status: 422, text: 'The file may have 64 KB.', when: 'file over 64 KB' },
  unsupported_file_type: {
    status: 422,
    text: 'The file must be named .csv or .txt.',
    when: 'file is not .csv or .txt',
  },
  malformed_file: {
    status: 422,
    text: 'The file must be text in UTF-8.',
    when: 'not UTF-8 or contains a NUL byte',
  },
  too_many_connections: {
    status: 503,
    text: 'Too many connections are open; close idle ones, then try again (see Retry-After).',
    when: 'connections of the service or of one address over the bound (added to v1)',
  },
  storage_unavailable: {
    status: 503,
    text: 'The store cannot be written just now; nothing was changed. Try again.',
    when: 'disk full or store not writable (added to v1)',
  },
  server_error: { status: 500, text: 'Something failed on our side.', when: 'internal error' },
} as const satisfies Record<string, ErrorRule>;

export type ErrorCode = keyof typeof errors;
