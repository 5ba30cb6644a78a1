import type { ThreadPort } from './thread.ts';

/**
 * Runs a thread's code in this thread. Each end gets the other's messages in order, in a later microtask, and nothing
 * is copied. It is for a writer that never waits for a disk: handing over a mail would take longer than storing it.
 */
export function runInline(serve: (port: ThreadPort) => void): ThreadPort {
  const [client, server] = [new InlinePort(), new InlinePort()];
  client.connect(server);
  server.connect(client);
  serve(server);
  return client;
}

class InlinePort implements ThreadPort {
  onmessage: ThreadPort['onmessage'] = null;
  onerror: ThreadPort['onerror'] = null;
  private other: InlinePort | null = null;

  connect(other: InlinePort): void {
    this.other = other;
  }

  postMessage(data: unknown): void {
    queueMicrotask(() => this.other?.onmessage?.({ data } as MessageEvent));
  }

  /** Messages under way are dropped. */
  terminate(): void {
    this.other = null;
  }
}
