/*
 * Where passkeys work: browsers offer them to pages of a host name under https, and of localhost. A passkey is bound to
 * the host name (WebAuthn's "RP ID"), so that comes from POSTERN_BASE_URL and never from a request.
 */

/** Why passkeys can't work at a server. */
export type NoPasskeys = 'ip_address' | 'no_https';

interface Place {
  rpId: string;
  origin: string;
}

/** Without a base URL, passkeys work on the machine itself: the origin is then known once a port is. */
export const LOCAL_RP_ID = 'localhost';

/** The host name that passkeys are bound to, and the only origin whose pages may use them. */
export function findPasskeyPlace(baseUrl: string): Place | NoPasskeys {
  const { hostname, protocol, origin } = new URL(baseUrl);
  // No top-level domain is a number, so this is every IPv4 address that a URL can have, and IPv6 ones have brackets.
  if (/^\[|(^|\.)\d+\.?$/.test(hostname)) return 'ip_address';
  const isLocal = hostname === LOCAL_RP_ID || hostname.endsWith(`.${LOCAL_RP_ID}`);
  return protocol === 'https:' || isLocal ? { rpId: hostname, origin } : 'no_https';
}

/** Null where passkeys can't work. */
export function findRpId({ base_url }: { base_url: string | null }): string | null {
  if (base_url === null) return LOCAL_RP_ID;
  const place = findPasskeyPlace(base_url);
  return typeof place === 'string' ? null : place.rpId;
}
