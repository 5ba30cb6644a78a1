/** Reads Server-Sent Events like a client (WHATWG HTML, 9.2.6), including comments and retry. */

export interface SseEvent {
  event?: string;
  id?: string;
  data?: string;
  retry?: string;
  comment?: string;
}

export class SseClient {
  private buffered = '';
  private readonly decoder = new TextDecoder();

  private constructor(
    readonly status: number,
    readonly headers: Headers,
    /** `error` of the envelope, if refused. */
    // biome-ignore lint/suspicious/noExplicitAny: as the wire has it.
    readonly error: any,
    private readonly reader: { read(): Promise<{ done: boolean; value?: Uint8Array }> } | null,
    private readonly hungUp: AbortController,
  ) {}

  static async open(url: string, headers: Record<string, string>): Promise<SseClient> {
    const hungUp = new AbortController();
    const response = await fetch(url, { headers, signal: hungUp.signal });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const error = isStream ? undefined : ((await response.json()) as { error: unknown }).error;
    const reader = isStream ? (response.body?.getReader() ?? null) : null;
    return new SseClient(response.status, response.headers, error, reader, hungUp);
  }

  /** The next block; null at the end, even after a broken connection. */
  async next(): Promise<SseEvent | null> {
    for (;;) {
      const end = this.buffered.indexOf('\n\n');
      if (end >= 0) {
        const block = this.buffered.slice(0, end);
        this.buffered = this.buffered.slice(end + 2);
        return readBlock(block);
      }
      const chunk = await this.reader?.read().catch(() => null);
      if (!chunk || chunk.done) return null;
      this.buffered += this.decoder.decode(chunk.value, { stream: true });
    }
  }

  close(): void {
    this.hungUp.abort();
  }
}

function readBlock(block: string): SseEvent {
  const event: SseEvent = {};
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) {
      event.comment = line.slice(1).trim();
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    if (name !== 'event' && name !== 'id' && name !== 'data' && name !== 'retry') {
      throw new Error(`no line of an event: ${line}`);
    }
    event[name] = line.slice(colon + 1).replace(/^ /, '');
  }
  return event;
}
