import { type Connection, encodeName } from './connection.js';
import { askFor, Listing, listRows, type PageOptions } from './listing.js';
import type * as wire from './wire.js';

/** Conversations: messages received and sent (docs/threads.md). */
export class Threads {
  constructor(private readonly connection: Connection) {}

  /** Lists the threads, the one with the newest message first. */
  list(options: PageOptions = {}): Listing<wire.ThreadSummary> {
    return listRows(this.connection, '/threads', { ...options });
  }

  /** Returns a thread with its first messages (25, or `limit`), oldest first. */
  get(id: string, { limit, ...options }: PageOptions = {}): Promise<wire.Thread> {
    return this.connection.data({ method: 'GET', path: makePath(id), query: { limit }, ...options });
  }

  /** Lists all messages of a thread, oldest first. */
  messages(id: string, { limit, signal }: PageOptions = {}): Listing<wire.ThreadMessage> {
    const readRows = (thread: unknown) => (thread as wire.Thread).messages;
    const show = (message: wire.ThreadMessage) => message;
    return new Listing(this.connection, askFor(makePath(id), { limit }, signal), show, readRows);
  }
}

function makePath(id: string): string {
  return `/threads/${encodeName('id', id)}`;
}
