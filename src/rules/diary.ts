/** The diary of what SMTP refused: its bounds, so that a stranger who is refused a million times costs little. */
export const diary = {
  /** Seconds for which refusals are gathered before they are written, in one go. */
  gather_s: 5,
  /** Entries of one gathering: of one client's network, and in all. What is more is counted in one of its own. */
  entries_of_client: 20,
  entries: 200,
  /** Entries kept: of each account's recipients, and of those that are nobody's. Older ones go. */
  kept_of_account: 1_000,
  kept_of_nobody: 5_000,
  /** Days after which an entry is forgotten. */
  kept_days: 30,
  /** A stranger's text is cut. */
  text_chars: 320,
} as const;
