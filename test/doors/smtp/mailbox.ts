/** An inbox of an appliance under test: mail goes in by SMTP and is read over HTTP. */
import { type MailReplies, sendMail } from '../../peers/smtp-client.ts';
import type { Holder, RunningAppliance } from '../../start.ts';

export interface Listed {
  id: string;
  subject: string;
  status: string;
  size: number;
  attachment_count: number;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses as they are on the wire.
export type WireMessage = any;

export class Mailbox {
  private constructor(
    private readonly appliance: RunningAppliance,
    readonly holder: Holder,
    readonly id: string,
    readonly address: string,
  ) {}

  /** Creates an inbox, in a new account by default. */
  static async open(
    appliance: RunningAppliance,
    input: Record<string, unknown> = {},
    holder?: Holder,
  ): Promise<Mailbox> {
    const owner = holder ?? (await appliance.holder());
    const { id, address } = await appliance.inbox(owner, input);
    return new Mailbox(appliance, owner, id, address);
  }

  /** Sends a mail to this inbox over a new connection. */
  send(raw: Uint8Array | string, from = 'sender@example.org'): Promise<MailReplies> {
    return sendMail({ port: this.appliance.smtpPort, from, to: [this.address], raw });
  }

  /** Sends a message that must be accepted, and returns it as the API does. */
  async receive(raw: Uint8Array | string): Promise<WireMessage> {
    const { data } = await this.send(raw);
    if (data?.code !== 250) throw new Error(`the mail was answered ${data?.code} ${data?.lines}`);
    return this.latest();
  }

  /** Newest first, at most 100. */
  async list(): Promise<Listed[]> {
    return (await this.get(`/api/v1/inboxes/${this.id}/messages?limit=100`)).data;
  }

  async subjects(): Promise<string[]> {
    return (await this.list()).map(({ subject }) => subject).reverse();
  }

  async latest(): Promise<WireMessage> {
    return (await this.get(`/api/v1/inboxes/${this.id}/messages/latest`)).data;
  }

  async message(id: string): Promise<WireMessage> {
    return (await this.get(`/api/v1/messages/${id}`)).data;
  }

  /** The mail as received, without the lines that we add at the top. */
  async raw(id: string): Promise<Buffer> {
    return withoutTrace(await this.bytes(`/api/v1/messages/${id}/raw`));
  }

  async attachment(id: string, index: number): Promise<Buffer> {
    return this.bytes(`/api/v1/messages/${id}/attachments/${index}`);
  }

  async bytes(path: string): Promise<Buffer> {
    const answer = await fetch(this.appliance.url + path, {
      headers: { authorization: `Bearer ${this.holder.key}` },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${bytes}`);
    return bytes;
  }

  private async get(path: string): Promise<WireMessage> {
    return JSON.parse((await this.bytes(path)).toString());
  }
}

/** Removes Return-Path and Received (one line, folded three times). */
export function withoutTrace(raw: Buffer): Buffer {
  const trace = /^Return-Path: <[^\r\n]*>\r\nReceived: [^\r\n]*\r\n\t[^\r\n]*\r\n\t[^\r\n]*\r\n/;
  const lines = trace.exec(raw.toString('latin1'))?.[0];
  if (lines === undefined) throw new Error(`no trace lines: ${raw.toString('latin1', 0, 300)}`);
  return raw.subarray(lines.length);
}
