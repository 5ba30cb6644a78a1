/** The HTTP sockets, and how their certificate is replaced while requests are in progress. */
import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Listen } from '../core/settings.ts';

/** PEM texts. */
export interface HttpCertificate {
  cert: string;
  key: string;
}

/** Servers that follow each other on a port; platform/net/succession.ts. */
export interface PortSuccession {
  /** `open` opens the next one. Returns whether it gets all new connections. */
  begin(open: () => void): boolean;
  /** `close` closes an older one. */
  end(close: () => void): void;
}

/** What https needs. */
export interface Secure {
  certificate: HttpCertificate;
  clock: Clock;
  log: Log;
  succeed(port: number): PortSuccession;
  /** Another socket listens on the port. */
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
  /** The response may take long; keep the connection open until then. */
  keepOpen(request: Request): void;
  /** The response was sent. How long its connection may then be idle depends on whether we know the client. */
  allowIdle(request: Request, isKnown: boolean): void;
  /** For new connections; open ones keep their certificate. Does nothing without TLS. */
  setCertificate(certificate: HttpCertificate): void;
  /** Takes no new connection, lets requests in progress finish, and cuts off those that take too long. */
  stop(): Promise<void>;
}

/** An idle connection is closed after this time. */
const IDLE_S = 60;
/** The same for responses that may take long (Route.waits); none takes longer. */
const WAITING_IDLE_S = 120;
/**
 * The same after a response to a client without a valid key or session, whose idle connections would be the cheapest
 * to hold in numbers. Bun counts in steps of 4 s, and always allows 12 s for a first request to arrive.
 */
const STRANGER_IDLE_S = 8;
const STOP_WITHIN_MS = 5_000;
/**
 * A server whose certificate was replaced serves its open connections for this time. Its answers ask them to close, and
 * those without a request are idle for too long by then. So is a handshake: Linux sends its part again for 63 s
 * (tcp_synack_retries).
 */
const LEAVE_MS = (IDLE_S + 10) * 1000;
/** The certificate may be replaced again and again meanwhile; the oldest server then leaves at once. */
const LEAVING_MAX = 4;
/** Above its bound Bun answers with a bare 413. Ours has an envelope, so Bun's bound must never be reached. */
const BUN_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

/** The same as Bun's own answer to bytes that are not an HTTP request. */
const MALFORMED = { status: 400, headers: { connection: 'close' } };

/** A client that hung up before we read its address. */
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
 * Whether a Host header may be answered (RFC 9112 3.2): one host, maybe with a port. Bun checks only that it is there, and
 * joins several with commas. Two programs that read a request with two hosts may each take another one.
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
  /** Bun passes the server beside the request; it is needed as long as the request lives. */
  private readonly servers = new WeakMap<Request, { server: Server; peer: Peer | null }>();
  private current: Server;
  /** Oldest first. */
  private readonly leaving: Leaving[] = [];
  private readonly stopping = new Set<Server>();
  private succession: PortSuccession | null = null;
  private isStopped = false;
  /** The certificate that new connections get. */
  private shown: HttpCertificate | undefined;

  constructor(
    listen: Pick<Listen, 'host' | 'port'>,
    private readonly secure: Secure | undefined,
    private readonly answer: (request: Request) => Response | Promise<Response>,
  ) {
    this.host = listen.host;
    this.port = listen.port;
    // A port that is shared can be joined: another server of this user there would get half of the connections.
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
   * Bun 1.4 can't change a server's certificate. So a new server shares the port and gets all new connections. The
   * old one serves those that it has for a while, because Bun's stop cuts off the request that is just arriving.
   */
  setCertificate(next: HttpCertificate): void {
    if (!this.secure || this.isStopped) return;
    // A reload for another reason, such as SIGHUP after the files were seen to change.
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
      return tls ? this.seeOff(response, server) : response;
    };
    return Bun.serve({
      hostname: this.host,
      port: this.port,
      ...(tls ? { tls } : {}),
      // Without development mode Bun shares a port by default, also with another process.
      reusePort: tls !== undefined,
      // Otherwise Bun shows the client an error's stack.
      development: false,
      idleTimeout: IDLE_S,
      maxRequestBodySize: BUN_BODY_BYTES_MAX,
      fetch,
    });
  }

  /** A client of a server that leaves opens a new connection for its next request. */
  private async seeOff(answering: Response | Promise<Response>, server: Server): Promise<Response> {
    const response = await answering;
    if (server !== this.current) response.headers.set('connection', 'close');
    return response;
  }

  /** Stops listening; requests in progress finish. */
  private retire(old: Server): void {
    const at = this.leaving.findIndex(({ server }) => server === old);
    const [gone] = at < 0 ? [] : this.leaving.splice(at, 1);
    if (!gone) return;
    gone.cancel();
    this.stopping.add(old);
    this.succession?.end(() => void old.stop().finally(() => this.stopping.delete(old)));
  }
}
