import { version } from '../../../package.json';
import type { Cancel } from './clock.ts';
import type { Meters } from './meters.ts';

const LOOK_EVERY_MS = 100;

/** Registers the metrics of the process and the store, read at each scrape. Returns a function that stops measuring. */
export function watchProcess({ meters, store }: { meters: Meters; store: Watched }): Cancel {
  const startedS = Date.now() / 1000 - process.uptime();
  meters.gauge('process_resident_memory_bytes', () => process.memoryUsage.rss());
  meters.gauge('process_start_time_seconds', () => startedS);
  meters.gauge('build_info', () => 1, { version, bun: Bun.version });
  meters.gauge('store_bytes', () => store.size.bytes);
  meters.gauge('store_free_bytes', () => store.size.freeBytes);
  meters.gauge('writes_waiting', () => store.writesWaiting);
  const lag = new Lag();
  meters.gauge('event_loop_lag_seconds', () => lag.take());
  meters.gauge('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
  return () => lag.stop();
}

interface Watched {
  size: { bytes: number; freeBytes: number };
  writesWaiting: number;
}

/** Measures how late a timer fires: the longest delay since the last reading. */
class Lag {
  private longestMs = 0;
  private dueMs = performance.now() + LOOK_EVERY_MS;
  private readonly timer = setInterval(() => {
    const nowMs = performance.now();
    this.longestMs = Math.max(this.longestMs, nowMs - this.dueMs);
    this.dueMs = nowMs + LOOK_EVERY_MS;
  }, LOOK_EVERY_MS);

  constructor() {
    this.timer.unref();
  }

  /** Returns the longest delay in seconds, and starts again. */
  take(): number {
    const longestMs = this.longestMs;
    this.longestMs = 0;
    return longestMs / 1000;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
