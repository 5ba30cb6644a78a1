/** What was thrown, in words. JavaScript throws any value, and libraries throw more than errors. */

/** For a line of the log: an error with its stack. */
export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** The reason alone, for a person. */
export function readReason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
