export function quantile(values: readonly number[], at: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(at * sorted.length) - 1)]!;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** A figure with its goal. Missed goals are marked, and listed at the end. */
export class Report {
  private readonly missed: string[] = [];

  /** @param judges whether the run is long enough to judge goals. */
  constructor(private readonly judges: boolean) {}

  section(title: string): void {
    console.log(`\n${title}`);
  }

  line(name: string, ...figures: string[]): void {
    console.log(`  ${name.padEnd(38)} ${figures.map((figure) => figure.padStart(16)).join(' ')}`);
  }

  goal(name: string, value: number, unit: string, goal: { atLeast: number } | { under: number }): void {
    if (!this.judges) {
      this.line(name, `${shown(value)} ${unit}`);
      return;
    }
    const met = 'atLeast' in goal ? value >= goal.atLeast : value < goal.under;
    const wanted = 'atLeast' in goal ? `at least ${goal.atLeast}` : `under ${goal.under}`;
    this.line(name, `${shown(value)} ${unit}`, `${met ? 'ok' : 'MISSED'} (${wanted})`);
    if (!met) this.missed.push(`${name}: ${shown(value)} ${unit}, ${wanted}`);
  }

  /** Prints the missed goals; returns true if there are none. */
  end(): boolean {
    if (!this.judges) return true;
    console.log(
      this.missed.length > 0 ? `\nMissed:\n  ${this.missed.join('\n  ')}` : '\nAll measured goals are met.',
    );
    return this.missed.length === 0;
  }
}

export function shown(value: number): string {
  if (Number.isNaN(value)) return '-';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export const ratio = (value: number) => `${value.toFixed(2)} ×`;
