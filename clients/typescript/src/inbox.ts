import { type CallOptions, type Connection, encodeName } from './connection.js';
import { InboxWebhook } from './hooks.js';
import { type Listing, listRows, type PageOptions } from './listing.js';
import { Mailbox } from './mailbox.js';
import { readHold, sendEmail, type WithAttachments, writeHold } from './outbound.js';
import type * as wire from './wire.js';

/** A message, or its id. */
export type MessageName = string | { id: string };

/** The operations on an inbox of which only the id or the address is known. */
export class InboxMethods extends Mailbox {
  /** Its own webhook, which gets `email.received`. */
  readonly webhook: InboxWebhook;
  /** The id or address, encoded for a path. */
  private readonly name: string;

  constructor(connection: Connection, inbox: string) {
    const name = encodeName('inbox', inbox);
    super(connection, `/inboxes/${name}`, '/stream');
    this.name = name;
    this.webhook = new InboxWebhook(connection, `/inboxes/${name}/webhook`);
  }

  /** Returns the newest message. */
  latest(options: CallOptions = {}): Promise<wire.Message> {
    return this.connection.data({ method: 'GET', path: `/inboxes/${this.name}/messages/latest`, ...options });
  }

  /** Changes the given fields. */
  async update(changes: wire.InboxChanges, options: CallOptions = {}): Promise<InboxDetail> {
    const path = `/inboxes/${this.name}`;
    const call = { method: 'PATCH', path, body: changes, ...options } as const;
    return attachMethods(this.connection, await this.connection.data<wire.InboxDetail>(call));
  }

  /** Deletes the inbox and its messages. */
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

  /** Forwards a message of this inbox: quoted, with its attachments, or whole as an attachment. */
  forward(
    message: MessageName,
    email: WithAttachments<wire.NewForward>,
    options: CallOptions = {},
  ): Promise<wire.OutboundEmail> {
    const path = `/inboxes/${this.name}/messages/${encodeMessage(message)}/forward`;
    return sendEmail(this.connection, path, email, options);
  }

  /** Returns who may write to this inbox: its allowed and blocked senders. */
  senders(options: CallOptions = {}): Promise<wire.SenderLists> {
    return this.connection.data({ method: 'GET', path: `/inboxes/${this.name}/senders`, ...options });
  }

  /** Changes the given fields. */
  setSenders(lists: wire.NewSenderLists, options: CallOptions = {}): Promise<wire.SenderLists> {
    const call = { method: 'PUT', path: `/inboxes/${this.name}/senders`, body: lists, ...options } as const;
    return this.connection.data(call);
  }

  /** Lists the mail that those lists withhold, newest first. `postern.message.accept` hands it on. */
  withheld(options: PageOptions = {}): Listing<wire.WithheldMessage> {
    return listRows(this.connection, `/inboxes/${this.name}/withheld`, { ...options });
  }

  /** Returns whether emails from members wait for an owner's approval in this inbox. */
  hold(options: CallOptions = {}): Promise<boolean> {
    return readHold(this.connection, `/inboxes/${this.name}/outbound_hold`, options);
  }

  setHold(enabled: boolean, options: CallOptions = {}): Promise<boolean> {
    return writeHold(this.connection, `/inboxes/${this.name}/outbound_hold`, enabled, options);
  }
}

/** An inbox with its fields (`address`, `label`, ...) and its operations. */
export type Inbox = wire.Inbox & InboxMethods;
export type InboxDetail = wire.InboxDetail & InboxMethods;

/**
 * Creates an object with the fields of an answer and the methods. A field that the API adds never hides a method. The
 * methods use the name `inbox`, so an inbox fetched by a sub-address shows only the mail of that address.
 */
export function attachMethods<Fields extends { id: string }>(
  connection: Connection,
  fields: Fields,
  inbox = fields.id,
): Fields & InboxMethods {
  const methods = new InboxMethods(connection, inbox);
  // Printing or comparing an inbox shows only its fields.
  for (const name of Object.keys(methods)) Object.defineProperty(methods, name, { enumerable: false });
  for (const [name, value] of Object.entries(fields)) {
    if (!(name in methods)) Object.assign(methods, { [name]: value });
  }
  return methods as Fields & InboxMethods;
}

/** Encodes the id of a message for a path. */
export function encodeMessage(message: MessageName): string {
  return encodeName('id', typeof message === 'string' ? message : message.id);
}
