import type { Connection } from './connection.js';
import { type Listing, listRows } from './listing.js';
import { type StreamOptions, streamMessages } from './stream.js';
import { type Requirement, type WaitOptions, waitForMatch } from './wait.js';
import type { Message, MessageSummary } from './wire.js';

export interface WaitForMessageOptions extends WaitOptions {
  /** What the message must contain. By default every message matches. */
  require?: Requirement;
}

/** Filters of a list (docs/api-v1.md, Messages), all of which must match. */
export interface MessageFilters {
  /** A search (docs/search.md): `from:ann has:code "sign in"`. */
  search?: string;
  /** Part of the subject or of From. */
  q?: string;
  from?: string;
  subject_contains?: string;
  has_otp?: boolean;
  read?: boolean | 'all';
  /** Rows per page, 1 to 100. */
  limit?: number;
  signal?: AbortSignal;
}

/** The operations that one inbox and all inboxes together share: waiting, streaming, listing. */
export class Mailbox {
  constructor(
    protected readonly connection: Connection,
    /** Empty for all inboxes of the account. */
    private readonly prefix: string,
    private readonly streamPath: string,
  ) {}

  /** Waits for a message with a one-time code, and claims it. Throws a WaitTimeoutError if none arrives in time. */
  async waitForCode(options: WaitOptions = {}): Promise<{ code: string; message: Message }> {
    const message = await waitForMatch(this.connection, this.waitPath, 'otp', options);
    return { code: message.otp ?? '', message };
  }

  /** Waits for a message with a link to sign in or confirm, and claims it. */
  async waitForLink(options: WaitOptions = {}): Promise<{ link: string; message: Message }> {
    const message = await waitForMatch(this.connection, this.waitPath, 'link', options);
    return { link: message.magic_link ?? '', message };
  }

  /** Waits for any message that matches, and claims it. */
  waitForMessage({ require = 'message', ...options }: WaitForMessageOptions = {}): Promise<Message> {
    return waitForMatch(this.connection, this.waitPath, require, options);
  }

  /**
   * Yields messages as they arrive, without end: `for await (const message of inbox.stream())`. It reconnects by itself
   * and loses nothing. Leaving the loop, or aborting the signal, closes the connection.
   */
  stream(options: StreamOptions = {}): AsyncGenerator<Message, void, undefined> {
    return streamMessages(this.connection, `${this.prefix}${this.streamPath}`, this.waitPath, options);
  }

  /** Lists the stored messages, newest first: `for await (const summary of inbox.messages())`. */
  messages(filters: MessageFilters = {}): Listing<MessageSummary> {
    return listRows(this.connection, `${this.prefix}/messages`, filters);
  }

  private get waitPath(): string {
    return `${this.prefix}/messages/wait`;
  }
}
