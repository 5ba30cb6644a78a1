/** An account that may send, with an inbox on its domain, an approved recipient at far.test, and mail by SMTP. */
import type { FakeClock } from '../../peers/fake-clock.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import type { Reply } from '../../start.ts';
import { until } from '../../until.ts';
import {
  FROM_DOMAIN,
  type SendingServer,
  type SendingServerOptions,
  startSendingServer,
} from '../outbound/sending-server.ts';

export interface DiaryLine {
  action: string;
  detail: string;
  status: string;
  reason: string | null;
  attempts: number;
  next_attempt_at: string | null;
  outbound_email_id: string | null;
}

export class Forwarding implements AsyncDisposable {
  private constructor(
    readonly sender: SendingServer,
    readonly domainId: string,
    readonly inbox: { id: string; address: string },
  ) {}

  static async start(options: SendingServerOptions & { clock?: FakeClock } = {}): Promise<Forwarding> {
    const sender = await startSendingServer(options);
    const { appliance, owner } = sender;
    const domains = await appliance.request('GET', '/api/v1/domains', { key: owner.key });
    const domainId = domains.json.data[0].id;
    const inbox = await appliance.inbox(owner, { domain: domainId, routing_key: 'desk' });
    const forwarding = new Forwarding(sender, domainId, inbox);
    await forwarding.call('POST', '/outbound_allowlist', { email: 'ann@far.test' });
    return forwarding;
  }

  inboxNamed(routingKey: string): Promise<{ id: string; address: string }> {
    const { appliance, owner } = this.sender;
    return appliance.inbox(owner, { domain: this.domainId, routing_key: routingKey });
  }

  call(method: string, path: string, body?: unknown): Promise<Reply> {
    const { appliance, owner } = this.sender;
    return appliance.request(method, `/api/v1${path}`, { key: owner.key, body });
  }

  async rule(body: Record<string, unknown>): Promise<string> {
    const created = await this.call('POST', '/rules', body);
    if (created.status !== 201) throw new Error(created.text);
    return created.json.data.id;
  }

  /** Sends a mail by SMTP. Returns the id of its message. */
  async receive(raw: Uint8Array | string, to = this.inbox.address): Promise<string> {
    const { smtpPort } = this.sender.appliance;
    const { data } = await sendMail({ port: smtpPort, from: 'bob@else.test', to: [to], raw });
    if (data?.code !== 250) throw new Error(`the mail was answered ${data?.code}`);
    const { json } = await this.call('GET', `/inboxes/${to}/messages/latest`);
    return json.data.id;
  }

  async diary(id: string): Promise<DiaryLine[]> {
    return (await this.call('GET', `/messages/${id}/diary`)).json.data;
  }

  /** Returns the only diary line of a message, once it is final. */
  async outcome(id: string): Promise<DiaryLine> {
    let lines: DiaryLine[] = [];
    await until(async () => {
      lines = await this.diary(id);
      return lines.length > 0 && lines.every(({ status }) => status !== 'pending');
    });
    return lines[0]!;
  }

  async arrived(count: number): Promise<void> {
    await until(() => this.sender.far.mails.length >= count);
  }

  [Symbol.asyncDispose]() {
    return this.sender[Symbol.asyncDispose]();
  }
}

export const DOMAIN = FROM_DOMAIN;

export const makeRaw = (subject = 'Invoice', more: readonly string[] = [], body = 'Hello\r\n') =>
  ['From: Bob <bob@else.test>', `Subject: ${subject}`, 'Message-ID: <1@else.test>', ...more, '', body].join(
    '\r\n',
  );
