/** Bounds of an account's rules (docs/rules.md). Rules run while mail is stored, so each bound keeps that fast. */
export const mailRules = {
  /** Rules of an account. Each is tried on every mail to the account. */
  rules_max: 50,
  name_chars_max: 100,
  /** Length of a pattern, and how many stars it may have: a match takes time in proportion to pattern and text. */
  pattern_chars_max: 200,
  stars_max: 8,
  /** Characters of From, the subject and the recipient that a pattern is compared with: senders write them. */
  text_chars_max: 1_000,
  forward_max: 5,
  delete_days_max: 3_650,
  /** Forwards and notices of one message, over all rules: one mail must not become hundreds. */
  errands_max: 10,
  /** Length of a notice's template, and of what one placeholder puts into it: receivers refuse long ones. */
  template_chars_max: 4_000,
  template_depth_max: 10,
  placeholders_max: 50,
  placeholder_chars_max: 300,
  /** Characters of each side of a change in the audit log: a change must not fill it, and both sides must be seen. */
  audit_chars_max: 150,
  /** Stored messages that one page of a dry run checks. */
  dry_run_messages: 300,
} as const;

/** How what leaves the machine because of a rule is retried and bounded. */
export const errands = {
  /** Forwards of forwards: a chain of inboxes on this server may be this long. */
  hops_max: 3,
  /** A mail with this many Received lines is looping between servers that don't know each other. */
  received_max: 30,
  /** Seconds after which a forward that our own queue has no room for is dropped. */
  forward_wait_s: 86_400,
  /** Forwards that are composed at once, and notices that are sent at once: in all, and of one account. */
  forwards_at_once: 8,
  forwards_of_account: 4,
  notices_at_once: 32,
  notices_of_account: 2,
} as const;
