import type { Network } from '../core/settings.ts';

/** A network that is not part of the public internet. */
export interface SpecialNetwork extends Network {
  /** Its purpose, and the RFC that assigns it. */
  what: string;
}

/**
 * IPv4: all of IANA's special-purpose address registry (RFC 6890, as of 2026), and multicast. It includes entries that the registry
 * calls globally reachable: the anycast services (AS112, AMT, PCP, TURN). The nearest network answers those, which may be one's
 * own, and no webhook or mail server is there.
 */
export const specialV4: readonly SpecialNetwork[] = readTable(`
  0.0.0.0/8           this network (RFC 791)
  10.0.0.0/8          private (RFC 1918)
  100.64.0.0/10       shared by carriers (RFC 6598)
  127.0.0.0/8         loopback (RFC 1122)
  169.254.0.0/16      link-local (RFC 3927)
  172.16.0.0/12       private (RFC 1918)
  192.0.0.0/24        protocol assignments (RFC 6890)
  192.0.2.0/24        documentation (RFC 5737)
  192.31.196.0/24     AS112 (RFC 7535)
  192.52.193.0/24     multicast tunnels (RFC 7450)
  192.88.99.0/24      6to4 relays (RFC 7526)
  192.168.0.0/16      private (RFC 1918)
  192.175.48.0/24     AS112 (RFC 7534)
  198.18.0.0/15       benchmarks (RFC 2544)
  198.51.100.0/24     documentation (RFC 5737)
  203.0.113.0/24      documentation (RFC 5737)
  224.0.0.0/4         multicast (RFC 5771)
  240.0.0.0/4         reserved (RFC 1112)
`);

/** The IPv6 space assigned for global routing (RFC 4291 2.4, IANA's IPv6 address space registry). */
export const globalV6: Network = { address: '2000::', prefix: 3 };

/**
 * IPv6: the blocks of the special-purpose registry, and older ones. Those outside 2000::/3 would be refused anyway, and are listed
 * so that the reason can name them. 2001::/23 is refused as a whole, including its globally reachable services.
 */
export const specialV6: readonly SpecialNetwork[] = readTable(`
  ::/128              unspecified (RFC 4291)
  ::1/128             loopback (RFC 4291)
  ::ffff:0:0/96       IPv4-mapped (RFC 4291)
  ::ffff:0:0:0/96     IPv4-translated (RFC 2765)
  ::/96               IPv4-compatible (RFC 4291)
  64:ff9b::/96        NAT64 (RFC 6052)
  64:ff9b:1::/48      NAT64 (RFC 8215)
  100::/64            discard (RFC 6666)
  100:0:0:1::/64      dummy prefix (RFC 9780)
  2001::/32           Teredo (RFC 4380)
  2001:2::/48         benchmarks (RFC 5180)
  2001:10::/28        ORCHID (RFC 4843)
  2001:20::/28        ORCHIDv2 (RFC 7343)
  2001::/23           protocol assignments (RFC 2928)
  2001:db8::/32       documentation (RFC 3849)
  2002::/16           6to4 (RFC 3056)
  2620:4f:8000::/48   AS112 (RFC 7534)
  3fff::/20           documentation (RFC 9637)
  5f00::/16           segment routing (RFC 9602)
  fc00::/7            unique local (RFC 4193)
  fe80::/10           link-local (RFC 4291)
  fec0::/10           site-local (RFC 3879)
  ff00::/8            multicast (RFC 4291)
`);

function readTable(text: string): SpecialNetwork[] {
  return Array.from(text.matchAll(/^ *(\S+)\/(\d+) +(.+)$/gm), ([, address = '', bits, what = '']) => ({
    address,
    prefix: Number(bits),
    what,
  }));
}
