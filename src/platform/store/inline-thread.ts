import type { ThreadPort } from './thread.ts';

/**
 * Runs a thread's code in this thread. For a writer that never waits for a disk: passing a mail to another thread would take
 * longer than storing it. Each end receives the other's messages in order, in a later microtask; nothing is copied.
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

  /** Drops messages that are not delivered yet. */
  terminate(): void {
    this.other = null;
  }
}
