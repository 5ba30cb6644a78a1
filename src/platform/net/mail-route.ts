/** Finds the servers that accept the mail of a domain (RFC 5321 5.1). */

import { sending as rules } from '../../rules/sending.ts';
import type { Network } from '../core/settings.ts';
import { type DnsOutcome, type Exchanger, findDnsFailure, type Resolver } from './dns.ts';
import { type Address, judgeAddress } from './guard.ts';

export type MailRoute =
  /** Hosts in the order to try them; the domain itself if it has no MX record. */
  | { kind: 'hosts'; hosts: string[] }
  /** This server is the best exchanger. */
  | { kind: 'ourselves' }
  /** Permanent: no server accepts mail for it. `status` is an enhanced status code (RFC 3463, 7505). */
  | { kind: 'nowhere'; status: string; reason: string }
  /** Temporary: the DNS gave no answer. */
  | { kind: 'unknown'; reason: string };

export type HostAddresses =
  | { kind: 'addresses'; addresses: Address[] }
  /** It has addresses, but none that may be dialled. */
  | { kind: 'forbidden'; reason: string }
  | { kind: 'none'; reason: string }
  | { kind: 'unknown'; reason: string };

/**
 * Looks up a domain's exchangers.
 *
 * @param ownHost The name of this server. To prevent loops, exchangers that are not preferred to it are left out.
 */
export async function findMailRoute(
  resolver: Resolver,
  domain: string,
  ownHost: string,
  random: () => number = Math.random,
): Promise<MailRoute> {
  const found = await resolver.mx(domain);
  switch (found.kind) {
    case 'answer':
      return chooseHosts(found.records, domain, ownHost, random);
    case 'nodata':
      return findImplicit(resolver, domain, ownHost);
    case 'nxdomain':
      return { kind: 'nowhere', status: '5.1.2', reason: `the domain ${domain} does not exist` };
    default:
      return { kind: 'unknown', reason: `${domain} could not be looked up: ${found.reason}` };
  }
}

function chooseHosts(records: Exchanger[], domain: string, ownHost: string, random: () => number): MailRoute {
  const usable = records.filter(({ exchange }) => exchange !== '' && exchange !== '.');
  if (usable.length === 0) {
    return { kind: 'nowhere', status: '5.1.10', reason: `${domain} accepts no mail (null MX)` };
  }
  const named = usable.map(({ exchange, priority }) => ({ host: exchange.replace(/\.$/, ''), priority }));
  const own = Math.min(...named.filter(({ host }) => host === ownHost).map(({ priority }) => priority));
  const better = named.filter(({ priority }) => priority < own);
  if (better.length === 0) return { kind: 'ourselves' };
  const hosts = better
    .map((one) => ({ ...one, lot: random() }))
    .sort((one, other) => one.priority - other.priority || one.lot - other.lot)
    .map(({ host }) => host);
  return { kind: 'hosts', hosts: [...new Set(hosts)].slice(0, rules.exchangersMax) };
}

async function findImplicit(resolver: Resolver, domain: string, ownHost: string): Promise<MailRoute> {
  if (domain === ownHost) return { kind: 'ourselves' };
  const outcomes = await Promise.all([resolver.a(domain), resolver.aaaa(domain)]);
  if (outcomes.some(({ kind }) => kind === 'answer')) {
    return { kind: 'hosts', hosts: [domain] };
  }
  const failure = findDnsFailure(outcomes);
  if (failure !== null) return { kind: 'unknown', reason: `${domain} could not be looked up: ${failure}` };
  return { kind: 'nowhere', status: '5.4.4', reason: `${domain} has no mail server and no address` };
}

/** Looks up the addresses of a host that may be dialled. In random order, but IPv4 first: fewer hosts have working IPv6. */
export async function findHostAddresses(
  resolver: Resolver,
  host: string,
  allow: readonly Network[],
): Promise<HostAddresses> {
  const [v4, v6] = await Promise.all([resolver.a(host), resolver.aaaa(host)]);
  const of = (outcome: DnsOutcome<string>, family: 4 | 6): Address[] =>
    outcome.kind === 'answer' ? [...new Set(outcome.records)].map((address) => ({ address, family })) : [];
  const all = [...of(v4, 4), ...of(v6, 6)];
  const reasons = all.map(({ address }) => judgeAddress(address, allow));
  const addresses = all
    .filter((_, index) => reasons[index] === null)
    .map((address) => ({ address, lot: Math.random() }))
    .sort((one, other) => one.address.family - other.address.family || one.lot - other.lot)
    .map(({ address }) => address)
    .slice(0, rules.addressesMax);
  if (addresses.length > 0) return { kind: 'addresses', addresses };
  const refusal = reasons.find((reason) => reason !== null);
  // An address of the family whose look-up failed may be allowed.
  const failure = findDnsFailure([v4, v6]);
  if (failure !== null) return { kind: 'unknown', reason: `${host} could not be looked up: ${failure}` };
  if (refusal) return { kind: 'forbidden', reason: `${host}: ${refusal}` };
  return { kind: 'none', reason: `${host} has no address` };
}
