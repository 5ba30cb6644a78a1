/*
 * Where passkeys work. Browsers offer them to pages of a host name under https, and to those of localhost. A passkey
 * is bound to the host name (WebAuthn's "RP ID"), so the name comes from POSTERN_BASE_URL and never from a request.
 */

/** Why a server can't have passkeys. */
export type NoPasskeys = 'ip_address' | 'no_https';

interface Place {
  rpId: string;
  origin: string;
}

/** The RP ID without a base URL: passkeys then work on the machine itself. The origin is known once the port is. */
export const LOCAL_RP_ID = 'localhost';

/**
 * Returns the host name that passkeys are bound to and the only origin whose pages may use them, or why there is
 * none.
 */
export function findPasskeyPlace(baseUrl: string): Place | NoPasskeys {
  const { hostname, protocol, origin } = new URL(baseUrl);
  // No top-level domain is a number, so this is every IPv4 address that a URL can have, and IPv6 ones have brackets.
  if (/^\[|(^|\.)\d+\.?$/.test(hostname)) return 'ip_address';
  const isLocal = hostname === LOCAL_RP_ID || hostname.endsWith(`.${LOCAL_RP_ID}`);
  return protocol === 'https:' || isLocal ? { rpId: hostname, origin } : 'no_https';
}

/** Returns the RP ID of a server with these settings; null if passkeys can't work there. */
export function findRpId({ base_url }: { base_url: string | null }): string | null {
  if (base_url === null) return LOCAL_RP_ID;
  const place = findPasskeyPlace(base_url);
  return typeof place === 'string' ? null : place.rpId;
}
