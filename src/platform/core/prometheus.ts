import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type GaugeName,
  type MetricName,
  type MetricRule,
  metricName,
  metrics,
} from '../../rules/metrics.ts';
import type { Labels, Meters } from './meters.ts';

/** Returns meters that count with prom-client, in a registry of their own: one process may run several appliances. */
export function prometheusMeters(): Meters {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, () => void>();
  for (const [name, rule] of Object.entries(metrics) as [MetricName, MetricRule][]) {
    const common = { name: metricName(name), help: rule.help, labelNames: rule.labels ?? [] };
    if (rule.type === 'counter' && !rule.isRead)
      counters.set(name, new Counter({ ...common, registers: [registry] }));
    if (rule.type === 'histogram') {
      const buckets = [...(rule.buckets ?? [])];
      histograms.set(name, new Histogram({ ...common, buckets, registers: [registry] }));
    }
  }
  return {
    count: (name, labels = {}, by = 1) => counters.get(name)?.inc(labels, by),
    observe: (name, value) => histograms.get(name)?.observe(value),
    gauge: (name, read, labels = {}) => void gauges.set(name, makeGauge(registry, name, read, labels)),
    async text() {
      for (const look of gauges.values()) look();
      return registry.metrics();
    },
  };
}

/**
 * Creates a gauge, and returns a function that reads its value. With prom-client's `collect`, one failing gauge would
 * fail the whole scrape.
 */
function makeGauge(registry: Registry, name: GaugeName, read: () => number, labels: Labels): () => void {
  const { help, type } = metrics[name];
  const about = { name: metricName(name), help, labelNames: Object.keys(labels), registers: [registry] };
  const gauge = type === 'counter' ? new Counter(about) : new Gauge(about);
  return () => {
    try {
      const value = read();
      // A counter can only be increased.
      gauge.remove(labels);
      gauge.inc(labels, value);
    } catch {
      gauge.remove(labels);
    }
  };
}
