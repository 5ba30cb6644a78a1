import type { CounterName, GaugeName, HistogramName } from '../../rules/metrics.ts';

export type Labels = Record<string, string | number>;

/** Counts what the appliance does (rules/metrics.ts). Cheap enough for every mail and request. */
export interface Meters {
  count(name: CounterName, labels?: Labels, by?: number): void;
  observe(name: HistogramName, value: number): void;
  /** `read` is called at each scrape; if it throws, that scrape omits the gauge. */
  gauge(name: GaugeName, read: () => number, labels?: Labels): void;
  /** All metrics as Prometheus text; null when nothing is counted. */
  text(): Promise<string> | null;
}

/** For an appliance with /metrics off: counts nothing, loads nothing. */
export const silentMeters: Meters = { count() {}, observe() {}, gauge() {}, text: () => null };
