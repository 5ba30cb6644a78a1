/** Answers that are kept at most: names come from strangers, though only what exists is worth keeping. */
const KEPT_MAX = 4_000;

/**
 * What was read from the store and holds until a write changes it: each mail would read the same rows again. Writes that
 * come with mail keep it, all others clear it (`keepsRemembered` in platform/store/operation.ts).
 *
 * The main thread has one, and clears it when a write is answered: nobody knows of the write before. The writer thread
 * has another, and clears it after the operation and when a transaction is undone.
 */
export class Remembered {
  private readonly kept = new Map<string, unknown>();

  /** What `read` returns. It is kept if `mayKeep` says so: what depends on the time must not be. */
  find<Value>(key: string, read: () => Value, mayKeep: (value: Value) => boolean = () => true): Value {
    const known = this.kept.get(key);
    if (known !== undefined) return known as Value;
    const value = read();
    if (mayKeep(value)) {
      if (this.kept.size >= KEPT_MAX) this.kept.clear();
      this.kept.set(key, value);
    }
    return value;
  }

  clear(): void {
    this.kept.clear();
  }
}
