/** Random choices from a seed (mulberry32), so that a failed cut can be reproduced. */
export class Chance {
  constructor(private state: number) {}

  /** From 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  isLikely(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** At most `count` different items, in random order. */
  sample<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items];
    for (let index = 0; index < Math.min(count, left.length); index++) {
      const other = index + this.below(left.length - index);
      [left[index], left[other]] = [left[other]!, left[index]!];
    }
    return left.slice(0, count);
  }

  bytes(length: number): Buffer {
    const created = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at++) created[at] = this.below(256);
    return created;
  }
}
