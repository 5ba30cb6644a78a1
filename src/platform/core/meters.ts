import type { CounterName, GaugeName, HistogramName } from '../../rules/metrics.ts';

export type Labels = Record<string, string | number>;

/** Counts what the appliance does (rules/metrics.ts). It is cheap enough for every mail and request. */
export interface Meters {
  count(name: CounterName, labels?: Labels, by?: number): void;
  observe(name: HistogramName, value: number): void;
  /**
   * Registers a gauge, or a counter that the system keeps. `read` is called at each scrape; if it throws, that scrape
   * omits the gauge.
   */
  gauge(name: GaugeName, read: () => number, labels?: Labels): void;
  /** Returns all metrics as Prometheus text; null if nothing is counted. */
  text(): Promise<string> | null;
}

/** Meters for an appliance with /metrics off. They count nothing and load nothing. */
export const silentMeters: Meters = { count() {}, observe() {}, gauge() {}, text: () => null };
