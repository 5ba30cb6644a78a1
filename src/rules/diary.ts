/** Bounds of the diary of refused mail: a stranger who is refused a million times must cost little. */
export const diary = {
  /** Seconds for which refusals are collected before they are written in one transaction. */
  gather_s: 5,
  /** Entries per collection: from one client network, and in total. Further refusals only increase a counter. */
  entries_of_client: 20,
  entries: 200,
  /** Entries kept: per account, and for recipients that belong to nobody. The oldest go first. */
  kept_of_account: 1_000,
  kept_of_nobody: 5_000,
  /** Days after which an entry is deleted. */
  kept_days: 30,
  /** Longer text from a stranger is cut. */
  text_chars: 320,
} as const;
