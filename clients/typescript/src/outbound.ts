import { type CallOptions, type Connection, encodeName } from './connection.js';
import { type Listing, listRows, type PageOptions } from './listing.js';
import type * as wire from './wire.js';

/** An attachment with its bytes, which are sent as base64, or in the form of the API. */
export type AttachmentToSend =
  | wire.NewAttachment
  | (Omit<wire.NewAttachment, 'content'> & { content: Uint8Array });

/** The same email, whose attachments may be bytes. */
export type WithAttachments<Email> = Omit<Email, 'attachments'> & { attachments?: AttachmentToSend[] | null };

/** Sent emails, and emails that wait for an owner's approval. */
export class Outbound {
  constructor(private readonly connection: Connection) {}

  /** Newest first. */
  list(options: PageOptions & { status?: wire.OutboundEmail['status'] } = {}): Listing<wire.OutboundEmail> {
    return listRows(this.connection, '/outbound_emails', { ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<wire.OutboundEmail> {
    return this.connection.data({ method: 'GET', path: makePath(id), ...options });
  }

  /** Returns the bytes of a held email, as they would be sent (message/rfc822). */
  raw(id: string, options: CallOptions = {}): Promise<Uint8Array> {
    const headers = { accept: 'message/rfc822, application/json' };
    return this.connection.bytes({ method: 'GET', path: `${makePath(id)}/raw`, headers, ...options });
  }

  /** Approves a held email, which is then sent. */
  approve(id: string, options: CallOptions = {}): Promise<wire.OutboundEmail> {
    return this.connection.data({ method: 'POST', path: `${makePath(id)}/approve`, ...options });
  }

  /** Rejects a held email, which is then never sent. Its author sees the reason. */
  reject(
    id: string,
    { reason, ...options }: CallOptions & { reason?: string } = {},
  ): Promise<wire.OutboundEmail> {
    const body = reason === undefined ? {} : { reason };
    return this.connection.data({ method: 'POST', path: `${makePath(id)}/reject`, body, ...options });
  }

  /** Returns whether emails from members wait for an owner's approval, in the whole account. */
  async hold(options: CallOptions = {}): Promise<boolean> {
    return readHold(this.connection, '/outbound_hold', options);
  }

  async setHold(enabled: boolean, options: CallOptions = {}): Promise<boolean> {
    return writeHold(this.connection, '/outbound_hold', enabled, options);
  }
}

/** Recipients that an owner approved. */
export class Allowlist {
  constructor(private readonly connection: Connection) {}

  add(email: string, options: CallOptions = {}): Promise<wire.ApprovedRecipient> {
    const call = { method: 'POST', path: '/outbound_allowlist', body: { email } } as const;
    return this.connection.data({ ...call, key: crypto.randomUUID(), ...options });
  }

  /** Newest first. */
  list(options: PageOptions = {}): Listing<wire.ApprovedRecipient> {
    return listRows(this.connection, '/outbound_allowlist', { ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<wire.ApprovedRecipient> {
    return this.connection.data({ method: 'GET', path: allowlistPath(id), ...options });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: allowlistPath(id), ...options });
  }

  /** Sets whether emails may go only to approved recipients. Returns the new setting. */
  async setEnabled(enabled: boolean, options: CallOptions = {}): Promise<boolean> {
    const call = { method: 'POST', path: '/outbound_allowlist/mode', body: { enabled }, ...options } as const;
    return (await this.connection.data<wire.AllowlistModeState>(call)).enabled;
  }
}

export async function readHold(connection: Connection, path: string, options: CallOptions): Promise<boolean> {
  return (await connection.data<wire.OutboundHoldState>({ method: 'GET', path, ...options })).enabled;
}

export async function writeHold(
  connection: Connection,
  path: string,
  enabled: boolean,
  options: CallOptions,
): Promise<boolean> {
  const call = { method: 'PUT', path, body: { enabled }, ...options } as const;
  return (await connection.data<wire.OutboundHoldState>(call)).enabled;
}

/** Queues an email, once. */
export function sendEmail<Email extends object>(
  connection: Connection,
  path: string,
  email: WithAttachments<Email>,
  options: CallOptions,
): Promise<wire.OutboundEmail> {
  const { attachments } = email;
  const body = attachments ? { ...email, attachments: attachments.map(encodeContent) } : email;
  return connection.data({ method: 'POST', path, body, key: crypto.randomUUID(), ...options });
}

function encodeContent(attachment: AttachmentToSend): wire.NewAttachment {
  const { content } = attachment;
  return content instanceof Uint8Array
    ? { ...attachment, content: encodeBase64(content) }
    : (attachment as wire.NewAttachment);
}

/**
 * Encodes in pieces, because a call has a maximum number of arguments. Their size is a multiple of three, so that only
 * the last one is padded.
 */
const PIECE_BYTES = 3 * 8192;

function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES))));
  return pieces.join('');
}

function makePath(id: string): string {
  return `/outbound_emails/${encodeName('id', id)}`;
}

function allowlistPath(id: string): string {
  return `/outbound_allowlist/${encodeName('id', id)}`;
}
