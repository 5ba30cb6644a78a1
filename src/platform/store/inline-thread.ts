import type { ThreadPort } from './thread.ts';

/**
 * What would be a thread, within this one: each end gets the other's messages in order, a step later, and nothing is
 * copied. For a writer that never waits for a disk, because to hand over a mail takes more time than to store it.
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
