import type { Clock } from '../../platform/core/clock.ts';

/** Remembers values by name for a while. If there are too many names, drops the oldest. */
export class Recent<Value> {
  private readonly kept = new Map<string, { value: Value; untilMs: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly namesMax: number,
    private readonly keepMs: number,
  ) {}

  get(name: string): Value | undefined {
    const found = this.kept.get(name);
    return found && found.untilMs > this.clock.elapsedMs() ? found.value : undefined;
  }

  set(name: string, value: Value): void {
    this.kept.delete(name);
    if (this.kept.size >= this.namesMax) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(name, { value, untilMs: this.clock.elapsedMs() + this.keepMs });
  }

  delete(name: string): void {
    this.kept.delete(name);
  }
}
