import { formatHostPort, makeReachable } from '../../platform/core/host-port.ts';
import type { Settings } from '../../platform/core/settings.ts';

/** Returns the public URL of HTTP: from the settings, else from the listening address. */
export function findBaseUrl(settings: Settings, listening: string | null): string {
  if (settings.base_url !== null) return settings.base_url;
  if (listening !== null) return listening.replace(/\/+$/, '');
  const reachable = formatHostPort(makeReachable(settings.http_listen));
  return `${settings.http_tls ? 'https' : 'http'}://${reachable}`;
}
