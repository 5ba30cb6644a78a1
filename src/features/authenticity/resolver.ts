import type { DnsOutcome, Resolver } from '../../platform/net/dns.ts';

/*
 * Gives our resolver the interface that mailauth expects (that of node:dns/promises), and bounds the look-ups per mail:
 * RFC 7208, section 4.6.4, bounds only those of SPF, but a mail may also have ten signatures and their tree walks.
 */

const LOOKUPS_MAX = 120;

type Answer = string[] | string[][] | { exchange: string; priority: number }[];

/**
 * The returned function rejects with the codes of node:dns. It starts no look-up after `deadlineMs` (performance.now).
 */
export function boundResolver(resolver: Resolver, deadlineMs: number) {
  let lookups = 0;
  return async (name: string, type: string): Promise<Answer> => {
    lookups += 1;
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) throw makeFault('ETIMEOUT', 'the time for this mail is over');
    if (lookups > LOOKUPS_MAX)
      throw makeFault('ECANCELLED', `more than ${LOOKUPS_MAX} look-ups for one mail`);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(makeFault('ETIMEOUT', 'the DNS did not answer in time')),
      leftMs,
    );
    try {
      return await Promise.race([ask(resolver, name, type), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function ask(resolver: Resolver, name: string, type: string): Promise<Answer> {
  if (type === 'TXT') return (takeRecords(await resolver.txt(name)) as string[]).map((text) => [text]);
  if (type === 'MX') return takeRecords(await resolver.mx(name));
  if (type === 'A') return takeRecords(await resolver.a(name));
  if (type === 'AAAA') return takeRecords(await resolver.aaaa(name));
  if (type === 'PTR') return takeRecords(await resolver.ptr(parseArpaName(name)));
  throw makeFault('ENODATA', `${type} is not supported here`);
}

function takeRecords<Data>(outcome: DnsOutcome<Data>): Data[] {
  switch (outcome.kind) {
    case 'answer':
      return outcome.records;
    case 'nxdomain':
      throw makeFault('ENOTFOUND', 'the name does not exist');
    case 'nodata':
      throw makeFault('ENODATA', 'the name has no such record');
    case 'timeout':
      throw makeFault('ETIMEOUT', outcome.reason);
    case 'refused':
      throw makeFault('EREFUSED', outcome.reason);
    default:
      throw makeFault('ESERVFAIL', outcome.reason);
  }
}

function makeFault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Returns the address that a name under in-addr.arpa or ip6.arpa encodes (RFC 1035, 3.5; RFC 3596, 2.5). */
function parseArpaName(name: string): string {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.').slice(0, -2).reverse();
  if (/\.in-addr\.arpa\.?$/i.test(name)) return labels.join('.');
  const digits = labels.join('');
  return (digits.match(/.{4}/g) ?? []).join(':');
}
