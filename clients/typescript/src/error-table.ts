// Written by scripts/refresh-clients from clients/contract/errors.json.
export const errorTable = {
  "kinds": {
    "authentication": "the key is missing, wrong or revoked",
    "permission": "this account, key or plan may not do that",
    "not_found": "it does not exist, or belongs to another account",
    "conflict": "it conflicts with the current state",
    "validation": "the request is wrong; fields says where",
    "rate_limit": "too many requests, or no free slot",
    "server": "the server failed",
    "connection": "there was no answer",
    "not_postern": "something other than Postern answered",
    "wait_timeout": "no matching message arrived in time",
    "signature": "a webhook is not from Postern",
    "start": "a server for tests could not be started",
    "aborted": "the caller cancelled it; in TypeScript the reason of the AbortSignal itself is thrown"
  },
  "codes": {
    "authentication_required": {
      "kind": "authentication",
      "advice": "Check the API key: it is missing, wrong or was revoked. Pass api_key, or set POSTERN_API_KEY."
    },
    "account_forbidden": {
      "kind": "permission",
      "advice": "The account is suspended or not verified, or the key was not created by the owner. Ask the operator, or use the owner's key."
    },
    "not_found": {
      "kind": "not_found",
      "advice": "Check the id or address. Objects of another account look as if they did not exist, so check the key too."
    },
    "method_not_allowed": {
      "kind": "validation",
      "advice": "The server may be older than this client; update it."
    },
    "not_acceptable": {
      "kind": "validation",
      "advice": "Something between the client and the server changes the Accept header."
    },
    "request_timeout": {
      "kind": "connection",
      "advice": "The request took longer than 30 seconds to arrive. Check the connection, then try again."
    },
    "conflict": {
      "kind": "conflict",
      "advice": "Read the current state, then try again."
    },
    "plan_limit_reached": {
      "kind": "conflict",
      "advice": "Delete what you no longer need, or ask the operator for a larger plan."
    },
    "slug_taken": {
      "kind": "conflict",
      "advice": "Choose another routing_key, or leave it out for a random address."
    },
    "payload_too_large": {
      "kind": "validation",
      "advice": "Make the body smaller."
    },
    "unsupported_media_type": {
      "kind": "validation",
      "advice": "Something between the client and the server changes the Content-Type header."
    },
    "range_not_satisfiable": {
      "kind": "validation",
      "advice": "Request a range that begins before the end."
    },
    "validation_error": {
      "kind": "validation",
      "advice": "Correct the fields that the error names."
    },
    "rate_limited": {
      "kind": "rate_limit",
      "advice": "Try again in {retry_after_s} s. Waiting for mail with a wait or a stream takes far fewer requests than polling."
    },
    "too_many_wait_requests": {
      "kind": "rate_limit",
      "advice": "All concurrent waits of the account are in use. End waits and streams that you no longer need, or ask for a larger plan."
    },
    "wait_capacity": {
      "kind": "rate_limit",
      "advice": "All concurrent waits of the server are in use. Try again in {retry_after_s} s, or ask the operator to raise POSTERN_WAIT_SLOTS."
    },
    "plan_upgrade_required": {
      "kind": "permission",
      "advice": "Call the method for one message at a time, or ask the operator for a larger plan."
    },
    "webhook_entitlement_required": {
      "kind": "permission",
      "advice": "Use a wait or a stream, or ask the operator for a plan with webhooks."
    },
    "webhook_not_configured": {
      "kind": "not_found",
      "advice": "Set up the webhook of the inbox first."
    },
    "webhook_ssrf_rejected": {
      "kind": "validation",
      "advice": "The URL of a webhook must be https and lead to a public address."
    },
    "webhook_unreachable": {
      "kind": "server",
      "advice": "Check that the receiver of the webhook is running and can be reached from the server."
    },
    "public_not_allowed_on_custom_domain": {
      "kind": "validation",
      "advice": "Leave public out, or create the inbox on the shared domain."
    },
    "metadata_must_be_object": {
      "kind": "validation",
      "advice": "Pass an object as metadata."
    },
    "metadata_too_large": {
      "kind": "validation",
      "advice": "Keep metadata under 4096 bytes and 50 keys."
    },
    "domain_not_found_or_unverified": {
      "kind": "validation",
      "advice": "Check the id of the domain, and that its status is verified."
    },
    "catch_all_target": {
      "kind": "conflict",
      "advice": "Turn off the domain's catch-all first."
    },
    "outbound_disabled": {
      "kind": "permission",
      "advice": "Ask the operator to allow sending for this account."
    },
    "outbound_entitlement_required": {
      "kind": "permission",
      "advice": "Ask the operator for the Business plan."
    },
    "sending_domain_not_eligible": {
      "kind": "permission",
      "advice": "Send from an address on one of your verified domains, with verified DKIM."
    },
    "recipient_rejected": {
      "kind": "validation",
      "advice": "Leave out the recipients that the error names: mail to them bounced before."
    },
    "outbound_quota_exceeded": {
      "kind": "permission",
      "advice": "The account's recipients for this hour or day are used up. Try again later."
    },
    "outbound_rate_limited": {
      "kind": "rate_limit",
      "advice": "Try again in {retry_after_s} s."
    },
    "recipient_not_approved": {
      "kind": "validation",
      "advice": "Approve the recipients first, or turn the list of approved recipients off."
    },
    "outbound_allowlist_entitlement_required": {
      "kind": "permission",
      "advice": "Ask the operator for the Business plan."
    },
    "approved_recipient_exists": {
      "kind": "conflict",
      "advice": "The address is already approved; there is nothing to do."
    },
    "outbound_allowlist_limit_reached": {
      "kind": "validation",
      "advice": "Remove recipients that you no longer need."
    },
    "outbound_allowlist_rate_limited": {
      "kind": "rate_limit",
      "advice": "Try again in {retry_after_s} s."
    },
    "reply_target_invalid": {
      "kind": "validation",
      "advice": "The message has no address to answer. Send a new one to an address that you know."
    },
    "byod_disabled": {
      "kind": "permission",
      "advice": "Ask the operator to allow custom domains for this account."
    },
    "domain_entitlement_required": {
      "kind": "permission",
      "advice": "Ask the operator for a plan with custom domains."
    },
    "domain_limit_reached": {
      "kind": "permission",
      "advice": "Delete domains that you no longer need, or ask for a larger plan."
    },
    "domain_taken": {
      "kind": "conflict",
      "advice": "The domain is already registered, by you or by another account."
    },
    "domain_has_inboxes": {
      "kind": "conflict",
      "advice": "Delete the inboxes of the domain first."
    },
    "domain_verify_rate_limited": {
      "kind": "rate_limit",
      "advice": "Try again in {retry_after_s} s. Domains are also checked automatically."
    },
    "domain_not_verified": {
      "kind": "conflict",
      "advice": "Publish the DNS records of the domain and verify it first."
    },
    "catch_all_entitlement_required": {
      "kind": "permission",
      "advice": "Ask the operator for a plan with catch-all."
    },
    "catch_all_target_invalid": {
      "kind": "validation",
      "advice": "Name a live, enabled inbox on this domain."
    },
    "catch_all_rate_limited": {
      "kind": "rate_limit",
      "advice": "Try again in {retry_after_s} s."
    },
    "inbox_limit_reached": {
      "kind": "permission",
      "advice": "Delete inboxes that you no longer need, or name an existing one."
    },
    "smtp_verify_disabled": {
      "kind": "permission",
      "advice": "Use safe mode."
    },
    "verify_full_entitlement_required": {
      "kind": "permission",
      "advice": "Use safe mode."
    },
    "batch_too_large": {
      "kind": "validation",
      "advice": "Split the batch."
    },
    "file_too_large": {
      "kind": "validation",
      "advice": "Split the file."
    },
    "unsupported_file_type": {
      "kind": "validation",
      "advice": "Name the file .csv or .txt."
    },
    "malformed_file": {
      "kind": "validation",
      "advice": "Save the file as UTF-8 text."
    },
    "too_many_connections": {
      "kind": "server",
      "advice": "Close connections that you do not need, and share one client between tests."
    },
    "not_a_trap": {
      "kind": "permission",
      "advice": "SMTP faults need a trap: postern capture, or an account that is a trap."
    },
    "storage_unavailable": {
      "kind": "server",
      "advice": "The disk of the server is full or not writable; tell its operator."
    },
    "server_error": {
      "kind": "server",
      "advice": "Look for the request id in the log of the server, and report it."
    },
    "invalid_url": {
      "kind": "validation",
      "advice": "Pass a URL that begins with http:// or https://, such as http://127.0.0.1:8025."
    },
    "unreachable": {
      "kind": "connection",
      "advice": "No Postern answers at {url}. Start one with postern capture, or check the URL (POSTERN_URL)."
    },
    "connection_lost": {
      "kind": "connection",
      "advice": "The connection to {url} broke before the answer was complete, and it is not known whether the request was carried out. Check, then try again."
    },
    "not_postern": {
      "kind": "not_postern",
      "advice": "Something other than Postern answers at {url}: check the URL (POSTERN_URL), and any proxy in between."
    },
    "wait_timeout": {
      "kind": "wait_timeout",
      "advice": "{arrived_text}. Check that the app sends to this address and this SMTP server, or give it more time."
    },
    "executable_not_found": {
      "kind": "start",
      "advice": "Install Postern, put it on the PATH, set POSTERN_BIN to its path, or pass the path as bin."
    },
    "start_failed": {
      "kind": "start",
      "advice": "Read its output above, and try postern capture in a terminal."
    },
    "webhook_signature_invalid": {
      "kind": "signature",
      "advice": "Pass the body exactly as received, before parsing, and the secret of this webhook, whsec_ included."
    },
    "webhook_timestamp_stale": {
      "kind": "signature",
      "advice": "The clock of this machine is wrong, or an old delivery is being replayed."
    }
  },
  "reasons": {
    "no_message": "No message came",
    "no_code": "none has a code",
    "low_confidence": "none has a code that is certain enough",
    "no_link": "none has a link",
    "other_sender": "none is from that sender",
    "other_subject": "none has that subject",
    "taken": "another wait claimed them"
  },
  "arrived_text": {
    "none": "No message came",
    "one": "1 message came, but {reason_text}",
    "many": "{arrived} messages came, but {reason_text}"
  }
} as const;
