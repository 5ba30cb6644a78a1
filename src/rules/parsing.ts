/** How senders share the parser processes (src/features/ingest/parser-pool.ts). */
export const parsing = {
  /** Parser kills that one client network may cause per window. A mail is tried twice before it counts. */
  killsMax: 1,
  /**
   * The window, seconds from the first kill. When it is used up, only the headers of that network's large mails
   * are parsed; they are stored whole, with status `failed`. It is short because a network may be a large
   * provider's.
   */
  killWindowS: 120,
  /**
   * CPU milliseconds after which a large mail, an attachment or a view makes room for the next. It is tried again
   * alone, with the full time. A well-formed mail of 25 MB takes 200 to 350.
   */
  firstWorkMsMax: 1_000,
  /** Up to this size, a network's large mails take turns with its larger ones instead of queueing behind them. */
  mediumBytesMax: 2 * 1024 * 1024,
} as const;
