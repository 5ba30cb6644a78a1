import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Listen } from '../core/settings.ts';

/*
 * Whether a request's Host names this server. With DNS rebinding, a foreign website's name points at this machine:
 * its script sends that name, and could otherwise read every response.
 */

/** Loopback by name or address, HTTP's listening address, and the base URL's host. Ports are ignored. */
export function namesThisServer(host: string, listen: Pick<Listen, 'host'>, baseUrl: string | null): boolean {
  const name = readHostName(host);
  if (namesLoopback(name)) return true;
  if (baseUrl !== null && name === new URL(baseUrl).hostname) return true;
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  if (bare === listen.host.toLowerCase()) return true;
  return listensEverywhere(listen.host) && isIP(bare) !== 0 && isOwnAddress(bare);
}

/** The name in a Host header, without its port and last dot. */
export function readHostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
}

/** Every name under .localhost too (RFC 6761 6.3). */
export function namesLoopback(name: string): boolean {
  return /^(localhost|([a-z0-9-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name);
}

function listensEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}
