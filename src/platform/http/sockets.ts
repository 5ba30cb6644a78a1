/** The HTTP sockets, and how their certificate is replaced while requests are in progress. */
import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Listen } from '../core/settings.ts';
import { Pipelined } from './pipelined.ts';

/** PEM texts. */
export interface HttpCertificate {
  cert: string;
  key: string;
}

/** Servers that replace each other on a port (platform/net/succession.ts). */
export interface PortSuccession {
  /** Opens the next one by `open`. Returns whether it gets all new connections. */
  begin(open: () => void): boolean;
  /** Closes an older one by `close`. */
  end(close: () => void): void;
}

/** What https needs. */
export interface Secure {
  certificate: HttpCertificate;
  clock: Clock;
  log: Log;
  succeed(port: number): PortSuccession;
  /** Called when another socket listens on the port. */
  onOpened(): void;
}

/** The other end of a connection. */
export interface Peer {
  address: string;
  port: number;
}

export interface HttpSockets {
  readonly host: string;
  readonly port: number;
  findPeer(request: Request): Peer;
  /** Keeps the connection open for a response that may take long. */
  keepOpen(request: Request): void;
  /** Sets how long the connection may be idle after the response. It is longer for a client with a valid key or session. */
  allowIdle(request: Request, isKnown: boolean): void;
  /** Sets the certificate of new connections; open ones keep theirs. Does nothing without TLS. */
  setCertificate(certificate: HttpCertificate): void;
  /** Accepts no new connection, lets requests in progress finish, and cuts off those that take too long. */
  stop(): Promise<void>;
}

/** An idle connection is closed after this time. */
const IDLE_S = 60;
/** Idle time during a response that may take long (Route.waits); none takes longer. */
const WAITING_IDLE_S = 120;
/**
 * Idle time after a response to a client without a valid key or session: many of its connections would be the cheapest to hold.
 * Bun counts in steps of 4 s, and always gives a first request 12 s to arrive.
 */
const STRANGER_IDLE_S = 8;
const STOP_WITHIN_MS = 5_000;
/**
 * A server whose certificate was replaced serves its open connections for this time. Its responses ask clients to close theirs, and
 * those without a request have been idle for too long by then. Handshakes are over as well: Linux repeats its part for 63 s
 * (tcp_synack_retries).
 */
const LEAVE_MS = (IDLE_S + 10) * 1000;
/** Most servers that are leaving. If the certificate is replaced more often, the oldest one is stopped at once. */
const LEAVING_MAX = 4;
/** No bound: Bun's 413 has no error envelope. The pipeline bounds bodies itself. */
const BUN_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

/** The same as Bun's own answer to bytes that are not an HTTP request. */
const MALFORMED = { status: 400, headers: { connection: 'close' } };

/** The peer of a client that hung up before its address was read. */
const NOBODY: Peer = { address: '', port: 0 };

export function openSockets(
  listen: Pick<Listen, 'host' | 'port'>,
  secure: Secure | undefined,
  answer: (request: Request) => Response | Promise<Response>,
): HttpSockets {
  return new Sockets(listen, secure, answer);
}

type Server = Bun.Server<undefined>;

/**
 * Whether a Host header is valid (RFC 9112 3.2): one host, perhaps with a port. Bun only checks that there is one, and joins several
 * with commas. A proxy in front could act on another one of several than we do.
 */
function isHost(host: string | null): boolean {
  return host === null || /^(\[[\w.:%~-]+\]|([\w.~!$&'()*+;=-]|%[\da-f]{2})*)(:\d*)?$/i.test(host);
}

/** A server whose certificate was replaced, and its timer. */
interface Leaving {
  server: Server;
  cancel: Cancel;
}

class Sockets implements HttpSockets {
  readonly host: string;
  readonly port: number;
  /** The server of each request, which Bun passes beside it. */
  private readonly servers = new WeakMap<Request, { server: Server; peer: Peer | null }>();
  private current: Server;
  /** Oldest first. */
  private readonly leaving: Leaving[] = [];
  private readonly stopping = new Set<Server>();
  private readonly pipelined = new Pipelined();
  private succession: PortSuccession | null = null;
  private isStopped = false;
  /** The certificate of new connections. */
  private shown: HttpCertificate | undefined;

  constructor(
    listen: Pick<Listen, 'host' | 'port'>,
    private readonly secure: Secure | undefined,
    private readonly answer: (request: Request) => Response | Promise<Response>,
  ) {
    this.host = listen.host;
    this.port = listen.port;
    // First opened without sharing, which fails if the port is in use. A shared port could be joined, and the other server of this
    // user would get half of the connections.
    if (secure && listen.port !== 0) void this.open(undefined).stop(true);
    this.shown = secure?.certificate;
    this.current = this.open(this.shown);
    this.host = this.current.hostname ?? listen.host;
    this.port = this.current.port ?? listen.port;
  }

  findPeer(request: Request): Peer {
    const held = this.servers.get(request);
    if (!held) return NOBODY;
    held.peer ??= held.server.requestIP(request) ?? NOBODY;
    return held.peer;
  }

  keepOpen(request: Request): void {
    this.servers.get(request)?.server.timeout(request, WAITING_IDLE_S);
  }

  allowIdle(request: Request, isKnown: boolean): void {
    this.servers.get(request)?.server.timeout(request, isKnown ? IDLE_S : STRANGER_IDLE_S);
  }

  /**
   * Bun 1.4 can't change a server's certificate. So a new server shares the port, and gets all new connections. The old one serves
   * its open ones for a while, because Bun's `stop` would cut off a request that is just arriving.
   */
  setCertificate(next: HttpCertificate): void {
    if (!this.secure || this.isStopped) return;
    // A reload without a change, such as SIGHUP after the watch has already loaded the files.
    if (this.shown?.cert === next.cert && this.shown.key === next.key) return;
    const old = this.current;
    this.succession ??= this.secure.succeed(this.port);
    const isAlone = this.succession.begin(() => {
      this.current = this.open(next);
    });
    this.shown = next;
    this.secure.onOpened();
    const cancel = isAlone ? this.secure.clock.after(LEAVE_MS, () => this.retire(old)) : () => {};
    this.leaving.push({ server: old, cancel });
    if (!isAlone) {
      this.secure.log.info(
        'connections that are being opened just now may be reset: this system can’t direct them',
      );
      this.retire(old);
    }
    if (this.leaving.length > LEAVING_MAX) this.retire(this.leaving[0]!.server);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const { cancel } of this.leaving) cancel();
    const all = [...this.leaving.map(({ server }) => server), ...this.stopping, this.current];
    const cut = setTimeout(() => {
      for (const server of all) void server.stop(true);
    }, STOP_WITHIN_MS);
    await Promise.all(all.map((server) => server.stop()));
    clearTimeout(cut);
  }

  private open(tls: HttpCertificate | undefined): Server {
    const fetch = (request: Request, server: Server) => {
      if (!isHost(request.headers.get('host'))) return new Response(null, MALFORMED);
      this.servers.set(request, { server, peer: null });
      const response = this.answer(request);
      if (this.pipelined.noteRequest(() => this.findPeer(request)))
        return Promise.resolve(response).then(close);
      return tls ? this.seeOff(response, server) : response;
    };
    return Bun.serve({
      hostname: this.host,
      port: this.port,
      ...(tls ? { tls } : {}),
      // Explicit, because outside development mode Bun shares a port by default, even with another process.
      reusePort: tls !== undefined,
      // Otherwise Bun shows the client an error's stack.
      development: false,
      idleTimeout: IDLE_S,
      maxRequestBodySize: BUN_BODY_BYTES_MAX,
      fetch,
    });
  }

  /** Asks clients of a server that is leaving to open a new connection for their next request. */
  private async seeOff(answering: Response | Promise<Response>, server: Server): Promise<Response> {
    const response = await answering;
    return server === this.current ? response : close(response);
  }

  /** Stops a leaving server; requests in progress finish. */
  private retire(old: Server): void {
    const at = this.leaving.findIndex(({ server }) => server === old);
    const [gone] = at < 0 ? [] : this.leaving.splice(at, 1);
    if (!gone) return;
    gone.cancel();
    this.stopping.add(old);
    this.succession?.end(() => void old.stop().finally(() => this.stopping.delete(old)));
  }
}

/** Closes the connection after this response. */
function close(response: Response): Response {
  response.headers.set('connection', 'close');
  return response;
}
