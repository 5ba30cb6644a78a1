import type { DnsOutcome, Exchanger } from '../../platform/net/dns.ts';
import type { MailResolver } from '../../platform/net/dns-cache.ts';

/** Where a domain's mail goes according to the DNS (RFC 5321, section 5.1). */
export type MailHost =
  /** The MX hosts, best first. Those of equal preference are in the order of the answer. */
  | { kind: 'mx'; exchanges: string[] }
  /** There is no MX, but an address: the domain itself is the host. */
  | { kind: 'address' }
  | { kind: 'none'; reason: 'domain_not_found' | 'no_mail_server' | 'null_mx' }
  /** The DNS did not answer. */
  | { kind: 'unknown' };

/** How many MX hosts are kept, best first. A zone can list hundreds, and each address of a batch checks them all. */
const EXCHANGES_MAX = 20;

/** Names that are never hosts on the Internet (RFC 6761, sections 6.3 and 6.4). */
const NEVER_A_HOST = /(^|\.)(localhost|invalid)$/;

/** Looks up where a domain's mail goes: one DNS query, or three if there is no MX. Never rejects. */
export async function findMailHost(resolver: MailResolver, domain: string): Promise<MailHost> {
  if (NEVER_A_HOST.test(domain)) return { kind: 'none', reason: 'domain_not_found' };
  const found = await resolver.mx(domain);
  if (found.kind === 'answer') return pickHost(found.records);
  if (found.kind === 'nxdomain') return { kind: 'none', reason: 'domain_not_found' };
  if (found.kind !== 'nodata') return { kind: 'unknown' };
  return judgeAddressRecords(await Promise.all([resolver.a(domain), resolver.aaaa(domain)]));
}

function pickHost(records: readonly Exchanger[]): MailHost {
  // A null MX must be the only one: next to others it means nothing (RFC 7505, section 3).
  if (records.every(({ exchange }) => exchange === '')) return { kind: 'none', reason: 'null_mx' };
  const exchanges = records
    .filter(({ exchange }) => exchange !== '' && !NEVER_A_HOST.test(exchange))
    .sort((one, other) => one.priority - other.priority)
    .slice(0, EXCHANGES_MAX)
    .map(({ exchange }) => exchange);
  return exchanges.length > 0 ? { kind: 'mx', exchanges } : { kind: 'none', reason: 'no_mail_server' };
}

function judgeAddressRecords(outcomes: readonly DnsOutcome<string>[]): MailHost {
  if (outcomes.some(({ kind }) => kind === 'answer')) return { kind: 'address' };
  const isSure = outcomes.every(({ kind }) => kind === 'nodata' || kind === 'nxdomain');
  return isSure ? { kind: 'none', reason: 'no_mail_server' } : { kind: 'unknown' };
}
