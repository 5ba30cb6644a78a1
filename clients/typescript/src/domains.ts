import { type CallOptions, type Connection, encodeName } from './connection.js';
import { type Listing, listRows, type PageOptions } from './listing.js';
import type * as wire from './wire.js';

/** Your own domains (docs/domains.md). */
export class Domains {
  constructor(private readonly connection: Connection) {}

  /** Adds a domain. The result has the DNS records to publish. */
  create(name: string, options: CallOptions = {}): Promise<wire.Domain> {
    const call = { method: 'POST', path: '/domains', body: { name }, key: crypto.randomUUID() } as const;
    return this.connection.data({ ...call, ...options });
  }

  /** Lists the domains, newest first. */
  list(options: PageOptions = {}): Listing<wire.Domain> {
    return listRows(this.connection, '/domains', { ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<wire.Domain> {
    return this.connection.data({ method: 'GET', path: makePath(id), ...options });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: makePath(id), ...options });
  }

  /** Checks its DNS records now. */
  verify(id: string, options: CallOptions = {}): Promise<wire.Domain> {
    return this.connection.data({ method: 'POST', path: `${makePath(id)}/verify`, ...options });
  }

  /** Turns the catch-all on or off. Without `inbox_id`, an inbox is created to receive its mail. */
  setCatchAll(id: string, setting: wire.CatchAll, options: CallOptions = {}): Promise<wire.Domain> {
    return this.connection.data({
      method: 'PATCH',
      path: `${makePath(id)}/catch_all`,
      body: setting,
      ...options,
    });
  }

  /** Creates a DKIM key. The result has the record to publish. */
  setUpSending(id: string, options: CallOptions = {}): Promise<wire.Domain> {
    return this.connection.data({ method: 'POST', path: `${makePath(id)}/sending_setup`, ...options });
  }
}

function makePath(id: string): string {
  return `/domains/${encodeName('id', id)}`;
}
