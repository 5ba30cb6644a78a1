/**
 * The port at which a CA fetches the answers to its challenges (RFC 8555 8.3). It is open to everyone, so it does little: it reads
 * the head of one request, responds, and closes the connection. The number of connections and the time of each are bounded.
 * Other requests are redirected to the dashboard's https address.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { acme as rules } from '../../../rules/acme.ts';
import type { Clock } from '../../core/clock.ts';
import { findMostCrowded } from '../../core/crowded.ts';
import type { Listen } from '../../core/settings.ts';
import { formatClientNetwork } from '../client-ip.ts';
import { readHostName } from '../own-host.ts';

export interface ChallengeDoorOptions {
  listen: Pick<Listen, 'host' | 'port'>;
  /** The host names that are served. Requests for others are refused, because they were not meant for this server. */
  names: readonly string[];
  /** Where browsers are redirected, such as `https://mail.example.com`; null for nowhere. */
  redirectTo: string | null;
  clock: Clock;
}

interface Reply {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const WELL_KNOWN = '/.well-known/acme-challenge/';
const STATUS_TEXTS: Record<number, string> = {
  200: 'OK',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  421: 'Misdirected Request',
  431: 'Request Header Fields Too Large',
};
/** Only visible ASCII, so that a redirect can't contain a header of the client's. */
const REQUEST_LINE = /^([A-Z]{1,20}) (\/[!-~]*) HTTP\/1\.[01]$/;

export class ChallengeDoor {
  /** Answers by `name token`. */
  private readonly pending = new Map<string, string>();
  /** Open connections, oldest first, with the client's network. */
  private readonly sockets = new Map<Socket, string>();
  private server: Server | null = null;

  constructor(private readonly options: ChallengeDoorOptions) {}

  /** The port, or null while it is closed. */
  get port(): number | null {
    const address = this.server?.address();
    return address && typeof address === 'object' ? address.port : null;
  }

  /** Opens the port, unless it is open. Rejects if the address can't be opened. */
  open(): Promise<void> {
    if (this.server) return Promise.resolve();
    const { host, port } = this.options.listen;
    const server = createServer((socket) => this.accept(socket));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.removeListener('error', reject);
        server.on('error', () => {});
        this.server = server;
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    for (const socket of this.sockets.keys()) socket.destroy();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Answers this token until the returned function is called. */
  answer(name: string, token: string, text: string): () => void {
    const key = `${name} ${token}`;
    this.pending.set(key, text);
    return () => void this.pending.delete(key);
  }

  private accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const network = formatClientNetwork(socket.remoteAddress ?? '');
    if (this.sockets.size >= rules.connectionsMax && !this.makeRoom(network)) {
      socket.destroy();
      return;
    }
    this.sockets.set(socket, network);
    const cancel = this.options.clock.after(rules.connectionS * 1000, () => socket.destroy());
    socket.on('close', () => {
      cancel();
      this.sockets.delete(socket);
    });
    let head = '';
    const read = (bytes: Buffer) => {
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length <= rules.headBytesMax) return;
      socket.removeListener('data', read);
      // What follows is read and dropped, within the connection's time.
      socket.resume();
      const isTooLong = end < 0 || end > rules.headBytesMax;
      const reply = isTooLong ? { status: 431, body: '' } : this.reply(head.slice(0, end));
      socket.end(formatReply(reply, head.startsWith('HEAD ')));
    };
    socket.on('data', read);
  }

  /** Closes the newest connection of the network that has the most. Not its oldest: a flood must not cut off a request. */
  private makeRoom(network: string): boolean {
    const held = Map.groupBy(this.sockets, ([, of]) => of);
    const crowded = findMostCrowded(held, network);
    if (crowded === null) return false;
    const [newest] = held.get(crowded)!.at(-1)!;
    this.sockets.delete(newest);
    newest.destroy();
    return true;
  }

  private reply(head: string): Reply {
    const [first = '', ...fields] = head.split('\r\n');
    const [, method, target = ''] = REQUEST_LINE.exec(first) ?? [];
    const hosts = fields.filter((field) => /^host[ \t]*:/i.test(field));
    if (method === undefined || hosts.length !== 1) return { status: 400, body: '' };
    const host = readHostName(hosts[0]!.slice(hosts[0]!.indexOf(':') + 1).trim());
    const { names, redirectTo } = this.options;
    if (!names.includes(host)) {
      return { status: 421, body: 'This server does not serve that name.\n' };
    }
    // A redirect would encourage clients to send credentials here, without encryption.
    if (method !== 'GET' && method !== 'HEAD') {
      return { status: 405, body: 'Use https.\n', headers: { allow: 'GET, HEAD' } };
    }
    if (target.startsWith(WELL_KNOWN)) {
      const text = this.pending.get(`${host} ${target.slice(WELL_KNOWN.length)}`);
      return text === undefined ? { status: 404, body: '' } : { status: 200, body: text };
    }
    if (redirectTo === null) return { status: 404, body: '' };
    return { status: 308, body: '', headers: { location: redirectTo + target } };
  }
}

function formatReply({ status, body, headers = {} }: Reply, isHead: boolean): string {
  const fields = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_TEXTS[status]}`, ...lines, '', isHead ? '' : body].join('\r\n');
}
