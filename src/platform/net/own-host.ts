import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Listen } from '../core/settings.ts';

/*
 * Whether a request's Host names this server. A web page of another site whose name is pointed at this machine (DNS
 * rebinding) sends that name, and its script could read every answer.
 */

/** Loopback by name or address, the address that HTTP listens on, and the base URL's host. The port counts for nothing. */
export function namesThisServer(host: string, listen: Pick<Listen, 'host'>, baseUrl: string | null): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
  if (namesLoopback(name)) return true;
  if (baseUrl !== null && name === new URL(baseUrl).hostname) return true;
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  if (bare === listen.host.toLowerCase()) return true;
  return listensEverywhere(listen.host) && isIP(bare) !== 0 && isOwnAddress(bare);
}

/** Also every name under .localhost (RFC 6761, 6.3). */
export function namesLoopback(name: string): boolean {
  return /^(localhost|([a-z0-9-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name);
}

function listensEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}
