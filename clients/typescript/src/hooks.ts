import { type CallOptions, type Connection, encodeName } from './connection.js';
import { type Listing, listRows, type PageOptions } from './listing.js';
import type * as wire from './wire.js';

/** Which events to send again: one, or all that the webhook asks for after a time. */
export type Replay = { event_id: string } | { since: string };

/** One webhook, of an inbox or of the account. */
class Hook {
  constructor(
    protected readonly connection: Connection,
    protected readonly path: string,
  ) {}

  get(options: CallOptions = {}): Promise<wire.Webhook> {
    return this.connection.data({ method: 'GET', path: this.path, ...options });
  }

  /** Deletes it, with its pending deliveries. */
  delete(options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: this.path, ...options });
  }

  /** Creates a new secret, shown once. The old one also signs for 24 more hours. */
  rotate(options: CallOptions = {}): Promise<wire.WebhookWithSecret> {
    const call = { method: 'POST', path: `${this.path}/rotate`, key: crypto.randomUUID() } as const;
    return this.connection.data({ ...call, ...options });
  }

  /** Enables it. Pending deliveries are sent at once. */
  enable(options: CallOptions = {}): Promise<wire.Webhook> {
    return this.connection.data({ method: 'POST', path: `${this.path}/enable`, ...options });
  }

  /** Disables it. Pending deliveries are kept. */
  disable(options: CallOptions = {}): Promise<wire.Webhook> {
    return this.connection.data({ method: 'POST', path: `${this.path}/disable`, ...options });
  }

  /** Sends it a sample message now, and returns its receiver's answer. */
  test(options: CallOptions = {}): Promise<wire.WebhookTest> {
    return this.connection.data({ method: 'POST', path: `${this.path}/test`, ...options });
  }

  /** Lists the deliveries of the last 30 days with their attempts, newest event first. */
  deliveries(options: PageOptions = {}): Listing<wire.WebhookDelivery> {
    return listRows(this.connection, `${this.path}/deliveries`, { ...options });
  }

  /** Sends events again. If `next_since` is not null, call it again from there. */
  replay(what: Replay, options: CallOptions = {}): Promise<wire.WebhookReplayed> {
    return this.connection.data({ method: 'POST', path: `${this.path}/replay`, body: what, ...options });
  }
}

/** The webhook of one inbox. */
export class InboxWebhook extends Hook {
  /** Creates it, or changes its URL. Its secret is new and shown once. */
  set(url: string, options: CallOptions = {}): Promise<wire.WebhookWithSecret> {
    const call = { method: 'PUT', path: this.path, body: { url }, key: crypto.randomUUID() } as const;
    return this.connection.data({ ...call, ...options });
  }
}

/** The webhooks of the whole account. */
export class AccountWebhooks {
  constructor(private readonly connection: Connection) {}

  /** Creates a webhook. Its secret is shown once. */
  create(webhook: wire.NewWebhook, options: CallOptions = {}): Promise<wire.WebhookWithSecret> {
    const call = { method: 'POST', path: '/webhooks', body: webhook, key: crypto.randomUUID() } as const;
    return this.connection.data({ ...call, ...options });
  }

  /** Lists the webhooks, newest first. */
  list(options: PageOptions = {}): Listing<wire.Webhook> {
    return listRows(this.connection, '/webhooks', { ...options });
  }

  /** Changes the given fields. The secret stays. */
  update(id: string, changes: wire.WebhookChanges, options: CallOptions = {}): Promise<wire.Webhook> {
    return this.connection.data({ method: 'PATCH', path: makePath(id), body: changes, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<wire.Webhook> {
    return this.one(id).get(options);
  }

  /** Deletes it, with its pending deliveries. */
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.one(id).delete(options);
  }

  /** Creates a new secret, shown once. The old one also signs for 24 more hours. */
  rotate(id: string, options: CallOptions = {}): Promise<wire.WebhookWithSecret> {
    return this.one(id).rotate(options);
  }

  /** Enables it. Pending deliveries are sent at once. */
  enable(id: string, options: CallOptions = {}): Promise<wire.Webhook> {
    return this.one(id).enable(options);
  }

  /** Disables it. Pending deliveries are kept. */
  disable(id: string, options: CallOptions = {}): Promise<wire.Webhook> {
    return this.one(id).disable(options);
  }

  /** Sends it a sample message now, and returns its receiver's answer. */
  test(id: string, options: CallOptions = {}): Promise<wire.WebhookTest> {
    return this.one(id).test(options);
  }

  /** Lists the deliveries of the last 30 days with their attempts, newest event first. */
  deliveries(id: string, options: PageOptions = {}): Listing<wire.WebhookDelivery> {
    return this.one(id).deliveries(options);
  }

  /** Sends events again. If `next_since` is not null, call it again from there. */
  replay(id: string, what: Replay, options: CallOptions = {}): Promise<wire.WebhookReplayed> {
    return this.one(id).replay(what, options);
  }

  private one(id: string): Hook {
    return new Hook(this.connection, makePath(id));
  }
}

function makePath(id: string): string {
  return `/webhooks/${encodeName('id', id)}`;
}
