/** Counts by name. A name whose count is 0 takes no memory. */
export class Counts<Name> {
  private readonly counts = new Map<Name, number>();

  of(name: Name): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: Name, amount: number): void {
    const sum = this.of(name) + amount;
    if (sum > 0) this.counts.set(name, sum);
    else this.counts.delete(name);
  }

  clear(): void {
    this.counts.clear();
  }
}
