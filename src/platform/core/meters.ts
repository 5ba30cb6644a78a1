import type { CounterName, GaugeName, HistogramName } from '../../rules/metrics.ts';

export type Labels = Record<string, string | number>;

/** Where the appliance counts what it does (rules/metrics.ts). Cheap enough for every mail and request. */
export interface Meters {
  count(name: CounterName, labels?: Labels, by?: number): void;
  observe(name: HistogramName, value: number): void;
  /** `read` is asked at each scrape; what it throws is left out of that one. */
  gauge(name: GaugeName, read: () => number, labels?: Labels): void;
  /** Everything as Prometheus text, or null when nobody counts. */
  text(): Promise<string> | null;
}

/** For an appliance whose /metrics is off: nothing is counted, nothing is loaded. */
export const silentMeters: Meters = { count() {}, observe() {}, gauge() {}, text: () => null };
