/** How parser processes are shared between those whose mail they read (src/features/ingest/parser-pool.ts). */
export const parsing = {
  /** Kills that mails of one client network may cost in a window; each mail is tried twice before it counts. */
  killsMax: 1,
  /**
   * Seconds from the first kill. With the budget spent, large mails of that network are read by their headers alone
   * and stored with status `failed`, their raw bytes whole. Short, since a network may be a large provider's.
   */
  killWindowS: 120,
  /**
   * Processor time of a large mail, an attachment or a view before it must make room for the next, milliseconds; it is
   * then tried alone, for the full time. An honest mail of 25 MB takes 200 to 350.
   */
  firstWorkMsMax: 1_000,
  /** Of one network's large mails, those up to this size take turns with the larger ones instead of following them. */
  mediumBytesMax: 2 * 1024 * 1024,
} as const;
