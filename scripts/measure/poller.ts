/** Measures how long GET /healthz takes while the server is busy with other things. */
import { quantile } from './figures.ts';

export interface PollResult {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  requests: number;
}

/** Repeats the request `everyMs` after each answer, over one connection, until `stop`. */
export function pollHealth(http: string, everyMs: number): { stop(): Promise<PollResult> } {
  const timesMs: number[] = [];
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      const began = performance.now();
      const answer = await fetch(`${http}/healthz`);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`/healthz: ${answer.status}`);
      timesMs.push(performance.now() - began);
      await Bun.sleep(everyMs);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await loop;
      const at = (share: number) => quantile(timesMs, share);
      return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), requests: timesMs.length };
    },
  };
}
