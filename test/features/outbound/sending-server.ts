/** A server that sends directly from a verified domain, with our own DNS server, to mail servers of our own. */

import type { StoredMime } from '../../../src/features/outbound/mime/writes.ts';
import type { OutboundEmail, OutboundRecipient } from '../../../src/features/outbound/sql.ts';
import { findOwnEmail, listRecipients } from '../../../src/features/outbound/sql.ts';
import { type NewEmail, queueEmailOp } from '../../../src/features/outbound/writes.ts';
import type { Clock } from '../../../src/platform/core/clock.ts';
import { newId } from '../../../src/platform/core/id.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { type MailServer, type MailServerOptions, startMailServer } from '../../peers/mail-server.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { readyDomain } from '../domains/ready.ts';

export interface SendingServerOptions {
  clock?: Clock;
  settings?: Record<string, string>;
  dataDir?: string;
  logLevel?: 'info' | 'warn';
  /** Options for the server of far.test. */
  far?: MailServerOptions;
}

export interface SendingServer extends AsyncDisposable {
  appliance: RunningAppliance;
  owner: Holder;
  dns: DnsServer;
  /** The only exchanger of far.test. */
  far: MailServer;
  /** Queues an email and wakes the dispatcher, as the API does; returns its id. */
  queue(to: string | string[], fields?: Partial<NewEmail>): Promise<string>;
  email(id: string): OutboundEmail;
  recipients(id: string): OutboundRecipient[];
  /** `sent`, or with several recipients `a@x sent, b@y bounced`. */
  status(id: string): string;
  /** Starts another server, on another loopback address and the same port, as the exchanger of a domain. */
  server(domain: string, host: string, options?: MailServerOptions): Promise<MailServer>;
}

export const FROM_DOMAIN = 'shop.test';

export const mime = (subject = 'Hello', body = 'hello\r\n') =>
  `From: Shop <hello@${FROM_DOMAIN}>\r\nTo: ann@far.test\r\nSubject: ${subject}\r\n` +
  `Message-ID: <1@${FROM_DOMAIN}>\r\nDate: Sat, 21 Nov 2026 08:00:00 +0000\r\nMIME-Version: 1.0\r\n` +
  `Content-Type: text/plain; charset=utf-8\r\n\r\n${body}`;

/** As it is in the store. */
export function storedMime(text: string): StoredMime {
  return { size: text.length, mime: Bun.zstdCompressSync(text) };
}

export function setExchanger(dns: DnsServer, domain: string, ...exchangers: string[]): void {
  dns.set(domain, 'MX', { records: exchangers.map((data) => ({ type: 'MX', data })) });
}

export async function startSendingServer(options: SendingServerOptions = {}): Promise<SendingServer> {
  const { settings, far: farOptions, ...rest } = options;
  const [dns, far] = await Promise.all([startDnsServer(), startMailServer(farOptions)]);
  setExchanger(dns, 'far.test', '10 mx.far.test');
  dns.setAddresses('mx.far.test', far.host);
  const appliance = await startAppliance({
    ...rest,
    settings: {
      outbound: 'direct',
      outbound_port: String(far.port),
      outbound_allow_networks: '127.0.0.0/8',
      dns_servers: `${dns.host}:${dns.port}`,
      limits: 'off',
      ...settings,
    },
  });
  const owner = await appliance.holder();
  await readyDomain(appliance.services, owner.account.no, FROM_DOMAIN);
  const { store, queued } = appliance.services;
  const servers: MailServer[] = [far];
  const email = (id: string) => findOwnEmail(store, owner.account.no, id)!;
  const recipients = (id: string) => listRecipients(store, email(id).no);
  return {
    appliance,
    owner,
    dns,
    far,
    email,
    recipients,
    async queue(to, fields = {}) {
      const whole = emailTo([to].flat(), owner.account.no, fields);
      const caps = { queued: 1e6, perHour: 1e6, perDay: 1e6 };
      const created = await store.write(queueEmailOp, { email: whole, caps, holdForS: null, once: null });
      const domains = [...new Set(created.recipients.map(({ domain }) => domain))];
      queued.announce({ outbound_no: created.email.no, account_no: created.email.account_no, domains });
      return whole.id;
    },
    status(id) {
      const all = recipients(id);
      return all.length === 1 ? email(id).status : all.map((one) => `${one.email} ${one.status}`).join(', ');
    },
    async server(domain, host, more = {}) {
      const server = await startMailServer({ ...more, host, port: far.port });
      servers.push(server);
      setExchanger(dns, domain, `10 mx.${domain}`);
      dns.setAddresses(`mx.${domain}`, host);
      return server;
    },
    async [Symbol.asyncDispose]() {
      // Closes the remote servers first, so that nothing waits for a hanging connection.
      await Promise.all([dns, ...servers].map((one) => one[Symbol.asyncDispose]()));
      await appliance[Symbol.asyncDispose]();
    },
  };
}

function emailTo(to: string[], accountNo: number, fields: Partial<NewEmail>): NewEmail {
  return {
    id: newId('outbound_email'),
    account_no: accountNo,
    inbox_id: null,
    kind: 'send',
    from_domain: FROM_DOMAIN,
    sender: `hello@${FROM_DOMAIN}`,
    from_address: `Shop <hello@${FROM_DOMAIN}>`,
    to: JSON.stringify(to),
    cc: '[]',
    bcc: '[]',
    reply_to: null,
    subject: 'Hello',
    message_id: `<1@${FROM_DOMAIN}>`,
    in_reply_to: null,
    references: '[]',
    placing: { ref: null, refs: [] },
    answers: null,
    reply_text: null,
    recipients: to.map((address) => ({
      email: address,
      domain: address.slice(address.lastIndexOf('@') + 1),
      field: 'to',
    })),
    attachments: [],
    stored: storedMime(mime()),
    ...fields,
  };
}
