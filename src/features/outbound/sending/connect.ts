/** Connects to one of the servers of a route: tries them in order, and every address of each. */
import type { NotOpened, SmtpSession } from '../../../platform/net/smtp-client.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { Host } from './host.ts';
import { formatServerReply, isPauseRequest } from './outcome.ts';
import { findServerAddresses, makeServerOptions, type Server } from './server.ts';
import { openWithFallback } from './tls-fallback.ts';

export type ServerConnection =
  /** `isReused`: it has carried mail before, so the server may have closed it since. */
  | { kind: 'open'; host: Host; server: Server; session: SmtpSession; isReused: boolean }
  /** All connections to the host are in use. */
  | { kind: 'full'; host: Host }
  /** Every server asked for a pause, so none was tried. `forUs` is the time until the first pause ends. */
  | { kind: 'paused'; forUs: number; reason: string }
  /** Our own guard forbids all servers. */
  | { kind: 'forbidden'; reason: string }
  | { kind: 'unreachable'; reason: string };

export interface DialContext {
  services: PlatformServices;
  findHost: (server: Server) => Host;
  signal: AbortSignal;
}

/** Tries one server after another, until one answers. */
export async function openConnection(
  dialling: DialContext,
  servers: readonly Server[],
): Promise<ServerConnection> {
  const reasons: string[] = [];
  const paused: Host[] = [];
  let forbidden = 0;
  for (const server of servers) {
    if (dialling.signal.aborted) break;
    const host = dialling.findHost(server);
    if (host.pauseUs > 0) {
      paused.push(host);
      continue;
    }
    if (host.isFull) return { kind: 'full', host };
    const open = host.take(server.security);
    if (open) return { kind: 'open', host, server, session: open, isReused: true };
    const dialled = await dialServer(dialling, server, host).catch((fault) => {
      host.release(null, server.security);
      throw fault;
    });
    if ('session' in dialled)
      return { kind: 'open', host, server, session: dialled.session, isReused: false };
    host.release(null, server.security);
    if (dialled.isForbidden) forbidden += 1;
    reasons.push(dialled.reason);
  }
  const first = reasons.length === 0 ? findShortestPause(paused) : null;
  if (first) return { kind: 'paused', forUs: first.pauseUs, reason: first.pauseText };
  const reason = reasons.join('; ') || 'stopped';
  return { kind: forbidden > 0 && forbidden === servers.length ? 'forbidden' : 'unreachable', reason };
}

/** Returns the host whose pause ends first; null if there are none. */
export function findShortestPause(paused: readonly Host[]): Host | null {
  return paused.toSorted((one, other) => one.pauseUs - other.pauseUs)[0] ?? null;
}

type Dialled = { session: SmtpSession } | { reason: string; isForbidden: boolean };

async function dialServer({ services, signal }: DialContext, server: Server, host: Host): Promise<Dialled> {
  const found = await findServerAddresses(services, server);
  if (found.kind !== 'addresses') return { reason: found.reason, isForbidden: found.kind === 'forbidden' };
  let last: NotOpened | null = null;
  for (const address of found.addresses) {
    const options = makeServerOptions(services, server, address, signal);
    const opened = await openWithFallback(services.log, options, host);
    if (opened.kind === 'open') return { session: opened.session };
    last = opened;
    if (isPauseRequest(opened.reply)) break;
  }
  const reason = last ? formatServerReply(last.reply) : 'not tried';
  if (last && isPauseRequest(last.reply)) host.pause(reason);
  else if (!signal.aborted) host.pauseBriefly(reason);
  return { reason: `${server.host}: ${reason}`, isForbidden: false };
}
