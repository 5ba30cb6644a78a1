/** Most values kept: names come from strangers, though only what exists is worth keeping. */
const KEPT_MAX = 4_000;

/**
 * A cache of reads from the store, because each mail would read the same rows again. Writes that come with mail keep
 * it, all others clear it (`keepsRemembered` in platform/store/operation.ts).
 *
 * The main thread has one, and clears it when a write is answered: before that, no client knows of the write. The
 * writer thread has another, and clears it after the operation and when a transaction is rolled back.
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
