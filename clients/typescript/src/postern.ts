import { Connection, encodeName, type PosternOptions } from './connection.js';
import { type CallOptions, InboxMethods } from './inbox.js';
import { Inboxes } from './inboxes.js';
import { Mailbox } from './mailbox.js';
import { Messages } from './messages.js';
import { SmtpFaults } from './smtp-faults.js';
import type * as wire from './wire.js';

/**
 * A client of one server, with one key. Its own waits, streams and lists cover all inboxes of the account.
 *
 * ```js
 * const postern = new Postern({ url: 'http://127.0.0.1:8025' });
 * const inbox = await postern.inboxes.create();
 * const { code } = await inbox.waitForCode({ timeoutMs: 30_000 });
 * ```
 */
export class Postern extends Mailbox {
  readonly inboxes: Inboxes;
  readonly message: Messages;
  readonly smtpFaults: SmtpFaults;
  /** Where the server is. */
  readonly url: string;

  constructor(options: PosternOptions = {}) {
    super(new Connection(options), '', '/messages/stream');
    this.url = this.connection.url;
    this.inboxes = new Inboxes(this.connection);
    this.message = new Messages(this.connection);
    this.smtpFaults = new SmtpFaults(this.connection);
  }

  /** An inbox by its id or address, without asking whether it exists. In a trap, every address does. */
  inbox(inbox: string): InboxMethods {
    return new InboxMethods(this.connection, inbox);
  }

  /** The account of the key, its caps and its usage this month. */
  account(options: CallOptions = {}): Promise<wire.Account> {
    return this.connection.data({ method: 'GET', path: '/account', ...options });
  }

  /** Sends an email from an address on a verified domain of yours. */
  send(email: wire.NewOutboundEmail, options: CallOptions = {}): Promise<wire.OutboundEmail> {
    const call = { method: 'POST', path: '/outbound_emails', body: email, ...options } as const;
    return this.connection.data({ ...call, key: crypto.randomUUID() });
  }

  /** An email that was sent, with what became of it. */
  sent(id: string, options: CallOptions = {}): Promise<wire.OutboundEmail> {
    const path = `/outbound_emails/${encodeName('id', id)}`;
    return this.connection.data({ method: 'GET', path, ...options });
  }

  /** Whether an address can receive mail. */
  verify(
    email: string,
    { mode, ...options }: CallOptions & { mode?: wire.Verify['mode'] } = {},
  ): Promise<wire.Verification> {
    return this.connection.data({ method: 'POST', path: '/verify', body: { email, mode }, ...options });
  }

  /** The same for up to 100 addresses: `emails`, or `text` with addresses in it. */
  verifyBatch(
    batch: { emails: string[]; mode?: wire.Verify['mode'] } | { text: string; mode?: wire.Verify['mode'] },
    options: CallOptions = {},
  ): Promise<wire.BatchVerification> {
    return this.connection.data({ method: 'POST', path: '/verify/batch', body: batch, ...options });
  }
}
