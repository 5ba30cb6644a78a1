import type { CounterName, GaugeName, HistogramName } from '../../rules/metrics.ts';
import { MINUTE_US } from './clock.ts';
import type { Labels, Meters } from './meters.ts';

/** The metrics that the operator's pages plot. */
const plotted = [
  'mails_accepted_total',
  'mails_refused_total',
  'webhook_attempts_total',
  'http_requests_total',
] as const satisfies readonly CounterName[];
type Plotted = (typeof plotted)[number];

/** One day, and so 1,440 numbers per plot. */
const MINUTES_KEPT = 1_440;

/** Counts by the minute for the operator's pages, and passes everything on to the meters of /metrics. */
export class Observed implements Meters {
  private readonly counts = new Map<string, Uint32Array>(
    plotted.map((name) => [name, new Uint32Array(MINUTES_KEPT)]),
  );
  private readonly gauges = new Map<GaugeName, () => number>();
  /** The last minute, counted from 1970, that the rings have been cleared for. */
  private minute: number;

  constructor(
    private readonly inner: Meters,
    private readonly nowUs: () => number,
  ) {
    this.minute = Math.floor(nowUs() / MINUTE_US);
  }

  count(name: CounterName, labels?: Labels, by = 1): void {
    this.inner.count(name, labels, by);
    const ring = this.counts.get(name);
    // Viewing the plots must not change them.
    if (!ring || /^(dashboard|operator)/.test(String(labels?.route ?? ''))) return;
    const at = this.turn() % MINUTES_KEPT;
    ring[at] = (ring[at] ?? 0) + by;
  }

  observe(name: HistogramName, value: number): void {
    this.inner.observe(name, value);
  }

  gauge(name: GaugeName, read: () => number, labels?: Labels): void {
    this.gauges.set(name, read);
    this.inner.gauge(name, read, labels);
  }

  text(): Promise<string> | null {
    return this.inner.text();
  }

  /** Returns the current value of a gauge; null if it is not registered or can't be read. */
  read(name: GaugeName): number | null {
    try {
      return this.gauges.get(name)?.() ?? null;
    } catch {
      return null;
    }
  }

  /** Returns the last minutes of each plot, oldest first. The last minute is incomplete. */
  series(minutes: number): Record<Plotted, number[]> {
    const last = this.turn();
    const of = (ring: Uint32Array) =>
      Array.from({ length: minutes }, (_, back) => ring[(last - minutes + 1 + back) % MINUTES_KEPT] ?? 0);
    return Object.fromEntries(plotted.map((name) => [name, of(this.counts.get(name)!)])) as Record<
      Plotted,
      number[]
    >;
  }

  /**
   * Clears the minutes that began since the last call, and returns the current one. Ignores a clock that is set back.
   */
  private turn(): number {
    const now = Math.floor(this.nowUs() / MINUTE_US);
    const from = Math.max(this.minute + 1, now - MINUTES_KEPT + 1);
    for (let minute = from; minute <= now; minute++) {
      for (const ring of this.counts.values()) ring[minute % MINUTES_KEPT] = 0;
    }
    this.minute = Math.max(this.minute, now);
    return this.minute;
  }
}
