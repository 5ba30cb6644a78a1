/** Tells whether an attempt to get a certificate has begun: it looks up the names before it asks the CA. */
import type { Resolver } from '../../../src/platform/net/dns.ts';
import type { DnsServer } from '../../peers/dns-server.ts';

/** Asks one name after the other, so that the second question comes after those of an attempt that has begun. */
export async function askMarkers(resolver: Pick<Resolver, 'a'>): Promise<void> {
  for (const name of ['one.marker.test', 'two.marker.test']) await resolver.a(name);
}

/** Returns whether one of the names was looked up since the question of this number. */
export function hasBegun({ asked }: DnsServer, names: readonly string[], since: number): boolean {
  return asked.slice(since).some((question) => names.some((name) => question.includes(name)));
}
