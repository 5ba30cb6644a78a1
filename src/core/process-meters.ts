import { version } from '../../package.json';
import type { Cancel } from './clock.ts';
import type { Meters } from './meters.ts';

const LOOK_EVERY_MS = 100;

/** What any process has, and what the store is: read at each scrape. Gives what ends it. */
export function watchProcess({ meters, store }: { meters: Meters; store: Watched }): Cancel {
  const started_s = Date.now() / 1000 - process.uptime();
  meters.gauge('process_resident_memory_bytes', () => process.memoryUsage.rss());
  meters.gauge('process_start_time_seconds', () => started_s);
  meters.gauge('build_info', () => 1, { version, bun: Bun.version });
  meters.gauge('store_bytes', () => store.size.bytes);
  meters.gauge('store_free_bytes', () => store.size.free_bytes);
  meters.gauge('writes_waiting', () => store.writes_waiting);
  const lag = new Lag();
  meters.gauge('event_loop_lag_seconds', () => lag.take());
  meters.gauge('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
  return () => lag.stop();
}

interface Watched {
  size: { bytes: number; free_bytes: number };
  writes_waiting: number;
}

/** How much later than asked for a timer came: the longest since somebody looked. */
class Lag {
  private longest_ms = 0;
  private due_ms = performance.now() + LOOK_EVERY_MS;
  private readonly timer = setInterval(() => {
    const now_ms = performance.now();
    this.longest_ms = Math.max(this.longest_ms, now_ms - this.due_ms);
    this.due_ms = now_ms + LOOK_EVERY_MS;
  }, LOOK_EVERY_MS);

  constructor() {
    this.timer.unref();
  }

  /** Seconds. */
  take(): number {
    const longest_ms = this.longest_ms;
    this.longest_ms = 0;
    return longest_ms / 1000;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
