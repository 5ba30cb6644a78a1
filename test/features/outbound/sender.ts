/** An account that may send: a verified domain with DKIM, and an inbox on it. Nothing outside is dialled. */

import { openMime } from '../../../src/features/outbound/mime/sql.ts';
import { findOwnEmail } from '../../../src/features/outbound/sql.ts';
import type { Clock } from '../../../src/platform/core/clock.ts';
import { type Holder, type Reply, type RunningAppliance, startAppliance } from '../../start.ts';
import { readyDomain } from '../domains/ready.ts';

export interface SenderOptions {
  clock?: Clock;
  settings?: Record<string, string>;
  dataDir?: string;
}

/** The domain that it sends from. A second sender must name another. */
export const DOMAIN = 'shop.example';

export class Sender implements AsyncDisposable {
  constructor(
    readonly appliance: RunningAppliance,
    readonly owner: Holder,
    readonly domainId: string,
    readonly inbox: { id: string; address: string },
  ) {}

  static async start({ settings, ...options }: SenderOptions = {}): Promise<Sender> {
    const appliance = await startAppliance({ ...options, settings: { ...sending, ...settings } });
    return Sender.join(appliance);
  }

  static async join(appliance: RunningAppliance, domain = DOMAIN): Promise<Sender> {
    const owner = await appliance.holder();
    const { id } = await readyDomain(appliance.services, owner.account.no, domain);
    return new Sender(
      appliance,
      owner,
      id,
      await appliance.inbox(owner, { domain: id, routing_key: 'desk' }),
    );
  }

  /** Another inbox on the domain. */
  inboxNamed(routingKey: string): Promise<{ id: string; address: string }> {
    return this.appliance.inbox(this.owner, { domain: this.domainId, routing_key: routingKey });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.appliance.request('POST', `/api/v1${path}`, { key: this.owner.key, body, headers });
  }

  /** POST /outbound_emails, with valid values for fields left out. */
  send(fields: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return this.post('/outbound_emails', { ...right, ...fields }, headers);
  }

  get(path: string): Promise<Reply> {
    return this.appliance.request('GET', `/api/v1${path}`, { key: this.owner.key });
  }

  /** The bytes composed for an email. */
  mime({ json }: Reply): Buffer {
    const { store } = this.appliance.services;
    return Buffer.concat([
      ...openMime(store, findOwnEmail(store, this.owner.account.no, json.data.id)!.no)!.read(),
    ]);
  }

  [Symbol.asyncDispose]() {
    return this.appliance[Symbol.asyncDispose]();
  }
}

/** Nothing may leave the machine and the resolver has no server, so emails stay queued. */
export const sending = { outbound: 'direct', dns_servers: '127.0.0.1:9', limits: 'off' };

const right = {
  from_address: `hello@${DOMAIN}`,
  to: ['ann@example.org'],
  subject: 'Hello',
  body_text: 'Good morning.',
};

/** `422 validation_error` and the like, with the fields it names. */
export function verdict({ status, json }: Reply): string {
  const fields = Object.keys(json?.error?.fields ?? {});
  return [status, json?.error?.code, ...fields].filter(Boolean).join(' ');
}
