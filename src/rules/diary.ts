/** Bounds of the diary of refused mail. Refusing a stranger a million times must cost little. */
export const diary = {
  /** Seconds for which refusals are collected before they are written in one transaction. */
  gatherS: 5,
  /** Most new entries per write, for one client network and in total. Further refusals only increase a counter. */
  entriesOfClient: 20,
  entries: 200,
  /** Most entries, per account and for recipients that no account has. The oldest are deleted first. */
  keptOfAccount: 1_000,
  keptOfNobody: 5_000,
  /** Days after which an entry is deleted. */
  keptDays: 30,
  /** Longer text from a stranger is cut. */
  textChars: 320,
} as const;
