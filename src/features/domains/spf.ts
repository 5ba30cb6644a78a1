import type { Outbound } from '../../platform/core/settings.ts';
import { isPrivateName } from '../../platform/mail/domain-name.ts';
import { judgeAddress } from '../../platform/net/guard.ts';
import { namesLoopback } from '../../platform/net/own-host.ts';

/** Advice for an SPF record (RFC 7208). */
export interface SpfAdvice {
  /** The mechanisms that let our mail pass. */
  mechanisms: string[];
  /** What only a person can know. */
  note: string | null;
}

/** Advises by how mail leaves: from this machine, which is the domain's MX, or through a smarthost. */
export function adviseSpf(outbound: Outbound): SpfAdvice {
  const hostname = outbound.way === 'smarthost' ? new URL(outbound.url).hostname.toLowerCase() : null;
  if (hostname === null || namesLoopback(hostname)) return { mechanisms: ['mx'], note: null };
  const host = hostname.replace(/^\[|\]$/g, '');
  const route = `Mail goes out through ${host}`;
  const address = host.includes(':') ? `ip6:${host}` : /^\d+(\.\d+){3}$/.test(host) ? `ip4:${host}` : null;
  const isHidden = address ? judgeAddress(host, []) !== null : !host.includes('.') || isPrivateName(host);
  if (isHidden) return { mechanisms: ['mx'], note: `${route}. Add the addresses from which it sends.` };
  const named = address ?? `a:${host}`;
  const note = `${route}. If its operator publishes an include: for SPF, use it instead of ${named}.`;
  return { mechanisms: ['mx', named], note };
}
