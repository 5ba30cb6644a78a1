/** Bounds of an account's rules (docs/rules.md). Rules run while mail is stored, so they must be fast. */
export const mailRules = {
  /** Most rules of an account. Each is tried on every mail to it. */
  rules_max: 50,
  name_chars_max: 100,
  /** Longest pattern, and most stars in it: a match takes time in proportion to pattern and text. */
  pattern_chars_max: 200,
  stars_max: 8,
  /** Characters of From, the subject and the recipient to compare with a pattern: senders can make them long. */
  text_chars_max: 1_000,
  forward_max: 5,
  delete_days_max: 3_650,
  /** Most forwards and notices of one message by all rules: one mail must not become hundreds. */
  errands_max: 10,
  /** Longest template of a notice, and longest value of a placeholder: receivers refuse long requests. */
  template_chars_max: 4_000,
  template_depth_max: 10,
  placeholders_max: 50,
  placeholder_chars_max: 300,
  /** Characters of the old and of the new value of a change in the audit log, so that both fit in its details. */
  audit_chars_max: 150,
  /** Stored messages that one page of a dry run reads. */
  dry_run_messages: 300,
} as const;

/** Bounds of what rules send: forwards and notices. */
export const errands = {
  /** Longest chain of forwards between inboxes of this server. */
  hops_max: 3,
  /** A mail with more Received headers is in a loop between servers, and is not forwarded. */
  received_max: 30,
  /** Seconds after which a forward is dropped for which the outbound queue has no room. */
  forward_wait_s: 86_400,
  /** Most concurrent forwards and notices, in total and of one account. */
  forwards_at_once: 8,
  forwards_of_account: 4,
  notices_at_once: 32,
  notices_of_account: 2,
} as const;
