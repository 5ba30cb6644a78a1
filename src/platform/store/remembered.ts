/** Answers that are kept at most: names come from strangers, though only what exists is worth keeping. */
const KEPT_MAX = 4_000;

/**
 * What was read from the store and holds until a write changes it. SQLite reads its pages anew after every commit, and
 * on a busy server mail is committed all the time. Nobody knows of a write before it is answered, so what is remembered
 * until then is not out of date (`keepsRemembered` in platform/store/operation.ts).
 */
export class Remembered {
  private readonly kept = new Map<string, unknown>();

  /** What `read` returns. It is kept if `mayKeep` says so: what depends on the time must not be. */
  find<Value>(key: string, read: () => Value, mayKeep: (value: Value) => boolean): Value {
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
