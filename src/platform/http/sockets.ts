/** The sockets of HTTP, and how they get another certificate while requests are under way. */
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
  /** The answer may take its time: its connection stays meanwhile. */
  keepOpen(request: Request): void;
  /** The answer is there: how long its connection may then be idle depends on whether we know who asked. */
  allowIdle(request: Request, isKnown: boolean): void;
  /** For connections from now on; those that are open end as they began. */
  setCertificate(certificate: HttpCertificate): void;
  /** Takes no new connection, lets what is under way end, and cuts off what takes too long. */
  stop(): Promise<void>;
}

/** A connection on which nothing moves for so long is closed. */
const IDLE_S = 60;
/** The same where the answer may take its time (Route.waits): none takes longer. */
const WAITING_IDLE_S = 120;
/**
 * The same after an answer to a client that showed no valid key or session: its idle connections are the cheapest to
 * hold in numbers. Bun counts in steps of 4 s; it gives a first request 12 s to arrive, whatever is set.
 */
const STRANGER_IDLE_S = 8;
const STOP_WITHIN_MS = 5_000;
/** Bun answers a larger one itself, with a bare 413; ours has an envelope, so Bun's must never come first. */
const BUN_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

/** Who hung up before they were asked for. */
const NOBODY: Peer = { address: '', port: 0 };

export function openSockets(
  listen: Pick<Listen, 'host' | 'port'>,
  certificate: HttpCertificate | undefined,
  answer: (request: Request) => Response | Promise<Response>,
): HttpSockets {
  // Bun tells it beside the request; it is of use as long as that lives.
  const servers = new WeakMap<Request, { server: Bun.Server<undefined>; peer: Peer | null }>();
  const open = (port: number, tls: HttpCertificate | undefined) =>
    Bun.serve({
      hostname: listen.host,
      port,
      // Bun 1.4 can't change the certificate of a server: another one takes the same port, and this one its leave.
      // A connection that it has not accepted yet is reset then; its client tries again.
      ...(tls ? { tls, reusePort: true } : {}),
      // Else Bun shows a fault's stack to whoever asked.
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
