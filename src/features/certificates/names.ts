import { isIP } from 'node:net';
import { mxHost, type Settings } from '../../platform/core/settings.ts';

type Named = Pick<Settings, 'base_url' | 'mx_host' | 'mail_domain'>;

/**
 * Returns the names that the CA's certificate covers: the MX host, and the base URL's host unless it is an address or
 * local.
 */
export function listCertificateNames(settings: Named): string[] {
  const host = findPublicHost(settings);
  return [...new Set([...(host === null ? [] : [host]), mxHost(settings)])];
}

/** Returns where plain http is redirected: the base URL's origin, if it is https. */
export function findHttpsOrigin({ base_url: baseUrl }: Pick<Settings, 'base_url'>): string | null {
  return baseUrl?.startsWith('https://') ? new URL(baseUrl).origin : null;
}

function findPublicHost({ base_url: baseUrl }: Named): string | null {
  if (baseUrl === null) return null;
  const host = new URL(baseUrl).hostname.replace(/\.$/, '');
  const isAddress = isIP(host) !== 0 || host.startsWith('[');
  return isAddress || !host.includes('.') ? null : host;
}
