/** Two webhook receivers: one that answers at once, over https as in production, and one that hangs. */
import { testCa } from '../../test/peers/https-receiver.ts';

export interface Arrived {
  subject: string;
  /** Milliseconds, as performance.timeOrigin + performance.now(). */
  at: number;
}

export interface Receivers extends Disposable {
  fast: string;
  mute: string;
  arrived: readonly Arrived[];
}

export async function startReceivers(): Promise<Receivers> {
  const arrived: Arrived[] = [];
  const { key, cert } = await (await testCa()).issue(['127.0.0.1']);
  const fast = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key, cert },
    async fetch(request) {
      const at = performance.timeOrigin + performance.now();
      const event = (await request.json()) as { data: { message: { subject: string } } };
      arrived.push({ subject: event.data.message.subject, at });
      return new Response('ok');
    },
  });
  const mute = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key, cert },
    idleTimeout: 60,
    fetch: () => new Promise<Response>(() => {}),
  });
  return {
    fast: `https://127.0.0.1:${fast.port}/`,
    mute: `https://127.0.0.1:${mute.port}/`,
    arrived,
    [Symbol.dispose]() {
      void fast.stop(true);
      void mute.stop(true);
    },
  };
}
