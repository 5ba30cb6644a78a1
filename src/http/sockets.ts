/** The sockets of HTTP, and how they get another certificate while requests are under way. */
import type { Listen } from '../core/settings.ts';

/** PEM texts. */
export interface HttpCertificate {
  cert: string;
  key: string;
}

export interface HttpSockets {
  readonly host: string;
  readonly port: number;
  /** The other end's address. */
  peerOf(request: Request): string;
  /** The answer may take its time: its connection stays meanwhile. */
  keepOpen(request: Request): void;
  /** For connections from now on; those that are open end as they began. */
  setCertificate(certificate: HttpCertificate): void;
  /** Takes no new connection, lets what is under way end, and cuts off what takes too long. */
  stop(): Promise<void>;
}

/** A connection on which nothing moves for so long is closed. */
const IDLE_S = 60;
/** The same where the answer may take its time (Route.waits): none takes longer. */
const WAITING_IDLE_S = 120;
const STOP_WITHIN_MS = 5_000;
/** Bun answers a larger one itself, with a bare 413; ours has an envelope, so Bun's must never come first. */
const BUN_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

export function openSockets(
  listen: Pick<Listen, 'host' | 'port'>,
  certificate: HttpCertificate | undefined,
  answer: (request: Request) => Response | Promise<Response>,
): HttpSockets {
  const servers = new WeakMap<Request, Bun.Server<undefined>>();
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
        servers.set(request, server);
        return answer(request);
      },
    });
  let current = open(listen.port, certificate);
  const port = current.port ?? listen.port;
  const leaving = new Set<Bun.Server<undefined>>();
  return {
    host: current.hostname ?? listen.host,
    port,
    peerOf: (request) => servers.get(request)?.requestIP(request)?.address ?? '',
    keepOpen: (request) => servers.get(request)?.timeout(request, WAITING_IDLE_S),
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
