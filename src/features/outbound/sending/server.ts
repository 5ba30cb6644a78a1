import { mxHost, type Network } from '../../../platform/core/settings.ts';
import { type Address, anyNetwork } from '../../../platform/net/guard.ts';
import { findHostAddresses, type HostAddresses } from '../../../platform/net/mail-route.ts';
import type { Security, ServerOptions } from '../../../platform/net/smtp-client.ts';
import type { PlatformServices } from '../../../platform/services.ts';

/** A mail server to try, and how. */
export interface Server {
  host: string;
  port: number;
  security: Security;
  /** Set if it is known already; otherwise the host is looked up. */
  address?: Address;
  /** Non-public networks that may be dialled: all of them for a server that the operator named. */
  allow: readonly Network[];
  login?: { user: string; pass: string };
}

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/**
 * Parses the URL of a smarthost, such as that of POSTERN_OUTBOUND. A password is sent only over a verified connection,
 * unless the host is this machine.
 */
export function parseSmarthost(text: string): Server {
  const url = new URL(text);
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = host.includes(':') ? 6 : /^\d+(\.\d+){3}$/.test(host) ? 4 : null;
  const isNear = host === 'localhost' || host === '::1' || (family === 4 && host.startsWith('127.'));
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  const hasLogin = user !== '' && pass !== '';
  const plain: Security = hasLogin && !isNear ? 'verified' : 'when_offered';
  const near: Address | null = host === 'localhost' ? { address: '127.0.0.1', family: 4 } : null;
  const address = family === null ? near : { address: host, family: family as 4 | 6 };
  return {
    host,
    port: url.port === '' ? (isTls ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port),
    security: isTls ? 'from_the_start' : plain,
    allow: anyNetwork,
    ...(address ? { address } : {}),
    ...(hasLogin ? { login: { user, pass } } : {}),
  };
}

/** Returns the addresses of a server that may be dialled. */
export async function findServerAddresses(
  { outside }: PlatformServices,
  { host, address, allow }: Server,
): Promise<HostAddresses> {
  if (address) return { kind: 'addresses', addresses: [address] };
  return findHostAddresses(outside.resolver, host, allow);
}

/** Returns the options of a session with a server, at one of its addresses. */
export function makeServerOptions(
  { settings, outside }: PlatformServices,
  { host, port, security, login }: Server,
  address: Address,
  signal: AbortSignal,
): ServerOptions {
  const options = { host, port, security, address, signal };
  return { ...options, ownName: mxHost(settings), extraCa: outside.extraCa, ...(login ? { login } : {}) };
}
