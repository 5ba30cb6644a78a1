/* What was thrown, in words. JavaScript can throw any value, and libraries do. */

/** Describes it for the log: an error with its stack. */
export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** Returns the code of an error of the system, of Node or of SQLite, such as `ENOENT`; empty without one. */
export function readCode(thrown: unknown): string {
  return String((thrown as { code?: unknown } | null)?.code ?? '');
}

/** Returns the reason alone, for a person. */
export function readReason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
