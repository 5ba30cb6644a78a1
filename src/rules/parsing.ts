/** How senders share the parser processes (src/features/ingest/parser-pool.ts). */
export const parsing = {
  /** Parser kills that one client network may cause per window. Each is for a mail that was tried twice. */
  killsMax: 1,
  /**
   * The window, in seconds from the first kill. Once the kills are used up, only the headers of that network's large mails are
   * parsed until its end; the mails are stored whole, with status `failed`. It is short, because the network may be a large
   * provider's.
   */
  killWindowS: 120,
  /**
   * CPU milliseconds after which a large mail, an attachment or a view makes room for the next. It is tried again later, alone and
   * with the full time. A well-formed mail of 25 MB takes 200 to 350.
   */
  firstWorkMsMax: 1_000,
  /** A larger mail is in a file while it is parsed and stored, and its parsers are others (ParserPool). */
  memoryBytesMax: 256 * 1024,
  /** Up to this size, a network's large mails take turns with its larger ones, instead of waiting behind them. */
  mediumBytesMax: 2 * 1024 * 1024,
} as const;
