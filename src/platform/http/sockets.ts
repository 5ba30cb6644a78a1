/** The HTTP sockets, and how their certificate is replaced while requests are in progress. */
import type { Listen } from '../core/settings.ts';

/** PEM texts. */
export interface HttpCertificate {
  cert: string;
  key: string;
}

/** The other end of a connection. */
export interface Peer {
  address: string;
  port: number;
}

export interface HttpSockets {
  readonly host: string;
  readonly port: number;
  peerOf(request: Request): Peer;
  /** The response may take long; keep the connection open until then. */
  keepOpen(request: Request): void;
  /** The response was sent. How long its connection may then be idle depends on whether we know the client. */
  allowIdle(request: Request, isKnown: boolean): void;
  /** For new connections; open ones keep their certificate. */
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
/** Above its bound Bun answers with a bare 413. Ours has an envelope, so Bun's bound must never be reached. */
const BUN_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

/** A client that hung up before we read its address. */
const NOBODY: Peer = { address: '', port: 0 };

export function openSockets(
  listen: Pick<Listen, 'host' | 'port'>,
  certificate: HttpCertificate | undefined,
  answer: (request: Request) => Response | Promise<Response>,
): HttpSockets {
  // Bun passes the server beside the request; it is needed as long as the request lives.
  const servers = new WeakMap<Request, { server: Bun.Server<undefined>; peer: Peer | null }>();
  const open = (port: number, tls: HttpCertificate | undefined) =>
    Bun.serve({
      hostname: listen.host,
      port,
      // Bun 1.4 can't change a server's certificate. So a new server takes the same port and the old one stops. A
      // connection that the old one has not accepted yet is reset, and its client tries again.
      ...(tls ? { tls, reusePort: true } : {}),
      // Otherwise Bun shows the client an error's stack.
      development: false,
      idleTimeout: IDLE_S,
      maxRequestBodySize: BUN_BODY_BYTES_MAX,
      fetch(request, server) {
        servers.set(request, { server, peer: null });
        return answer(request);
      },
    });
  let current = open(listen.port, certificate);
  const port = current.port ?? listen.port;
  const leaving = new Set<Bun.Server<undefined>>();
  return {
    host: current.hostname ?? listen.host,
    port,
    peerOf(request) {
      const held = servers.get(request);
      if (!held) return NOBODY;
      held.peer ??= held.server.requestIP(request) ?? NOBODY;
      return held.peer;
    },
    keepOpen: (request) => servers.get(request)?.server.timeout(request, WAITING_IDLE_S),
    allowIdle: (request, isKnown) =>
      servers.get(request)?.server.timeout(request, isKnown ? IDLE_S : STRANGER_IDLE_S),
    setCertificate(next) {
      if (!certificate) return;
      const old = current;
      current = open(port, next);
      leaving.add(old);
      void old.stop().finally(() => leaving.delete(old));
    },
    async stop() {
      const all = [...leaving, current];
      const cut = setTimeout(() => {
        for (const server of all) void server.stop(true);
      }, STOP_WITHIN_MS);
      await Promise.all(all.map((server) => server.stop()));
      clearTimeout(cut);
    },
  };
}
