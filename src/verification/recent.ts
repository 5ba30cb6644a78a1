import type { Clock } from '../core/clock.ts';

/** What is remembered of a name for a while; of too many names the oldest goes. */
export class Recent<Value> {
  private readonly kept = new Map<string, { value: Value; until_ms: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly names_max: number,
    private readonly keep_ms: number,
  ) {}

  get(name: string): Value | undefined {
    const found = this.kept.get(name);
    return found && found.until_ms > this.clock.elapsed_ms() ? found.value : undefined;
  }

  set(name: string, value: Value): void {
    this.kept.delete(name);
    if (this.kept.size >= this.names_max) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(name, { value, until_ms: this.clock.elapsed_ms() + this.keep_ms });
  }

  delete(name: string): void {
    this.kept.delete(name);
  }
}
