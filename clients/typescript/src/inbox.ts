import { type CallOptions, type Connection, encodeName } from './connection.js';
import { InboxWebhook } from './hooks.js';
import { type Listing, listRows, type PageOptions } from './listing.js';
import { Mailbox } from './mailbox.js';
import { readHold, sendEmail, type WithAttachments, writeHold } from './outbound.js';
import type * as wire from './wire.js';

/** A message, or its id. */
export type MessageName = string | { id: string };

/** What can be done with an inbox of which only the id or the address is known. */
export class InboxMethods extends Mailbox {
  /** Its own webhook, which gets `email.received`. */
  readonly webhook: InboxWebhook;
  /** Encoded, for a path. */
  private readonly name: string;

  constructor(connection: Connection, inbox: string) {
    const name = encodeName('inbox', inbox);
    super(connection, `/inboxes/${name}`, '/stream');
    this.name = name;
    this.webhook = new InboxWebhook(connection, `/inboxes/${name}/webhook`);
  }

  /** The newest message. */
  latest(options: CallOptions = {}): Promise<wire.Message> {
    return this.connection.data({ method: 'GET', path: `/inboxes/${this.name}/messages/latest`, ...options });
  }

  /** Changes what is given, and leaves the rest. */
  async update(changes: wire.InboxChanges, options: CallOptions = {}): Promise<InboxDetail> {
    const path = `/inboxes/${this.name}`;
    const call = { method: 'PATCH', path, body: changes, ...options } as const;
    return attachMethods(this.connection, await this.connection.data<wire.InboxDetail>(call));
  }

  /** Deletes it with its messages. */
  delete(options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: `/inboxes/${this.name}`, ...options });
  }

  /** Sends an email from this address. */
  send(
    email: WithAttachments<wire.NewComposedEmail>,
    options: CallOptions = {},
  ): Promise<wire.OutboundEmail> {
    return sendEmail(this.connection, `/inboxes/${this.name}/compose`, email, options);
  }

  /** Answers a message of this inbox. */
  reply(
    message: MessageName,
    email: WithAttachments<wire.NewReply>,
    options: CallOptions = {},
  ): Promise<wire.OutboundEmail> {
    const path = `/inboxes/${this.name}/messages/${encodeMessage(message)}/reply`;
    return sendEmail(this.connection, path, email, options);
  }

  /** Sends a message of this inbox on: alone, with its attachments, or whole as an attachment. */
  forward(
    message: MessageName,
    email: WithAttachments<wire.NewForward>,
    options: CallOptions = {},
  ): Promise<wire.OutboundEmail> {
    const path = `/inboxes/${this.name}/messages/${encodeMessage(message)}/forward`;
    return sendEmail(this.connection, path, email, options);
  }

  /** Who may write to this inbox: its allowed and blocked senders. */
  senders(options: CallOptions = {}): Promise<wire.SenderLists> {
    return this.connection.data({ method: 'GET', path: `/inboxes/${this.name}/senders`, ...options });
  }

  /** Changes what is given, and leaves the rest. */
  setSenders(lists: wire.NewSenderLists, options: CallOptions = {}): Promise<wire.SenderLists> {
    const call = { method: 'PUT', path: `/inboxes/${this.name}/senders`, body: lists, ...options } as const;
    return this.connection.data(call);
  }

  /** Mail that those lists keep out, newest first. `postern.message.accept` hands it on. */
  withheld(options: PageOptions = {}): Listing<wire.WithheldMessage> {
    return listRows(this.connection, `/inboxes/${this.name}/withheld`, { ...options });
  }

  /** Whether emails of members from this inbox wait for an owner's approval. */
  hold(options: CallOptions = {}): Promise<boolean> {
    return readHold(this.connection, `/inboxes/${this.name}/outbound_hold`, options);
  }

  setHold(enabled: boolean, options: CallOptions = {}): Promise<boolean> {
    return writeHold(this.connection, `/inboxes/${this.name}/outbound_hold`, enabled, options);
  }
}

/** An inbox with its fields (`address`, `label`, ...) and what can be done with it. */
export type Inbox = wire.Inbox & InboxMethods;
export type InboxDetail = wire.InboxDetail & InboxMethods;

/**
 * An object with the fields of an answer and the methods. A field that the API adds never hides a method. `inbox` is
 * its name for the methods: got by a sub-address, an inbox is seen through that.
 */
export function attachMethods<Fields extends { id: string }>(
  connection: Connection,
  fields: Fields,
  inbox = fields.id,
): Fields & InboxMethods {
  const methods = new InboxMethods(connection, inbox);
  // Printing or comparing an inbox shows its fields alone.
  for (const name of Object.keys(methods)) Object.defineProperty(methods, name, { enumerable: false });
  for (const [name, value] of Object.entries(fields)) {
    if (!(name in methods)) Object.assign(methods, { [name]: value });
  }
  return methods as Fields & InboxMethods;
}

/** In a path. */
export function encodeMessage(message: MessageName): string {
  return encodeName('id', typeof message === 'string' ? message : message.id);
}
