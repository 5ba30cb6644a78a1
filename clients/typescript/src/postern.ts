import { type CallOptions, Connection, type PosternOptions } from './connection.js';
import { Domains } from './domains.js';
import { AccountWebhooks } from './hooks.js';
import { InboxMethods } from './inbox.js';
import { Inboxes } from './inboxes.js';
import { type Listing, listRows, type PageOptions } from './listing.js';
import { Mailbox } from './mailbox.js';
import { Messages } from './messages.js';
import { Allowlist, Outbound, sendEmail, type WithAttachments } from './outbound.js';
import { Rules } from './rules.js';
import { SmtpFaults } from './smtp-faults.js';
import { Threads } from './threads.js';
import type * as wire from './wire.js';

export interface EventFilters extends PageOptions {
  /** Only later events: the `created_at` of the last one that you have. */
  since?: string;
  event?: wire.Event['event'];
  /** The id or the address of an inbox. */
  inbox_id?: string;
}

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
  readonly threads: Threads;
  readonly outbound: Outbound;
  readonly allowlist: Allowlist;
  readonly webhooks: AccountWebhooks;
  readonly rules: Rules;
  readonly domains: Domains;
  readonly smtpFaults: SmtpFaults;
  /** The URL of the server. */
  readonly url: string;

  constructor(options: PosternOptions = {}) {
    super(new Connection(options), '', '/messages/stream');
    this.url = this.connection.url;
    this.inboxes = new Inboxes(this.connection);
    this.message = new Messages(this.connection);
    this.threads = new Threads(this.connection);
    this.outbound = new Outbound(this.connection);
    this.allowlist = new Allowlist(this.connection);
    this.webhooks = new AccountWebhooks(this.connection);
    this.rules = new Rules(this.connection);
    this.domains = new Domains(this.connection);
    this.smtpFaults = new SmtpFaults(this.connection);
  }

  /** Returns an inbox by its id or address, without checking that it exists. In a trap, every address does. */
  inbox(inbox: string): InboxMethods {
    return new InboxMethods(this.connection, inbox);
  }

  /** Returns the key's account, its caps and its usage this month. */
  account(options: CallOptions = {}): Promise<wire.Account> {
    return this.connection.data({ method: 'GET', path: '/account', ...options });
  }

  /** Sends an email from an address on one of your verified domains. */
  send(
    email: WithAttachments<wire.NewOutboundEmail>,
    options: CallOptions = {},
  ): Promise<wire.OutboundEmail> {
    return sendEmail(this.connection, '/outbound_emails', email, options);
  }

  /** Returns a sent email with its current status. */
  sent(id: string, options: CallOptions = {}): Promise<wire.OutboundEmail> {
    return this.outbound.get(id, options);
  }

  /**
   * Lists events, oldest first, for programs that no webhook can reach. The first call turns this on for the account:
   * `for await (const event of postern.events({ since }))`.
   */
  events(filters: EventFilters = {}): Listing<wire.Event> {
    return listRows(this.connection, '/events', { ...filters });
  }

  /** Lists who did what in the account, newest first. Needs an owner's key. */
  auditLog(options: PageOptions = {}): Listing<wire.AuditEntry> {
    return listRows(this.connection, '/audit_log', { ...options });
  }

  /** Checks whether an address can receive mail. */
  verify(
    email: string,
    { mode, ...options }: CallOptions & { mode?: wire.Verify['mode'] } = {},
  ): Promise<wire.Verification> {
    return this.connection.data({ method: 'POST', path: '/verify', body: { email, mode }, ...options });
  }

  /** Checks up to 100 addresses: `emails`, or `text` that contains addresses. */
  verifyBatch(
    batch: { emails: string[]; mode?: wire.Verify['mode'] } | { text: string; mode?: wire.Verify['mode'] },
    options: CallOptions = {},
  ): Promise<wire.BatchVerification> {
    return this.connection.data({ method: 'POST', path: '/verify/batch', body: batch, ...options });
  }
}
