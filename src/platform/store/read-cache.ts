/** Most values in the cache: their keys come from strangers. */
const VALUES_MAX = 4_000;

/**
 * A cache of reads from the store, because every mail would read the same rows again. Writes that come with mail keep it, and
 * all others clear it (`keepsCache` in platform/store/operation.ts).
 *
 * The main thread has one, which it clears when a write is answered: until then, no client knows of the write. The writer
 * thread has another, which it clears after the operation, and when a transaction is rolled back.
 */
export class ReadCache {
  private readonly kept = new Map<string, unknown>();

  /** Returns the cached value, or that of `read`, which is cached if `mayCache` allows it: what depends on the time must not be. */
  find<Value>(key: string, read: () => Value, mayCache: (value: Value) => boolean = () => true): Value {
    const known = this.kept.get(key);
    if (known !== undefined) return known as Value;
    const value = read();
    if (mayCache(value)) {
      if (this.kept.size >= VALUES_MAX) this.kept.clear();
      this.kept.set(key, value);
    }
    return value;
  }

  clear(): void {
    this.kept.clear();
  }
}
