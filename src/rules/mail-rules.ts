/** Bounds of an account's rules (docs/rules.md). Rules run while mail is stored, so they must be fast. */
export const mailRules = {
  /** Most rules of an account. Each is tried on every mail to it. */
  rulesMax: 50,
  nameCharsMax: 100,
  /** Longest pattern, and most stars in it: a match takes time in proportion to pattern and text. */
  patternCharsMax: 200,
  starsMax: 8,
  /** Characters of From, the subject and the recipient to compare with a pattern: senders can make them long. */
  textCharsMax: 1_000,
  forwardMax: 5,
  deleteDaysMax: 3_650,
  /** Most forwards and notices of one message by all rules: one mail must not become hundreds. */
  errandsMax: 10,
  /** Longest template of a notice, and longest value of a placeholder: receivers refuse long requests. */
  templateCharsMax: 4_000,
  templateDepthMax: 10,
  placeholdersMax: 50,
  placeholderCharsMax: 300,
  /** Characters of the old and of the new value of a change in the audit log, so that both fit in its details. */
  auditCharsMax: 150,
  /** Stored messages that one page of a dry run reads. */
  dryRunMessages: 300,
} as const;

/** Bounds of what rules send: forwards and notices. */
export const errands = {
  /** Longest chain of forwards between inboxes of this server. */
  hopsMax: 3,
  /** A mail with more Received headers is in a loop between servers, and is not forwarded. */
  receivedMax: 30,
  /** Seconds after which a forward is dropped for which the outbound queue has no room. */
  forwardWaitS: 86_400,
  /** Most concurrent forwards and notices, in total and of one account. */
  forwardsAtOnce: 8,
  forwardsOfAccount: 4,
  noticesAtOnce: 32,
  noticesOfAccount: 2,
} as const;
