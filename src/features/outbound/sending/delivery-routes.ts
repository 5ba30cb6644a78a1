/** Finds the servers for one share of the queue. */
import { SECOND_US } from '../../../platform/core/clock.ts';
import { mxHost, type ServerAddress } from '../../../platform/core/settings.ts';
import type { Address } from '../../../platform/net/guard.ts';
import { findMailRoute } from '../../../platform/net/mail-route.ts';
import { isListed, StsPolicies, type StsPolicy } from '../../../platform/net/mta-sts.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { sending as rules } from '../../../rules/sending.ts';
import { parseSmarthost, type Server } from './server.ts';
import { readStsPolicy, type Share } from './sql.ts';
import { putStsPolicyOp } from './writes.ts';

export type DeliveryRoute =
  /** The servers, in the order in which to try them. */
  | { kind: 'servers'; servers: Server[] }
  /** The domain accepts no mail. */
  | { kind: 'nowhere'; status: string; reason: string }
  /** The servers could not be found out now. */
  | { kind: 'unknown'; reason: string };

/** Looks up the routes to domains and keeps them for a minute. */
export class DeliveryRoutes {
  private readonly known = new Map<string, { route: Promise<DeliveryRoute>; untilUs: number }>();
  private readonly policies: StsPolicies;
  private readonly smarthost: Server | null;

  constructor(
    private readonly services: PlatformServices,
    /** The address of our own SMTP server, on a listener that does not start with TLS. */
    private readonly ownDoor: ServerAddress | null,
  ) {
    const { outbound } = services.settings;
    this.smarthost = outbound.way === 'smarthost' ? parseSmarthost(outbound.url) : null;
    this.policies = makeStsPolicies(services);
  }

  find(share: Share): Promise<DeliveryRoute> {
    if (this.smarthost) return Promise.resolve({ kind: 'servers', servers: [this.smarthost] });
    if (share === 'all') return Promise.resolve({ kind: 'unknown', reason: 'there is no smarthost' });
    const nowUs = this.services.clock.nowUs();
    const kept = this.known.get(share.domain);
    if (kept && kept.untilUs > nowUs) return kept.route;
    if (this.known.size >= rules.routesMax) this.known.clear();
    const route = this.lookUp(share.domain);
    this.known.set(share.domain, { route, untilUs: nowUs + rules.routeS * SECOND_US });
    return route;
  }

  /** Called when the clock was set: the expiry times are no longer valid. */
  forgetAll(): void {
    this.known.clear();
  }

  /** Called after a failure, so that the next attempt looks the route up again. */
  forget(share: Share): void {
    if (share !== 'all') this.known.delete(share.domain);
  }

  private async lookUp(domain: string): Promise<DeliveryRoute> {
    const { settings, outside, log } = this.services;
    const own = mxHost(settings);
    const [route, policy] = await Promise.all([
      findMailRoute(outside.resolver, domain, own),
      this.policies.of(domain),
    ]);
    if (route.kind === 'ourselves') return { kind: 'servers', servers: [this.makeOwnServer(own)] };
    if (route.kind !== 'hosts') return route;
    const servers = route.hosts.map((host): Server => this.makeServer(host));
    const unlisted = route.hosts.filter((host) => policy && !isListed(policy, host));
    if (policy?.mode === 'testing' && unlisted.length > 0) {
      log.info('mail goes to hosts that the MTA-STS policy does not list; the policy is in testing mode', {
        domain,
        hosts: unlisted.join(' '),
      });
    }
    return policy?.mode === 'enforce'
      ? enforceStsPolicy(servers, policy, domain)
      : { kind: 'servers', servers };
  }

  private makeServer(host: string): Server {
    const { outbound_port, outbound_allow_networks } = this.services.settings;
    return { host, port: outbound_port, security: 'when_offered', allow: outbound_allow_networks ?? [] };
  }

  /**
   * Returns our own SMTP server, for mail to our own addresses. It accepts only existing inboxes, so mail can't loop.
   */
  private makeOwnServer(own: string): Server {
    if (!this.ownDoor) return this.makeServer(own);
    const { host, port } = this.ownDoor;
    const address: Address = { address: host, family: host.includes(':') ? 6 : 4 };
    return { host: own, port, security: 'when_offered', address, allow: [] };
  }
}

/** Keeps only hosts that the policy lists, and requires a valid certificate of them (RFC 8461, section 5). */
function enforceStsPolicy(servers: Server[], policy: StsPolicy, domain: string): DeliveryRoute {
  const listed = servers.filter(({ host }) => isListed(policy, host));
  if (listed.length === 0) {
    return { kind: 'unknown', reason: `no mail server of ${domain} is listed in its MTA-STS policy` };
  }
  return { kind: 'servers', servers: listed.map((server) => ({ ...server, security: 'verified' })) };
}

function makeStsPolicies({ outside, clock, settings, store, log }: PlatformServices): StsPolicies {
  return new StsPolicies({
    resolver: outside.resolver,
    clock,
    allow: settings.outbound_allow_networks ?? [],
    get extraCa() {
      return outside.extraCa;
    },
    shelf: {
      get(domain) {
        const row = readStsPolicy(store, domain);
        return row && { ...row, policy: JSON.parse(row.policy) as StsPolicy };
      },
      put(domain, { id, policy, expires_at }) {
        store
          .write(putStsPolicyOp, { domain, id, policy: JSON.stringify(policy), expires_at })
          .catch((fault: unknown) =>
            log.warn('an MTA-STS policy could not be stored', { domain, fault: String(fault) }),
          );
      },
    },
  });
}
