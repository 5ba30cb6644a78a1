/** Lightweight waiting clients: one bare socket each, in the bench's own process. */
import type { Socket } from 'bun';

export interface HttpReply {
  status: number;
  body: string;
  /** The time of its last byte, from performance.now(). */
  at: number;
}

/** A persistent connection, for one request at a time. */
export class HttpConnection {
  private received = '';
  private waiting: PromiseWithResolvers<HttpReply> | undefined;
  private socket: Socket | undefined;

  static async open(port: number): Promise<HttpConnection> {
    const connection = new HttpConnection();
    connection.socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, chunk) => connection.take(chunk),
        close: () => connection.waiting?.reject(new Error('the server closed the connection')),
        error: () => {},
      },
    });
    return connection;
  }

  /** Without a key, as on a capture's own machine. */
  get(path: string, apiKey: string | null = null): Promise<HttpReply> {
    this.waiting = Promise.withResolvers();
    const auth = apiKey === null ? '' : `Authorization: Bearer ${apiKey}\r\n`;
    this.socket?.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${auth}\r\n`);
    return this.waiting.promise;
  }

  post(path: string, apiKey: string, body: string): Promise<HttpReply> {
    this.waiting = Promise.withResolvers();
    const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${apiKey}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    this.socket?.write(head + type + body);
    return this.waiting.promise;
  }

  close(): void {
    this.waiting?.promise.catch(() => {});
    this.socket?.terminate();
  }

  private take(chunk: Buffer): void {
    this.received += chunk.toString('latin1');
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.received.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const body = this.received.slice(end + 4);
    if (body.length < length) return;
    this.received = '';
    this.waiting?.resolve({ status: Number(head.slice(9, 12)), body, at: performance.now() });
  }
}

const idIn = (body: string) => /"id":"(msg_[0-9a-f]+)"/.exec(body)?.[1] ?? '';

export interface Watcher {
  /** The next message of the inbox: resolves with its time. */
  next(): Promise<number>;
  close(): void;
}

export interface Watched {
  httpPort: number;
  apiKey: string;
  inboxId: string;
}

/** A long-poll client, which waits again as soon as it has a message. */
export async function watchByWaiting({ httpPort, apiKey, inboxId }: Watched): Promise<Watcher> {
  const connection = await HttpConnection.open(httpPort);
  let since = new Date().toISOString();
  const look = async (): Promise<number> => {
    for (;;) {
      const path = `/api/v1/inboxes/${inboxId}/messages/wait?require=message&timeout=25&since=${since}`;
      const { status, body, at } = await connection.get(path, apiKey);
      if (status === 204) continue;
      if (status !== 200) throw new Error(`a wait was answered ${status} ${body}`);
      since = idIn(body);
      return at;
    }
  };
  return makeWatcher(look, connection);
}

/** A client that polls for the latest message, as people do without waits. */
export async function watchByPolling(watched: Watched, everyMs: number): Promise<Watcher> {
  const { httpPort, apiKey, inboxId } = watched;
  const connection = await HttpConnection.open(httpPort);
  let last = '';
  // Spread over the interval.
  let due = performance.now() + Math.random() * everyMs;
  let stopped = false;
  const look = async (): Promise<number> => {
    for (;;) {
      await Bun.sleep(Math.max(0, due - performance.now()));
      if (stopped) return Number.NaN;
      due = Math.max(due + everyMs, performance.now());
      const { status, body, at } = await connection.get(`/api/v1/inboxes/${inboxId}/messages/latest`, apiKey);
      if (status !== 200 && status !== 404) throw new Error(`latest was answered ${status} ${body}`);
      const id = idIn(body);
      if (id === last) continue;
      last = id;
      return at;
    }
  };
  const polling = makeWatcher(look, connection);
  return {
    next: polling.next,
    close() {
      stopped = true;
      polling.close();
    },
  };
}

function makeWatcher(look: () => Promise<number>, connection: HttpConnection): Watcher {
  let pending = look();
  pending.catch(() => {});
  return {
    async next() {
      const at = await pending;
      pending = look();
      pending.catch(() => {});
      return at;
    },
    close: () => connection.close(),
  };
}
