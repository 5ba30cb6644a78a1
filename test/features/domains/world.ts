/** A server with its own DNS server, an owner, and what tests do with domains. */

import { domainJobs } from '../../../src/features/domains/jobs.ts';
import type { DomainView } from '../../../src/features/domains/wire.ts';
import type { Plan } from '../../../src/rules/plans.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Holder, type Reply, type RunningAppliance, startAppliance } from '../../start.ts';
import { readDomainRecords } from './published.ts';

export interface World extends AsyncDisposable {
  appliance: RunningAppliance;
  dns: DnsServer;
  clock: FakeClock;
  owner: Holder;
  api(method: string, path: string, body?: unknown, key?: string): Promise<Reply>;
  /** A new domain, as POST /domains returns it. */
  register(name: string, holder?: Holder): Promise<DomainView>;
  get(domain: { id: string }): Promise<DomainView>;
  /** Publishes all its records in the DNS. */
  publish(domain: DomainView): void;
  /** Registered, published and verified. */
  verified(name: string, holder?: Holder): Promise<DomainView>;
  /** Advances the clock, then runs the scheduler's job. */
  later(ms: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export async function startWorld(
  settings: Record<string, string> = {},
  plan: Plan = 'business',
): Promise<World> {
  const clock = new FakeClock();
  const dns = await startDnsServer();
  const own = { dns_servers: `${dns.host}:${dns.port}`, limits: 'off', outbound: 'direct' };
  const appliance = await startAppliance({ clock, settings: { ...own, ...settings } });
  const owner = await appliance.holder(plan);
  const api: World['api'] = (method, path, body, key = owner.key) =>
    appliance.request(method, `/api/v1${path}`, { key, body });
  const data = async (reply: Promise<Reply>) => {
    const { status, json, text } = await reply;
    if (status >= 300) throw new Error(`answered ${status} ${text}`);
    return json.data as DomainView;
  };
  const world: World = {
    appliance,
    dns,
    clock,
    owner,
    api,
    register: (name, holder = owner) => data(api('POST', '/domains', { name }, holder.key)),
    get: ({ id }) => data(api('GET', `/domains/${id}`)),
    publish(domain) {
      for (const { host, type, values } of readDomainRecords(domain)) {
        dns.set(host, type, { records: values.map((value) => ({ type, data: value })) });
      }
    },
    async verified(name, holder = owner) {
      const domain = await world.register(name, holder);
      world.publish(domain);
      return data(api('POST', `/domains/${domain.id}/verify`, undefined, holder.key));
    },
    async later(ms) {
      await clock.leap(ms);
      for (const job of domainJobs) await appliance.run(job);
    },
    async [Symbol.asyncDispose]() {
      await appliance[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
  return world;
}
