import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Listen } from '../core/settings.ts';

/*
 * Decides whether the Host of a request names this server. This stops DNS rebinding: a website lets its own name point at this
 * machine, and its script could then read every response. But the browser sends that name as the Host.
 */

/**
 * Whether a Host header names this server: the loopback by name or address, the address that HTTP listens on, or the host of the
 * base URL. Ports are ignored.
 */
export function namesThisServer(host: string, listen: Pick<Listen, 'host'>, baseUrl: string | null): boolean {
  const name = readHostName(host);
  if (namesLoopback(name)) return true;
  if (baseUrl !== null && name === new URL(baseUrl).hostname) return true;
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  if (bare === listen.host.toLowerCase()) return true;
  return listensEverywhere(listen.host) && isIP(bare) !== 0 && isOwnAddress(bare);
}

/** Returns the name in a Host header, without a port and a trailing dot. */
export function readHostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
}

/** Whether a name is the loopback. So is every name under .localhost (RFC 6761 6.3). */
export function namesLoopback(name: string): boolean {
  return /^(localhost|([a-z0-9-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name);
}

function listensEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}
