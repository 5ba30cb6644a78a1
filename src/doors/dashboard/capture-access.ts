/**
 * Who may use a capture over HTTP (docs/testing.md, Who may reach it): this machine without a key, other networks with
 * one, and no web page of another site in either case.
 */
import { timingSafeEqual } from 'node:crypto';
import { findAccountByNo } from '../../features/accounts/sql.ts';
import { Failure } from '../../platform/core/failure.ts';
import { hashSecret } from '../../platform/core/id.ts';
import { readPath } from '../../platform/http/paths.ts';
import { readSearch } from '../../platform/http/query.ts';
import type { Client, Principal } from '../../platform/http/route.ts';
import { isIn, isLoopback } from '../../platform/net/client-ip.ts';
import { namesLoopback, namesThisServer, readHostName } from '../../platform/net/own-host.ts';
import { readToken } from './cookie.ts';
import { isForeignPage } from './origin.ts';
import type { DashboardServices } from './services.ts';

type CaptureServices = Pick<DashboardServices, 'capture' | 'settings' | 'store' | 'log' | 'listening'>;

const FOREIGN_NAME =
  'The Host header does not name this server: use localhost, its address, or the host of POSTERN_BASE_URL.';
const FOREIGN_NETWORK = 'This capture accepts connections from this machine and POSTERN_TRAP_NETWORKS only.';

/** Returns the token that the browser keeps after `/?key=…`. It changes with the key and does not reveal it. */
export function makeCaptureToken(apiKey: string): string {
  return hashSecret(`capture dashboard ${apiKey}`).toString('hex');
}

/**
 * Refuses clients from other networks, and foreign host names (DNS rebinding). From the configured networks, a valid key
 * makes any host name acceptable, because containers reach this machine by names that it does not know.
 */
export function refuseAtCapture(
  services: CaptureServices,
  request: Request,
  client: Client,
  isKey: (apiKey: string) => boolean,
): Failure | null {
  const { settings, log, listening } = services;
  const isLocal = isLoopback(client.address);
  if (!isLocal && !isIn(client.address, settings.trap_networks ?? [])) {
    log.rarely('warn', 'a client of another network was refused', { client: client.address });
    return new Failure('account_forbidden', { text: FOREIGN_NETWORK });
  }
  const host = request.headers.get('host') ?? '';
  // The usual one, first for speed.
  if (listening.http?.endsWith(`//${host}`)) return null;
  // No browser omits it; an old health check does.
  if (host === '' || namesThisServer(host, settings.http_listen, settings.base_url)) return null;
  if (!isLocal && hasKey(services, request, isKey)) return null;
  log.rarely('warn', 'a request to a foreign host name was refused', { host: host.slice(0, 100) });
  return new Failure('account_forbidden', { text: FOREIGN_NAME });
}

function hasKey(services: CaptureServices, request: Request, isKey: (apiKey: string) => boolean): boolean {
  const given = /^bearer +(\S+)/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const key = given ?? readSearch(request.url).get('key');
  return key ? isKey(key) : hasCaptureCookie(services, request);
}

/** Whether the browser opened the dashboard with the key before. */
export function hasCaptureCookie({ capture, settings }: CaptureServices, request: Request): boolean {
  const token = capture && readToken(request, settings);
  if (!token) return false;
  const [given, wanted] = [Buffer.from(token), Buffer.from(capture.dashboardToken)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Whether this client needs no key: on this machine, by a name of it. */
export function needsNoKey(
  { capture, settings }: CaptureServices,
  request: Request,
  { address, isHidden }: Client,
): boolean {
  if (!capture || !settings.capture_open || isHidden || !isLoopback(address)) return false;
  const host = request.headers.get('host');
  return host === null || host === '' || namesLoopback(readHostName(host));
}

/** The capture account's owner, for a request without a key from this machine; null when it needs one. */
export function openCaller(services: CaptureServices, request: Request, client: Client): Principal | null {
  if (!needsNoKey(services, request, client)) return null;
  if (isForeignPage(request, services.settings.base_url)) {
    services.log.rarely('warn', 'a web page of another site was refused', {
      origin: request.headers.get('origin')?.slice(0, 100) ?? null,
      path: readPath(request.url).slice(0, 100),
    });
    return null;
  }
  const account = findAccountByNo(services.store, services.capture?.accountNo ?? 0);
  return account && { kind: 'capture', account, role: 'owner' };
}
