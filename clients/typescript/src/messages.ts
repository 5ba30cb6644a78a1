import type { CallOptions, Connection } from './connection.js';
import { encodeMessage, type MessageName } from './inbox.js';
import type * as wire from './wire.js';

/** Operations on a message by its id, whatever its inbox. */
export class Messages {
  constructor(private readonly connection: Connection) {}

  get(message: MessageName, options: CallOptions = {}): Promise<wire.Message> {
    return this.connection.data({ method: 'GET', path: makePath(message), ...options });
  }

  /** Marks it read or unread. */
  mark(message: MessageName, read: boolean, options: CallOptions = {}): Promise<wire.Message> {
    return this.connection.data({ method: 'PATCH', path: makePath(message), body: { read }, ...options });
  }

  /** Replaces its tags. */
  setTags(message: MessageName, tags: string[], options: CallOptions = {}): Promise<wire.Message> {
    return this.connection.data({
      method: 'PUT',
      path: `${makePath(message)}/tags`,
      body: { tags },
      ...options,
    });
  }

  delete(message: MessageName, options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: makePath(message), ...options });
  }

  /** Marks, deletes or fetches up to 100 messages at once. The results are in the order of the ids. */
  async batch(
    action: wire.MessageBatch['action'],
    ids: string[],
    options: CallOptions = {},
  ): Promise<wire.MessageBatchResult[]> {
    const call = { method: 'POST', path: '/messages/batch', body: { action, ids }, ...options } as const;
    return (await this.connection.data<wire.MessageBatchResults>(call)).results;
  }

  /** Hands on a message that the sender lists of its inbox withheld. It keeps its id and is received now. */
  accept(message: MessageName, options: CallOptions = {}): Promise<wire.Message> {
    return this.connection.data({ method: 'POST', path: `${makePath(message)}/accept`, ...options });
  }

  /** Lists what rules did to it, oldest first. */
  diary(message: MessageName, options: CallOptions = {}): Promise<wire.MessageDiaryEntry[]> {
    return this.connection.data({ method: 'GET', path: `${makePath(message)}/diary`, ...options });
  }

  /** Returns the bytes as received (message/rfc822). */
  raw(message: MessageName, options: CallOptions = {}): Promise<Uint8Array> {
    const headers = { accept: 'message/rfc822, application/json' };
    return this.connection.bytes({ method: 'GET', path: `${makePath(message)}/raw`, headers, ...options });
  }

  /** Returns the decoded bytes of an attachment; `index` is the one in `message.attachments`. */
  attachment(message: MessageName, index: number, options: CallOptions = {}): Promise<Uint8Array> {
    const path = `${makePath(message)}/attachments/${index}`;
    return this.connection.bytes({ method: 'GET', path, headers: { accept: '*/*' }, ...options });
  }

  /** Checks whether mail programs will show it and, with `fetchLinks`, whether its links work. */
  checks(
    message: MessageName,
    { fetchLinks = false, ...options }: CallOptions & { fetchLinks?: boolean } = {},
  ): Promise<wire.Checks> {
    const query = fetchLinks ? { fetch: 'links' } : {};
    return this.connection.data({ method: 'GET', path: `${makePath(message)}/checks`, query, ...options });
  }
}

function makePath(message: MessageName): string {
  return `/messages/${encodeMessage(message)}`;
}
