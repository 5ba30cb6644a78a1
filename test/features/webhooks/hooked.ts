/** An inbox with a webhook to our own receiver: https, a private CA, a name in our own DNS server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findInbox } from '../../../src/features/inboxes/find.ts';
import type { Inbox } from '../../../src/features/inboxes/sql.ts';
import { setWebhook } from '../../../src/features/webhooks/configure.ts';
import { findWebhook, listInboxDeliveries, type Webhook } from '../../../src/features/webhooks/sql.ts';
import { viewDelivery, viewNewSecret } from '../../../src/features/webhooks/view.ts';
import type { DeliveryView } from '../../../src/features/webhooks/wire.ts';
import type { Clock } from '../../../src/platform/core/clock.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { type Received, type Receiver, startReceiver, testCa } from '../../peers/https-receiver.ts';
import { type Delivery, type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';

export interface HookedOptions {
  clock?: Clock;
  settings?: Record<string, string>;
  dataDir?: string;
  logLevel?: 'debug' | 'info' | 'warn';
}

/** What several inboxes and starts share. */
export interface Surroundings extends AsyncDisposable {
  receiver: Receiver;
  dns: DnsServer;
  url: string;
  /** For startAppliance. */
  settings: Record<string, string>;
}

export async function makeSurroundings(): Promise<Surroundings> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-hooked-'));
  const [receiver, dns, ca] = await Promise.all([startReceiver(), startDnsServer(), testCa()]);
  const extraCaFile = join(dir, 'ca.pem');
  writeFileSync(extraCaFile, ca.pem);
  dns.setAddresses('hook.test', '127.0.0.1');
  return {
    receiver,
    dns,
    url: `https://hook.test:${receiver.port}/mail`,
    settings: {
      extra_ca_file: extraCaFile,
      dns_servers: `${dns.host}:${dns.port}`,
      webhook_allow_networks: '127.0.0.0/8',
      limits: 'off',
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([receiver[Symbol.asyncDispose](), dns[Symbol.asyncDispose]()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** An inbox with a webhook. */
export class Hooked {
  constructor(
    readonly appliance: RunningAppliance,
    readonly owner: Holder,
    readonly inbox: Inbox,
    public secret: string,
  ) {}

  static async make(appliance: RunningAppliance, url: string, owner?: Holder): Promise<Hooked> {
    const holder = owner ?? (await appliance.holder());
    const { id } = await appliance.inbox(holder);
    const inbox = findInbox(appliance.services.store, id);
    const created = await setWebhook(appliance.services, inbox, url);
    const { secret } = viewNewSecret(appliance.services.key, created);
    return new Hooked(appliance, holder, inbox, secret);
  }

  /** Delivers a mail: stored, and announced as ingest does. */
  async arrive(mail: Delivery = {}): Promise<string> {
    const id = await this.appliance.deliver(this.inbox.address, mail);
    this.announce(id);
    return id;
  }

  announce(messageId: string): void {
    const { no, id, address, account_no } = this.inbox;
    const shown = { from: '', subject: '', otp: null, magic_link: null, envelope_recipient: address };
    const flags = { hasDelivery: true, isChecked: false };
    const where = { account_no, inbox_no: no, inbox_id: id };
    const arrival = { ...where, message_id: messageId, received_at: 0, ...flags, ...shown };
    this.appliance.services.arrivals.announce(arrival);
  }

  get webhook(): Webhook {
    return findWebhook(this.appliance.services.store, this.inbox.no)!;
  }

  /** Newest first. */
  get deliveries(): DeliveryView[] {
    return listInboxDeliveries(this.appliance.services.store, this.inbox.no, 1000).map(viewDelivery);
  }

  /** Waits until the newest delivery has had this many attempts, and returns it. */
  async attempted(count: number): Promise<DeliveryView> {
    await until(() => (this.deliveries[0]?.attempts.length ?? 0) >= count);
    return this.deliveries[0]!;
  }

  test() {
    const path = `/api/v1/inboxes/${this.inbox.id}/webhook/test`;
    return this.appliance.request('POST', path, { key: this.owner.key });
  }
}

export interface One extends Surroundings {
  appliance: RunningAppliance;
  hooked: Hooked;
}

/** One server with one such inbox. */
export async function startHooked({ settings, ...options }: HookedOptions = {}): Promise<One> {
  const around = await makeSurroundings();
  const appliance = await startAppliance({ ...options, settings: { ...around.settings, ...settings } });
  const hooked = await Hooked.make(appliance, around.url);
  return {
    ...around,
    appliance,
    hooked,
    async [Symbol.asyncDispose]() {
      await appliance[Symbol.asyncDispose]();
      await around[Symbol.asyncDispose]();
    },
  };
}

/** A received request, parsed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it as the wire has it.
export function readEvent(received: Received | undefined): any {
  return JSON.parse(received?.body.toString() ?? 'null');
}
