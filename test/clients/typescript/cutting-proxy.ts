/** A TCP proxy between a client and a server, which cuts connections at moments from a random script. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** When a connection is cut: after this many bytes of the answer and this many milliseconds. Null means never. */
export interface Cut {
  bytes: number;
  ms: number;
}

export class CuttingProxy implements AsyncDisposable {
  /** The number of connections that have been cut. */
  cuts = 0;
  private readonly server: Server;
  private readonly pairs = new Set<Socket>();
  private at = 0;

  private constructor(
    /** The server's port, which changes when it is restarted. */
    public targetPort: number,
    private readonly script: readonly (Cut | null)[],
  ) {
    this.server = createServer((client) => this.pair(client));
  }

  static async open(targetPort: number, script: readonly (Cut | null)[]): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort, script);
    await new Promise<void>((done) => proxy.server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.pairs) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  private pair(client: Socket): void {
    const cut = this.script[this.at++] ?? null;
    const server = connect(this.targetPort, '127.0.0.1');
    const both = [client, server];
    const end = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      this.pairs.add(socket);
      socket.on('error', end).on('close', () => {
        this.pairs.delete(socket);
        end();
      });
    }
    client.pipe(server);
    if (!cut) return void server.pipe(client);
    const cutNow = () => {
      if (!client.destroyed) this.cuts++;
      end();
    };
    const timer = setTimeout(cutNow, cut.ms);
    client.once('close', () => clearTimeout(timer));
    let left = cut.bytes;
    server.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) cutNow();
    });
  }
}
