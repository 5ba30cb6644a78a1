/** Somebody else's requests: how long GET /healthz takes while the server is busy with other things. */
import { quantile } from './figures.ts';

export interface PollResult {
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
  requests: number;
}

/** Asks again `every_ms` after each answer, over one connection, until `stop`. */
export function pollHealth(http: string, every_ms: number): { stop(): Promise<PollResult> } {
  const times_ms: number[] = [];
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      const began = performance.now();
      const answer = await fetch(`${http}/healthz`);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`/healthz: ${answer.status}`);
      times_ms.push(performance.now() - began);
      await Bun.sleep(every_ms);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await loop;
      const at = (share: number) => quantile(times_ms, share);
      return { p50_ms: at(0.5), p99_ms: at(0.99), max_ms: at(1), requests: times_ms.length };
    },
  };
}
