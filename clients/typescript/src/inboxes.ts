import { type CallOptions, type Connection, encodeName } from './connection.js';
import { attachMethods, type Inbox, type InboxDetail, InboxMethods } from './inbox.js';
import { askFor, Listing } from './listing.js';
import type * as wire from './wire.js';

export interface InboxFilters extends CallOptions {
  /** Only the inbox with exactly this address. */
  address?: string;
  /** Rows per page, 1 to 100. */
  limit?: number;
}

export class Inboxes {
  constructor(private readonly connection: Connection) {}

  /** Creates an inbox, with a random address unless `routing_key` is given. */
  async create(inbox: wire.NewInbox = {}, options: CallOptions = {}): Promise<Inbox> {
    const call = { method: 'POST', path: '/inboxes', body: inbox, ...options } as const;
    return attachMethods(
      this.connection,
      await this.connection.data<wire.Inbox>({ ...call, key: crypto.randomUUID() }),
    );
  }

  /** Returns an inbox by its id or its address. */
  async get(inbox: string, options: CallOptions = {}): Promise<InboxDetail> {
    const path = `/inboxes/${encodeName('inbox', inbox)}`;
    const found = await this.connection.data<wire.InboxDetail>({ method: 'GET', path, ...options });
    return attachMethods(this.connection, found, inbox);
  }

  /** Lists all inboxes, newest first: `for await (const inbox of postern.inboxes.list())`. */
  list({ signal, ...filters }: InboxFilters = {}): Listing<wire.Inbox, Inbox> {
    const show = (inbox: wire.Inbox) => attachMethods(this.connection, inbox);
    return new Listing(this.connection, askFor('/inboxes', { ...filters }, signal), show);
  }

  /** Changes the given fields. */
  update(inbox: string, changes: wire.InboxChanges, options: CallOptions = {}): Promise<InboxDetail> {
    return new InboxMethods(this.connection, inbox).update(changes, options);
  }

  /** Deletes an inbox and its messages. */
  delete(inbox: string, options: CallOptions = {}): Promise<void> {
    return new InboxMethods(this.connection, inbox).delete(options);
  }
}
