/**
 * Customers who write to a support address and answer its replies: their mail server, and a client that sends until
 * their mail has been answered 250, whatever happens to the server meanwhile.
 */
import { createHash } from 'node:crypto';
import { type MailServer, startMailServer, type TakenMail } from '../../peers/mail-server.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';

export const CUSTOMER_DOMAIN = 'far.test';

/** What happens to the replies that a customer gets. */
export type Fate = 'answers' | 'unknown address' | 'reports a bounce';

export interface Customer {
  number: number;
  fate: Fate;
  address: string;
  /** Message-IDs of the mails that were answered 250, and how often the customer sent each. */
  answered: Set<string>;
  tries: Map<string, number>;
  /** Message-IDs of the replies that arrived, and how often each did. */
  replies: Map<string, number>;
  /** Replies that arrived altered, or that answer no mail of this customer. */
  damaged: string[];
}

export interface Customers extends AsyncDisposable {
  readonly all: readonly Customer[];
  readonly server: MailServer;
  /** Everybody asks the first question. */
  begin(): void;
  /** Whether nothing is left to send. */
  isQuiet(): boolean;
}

interface Options {
  count: number;
  /** How many mails each customer who gets replies sends. */
  rounds: number;
  supportAddress: string;
  /** Where the server accepts mail now; it changes with each start. */
  findSmtpPort: () => number;
}

/** The attachment with which support answers a mail: a third of a megabyte, to be stored in pieces. */
export function makeAnswerFile(messageId: string): Buffer {
  const line = createHash('sha256').update(messageId).digest('hex');
  return Buffer.from(`${line}\n`.repeat(5_000));
}

export async function startCustomers(options: Options): Promise<Customers> {
  const all = Array.from({ length: options.count }, (_, number) => makeCustomer(number));
  const byAddress = new Map(all.map((customer) => [customer.address, customer]));
  const sending = new Set<Promise<void>>();
  const send = (customer: Customer, mail: NewMail) => {
    const work = sendUntilAnswered(customer, mail, options.findSmtpPort).finally(() => sending.delete(work));
    sending.add(work);
  };
  const onMessage = (mail: TakenMail): null => {
    const customer = byAddress.get(mail.to[0] ?? '');
    if (customer) onReply(customer, mail, options, send);
    return null;
  };
  const onRcpt = (to: string) =>
    byAddress.get(to)?.fate === 'unknown address' ? '550 5.1.1 no such user' : null;
  const server = await startMailServer({ onMessage, onRcpt });
  return {
    all,
    server,
    begin() {
      for (const customer of all) send(customer, makeQuestion(customer, options.supportAddress));
    },
    isQuiet: () => sending.size === 0,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function makeCustomer(number: number): Customer {
  const fate: Fate = number % 5 === 3 ? 'unknown address' : number % 5 === 4 ? 'reports a bounce' : 'answers';
  return {
    number,
    fate,
    address: `customer-${number}@${CUSTOMER_DOMAIN}`,
    answered: new Set(),
    tries: new Map(),
    replies: new Map(),
    damaged: [],
  };
}

interface NewMail {
  from: string;
  to: string;
  messageId: string;
  raw: string;
}

function makeQuestion({ number, address }: Customer, to: string): NewMail {
  const messageId = `<question-${number}@${CUSTOMER_DOMAIN}>`;
  const head = [`From: ${address}`, `To: ${to}`, `Subject: Question ${number}`, `Message-ID: ${messageId}`];
  return { from: address, to, messageId, raw: `${head.join('\r\n')}\r\n\r\nWhy?\r\n` };
}

function onReply(
  customer: Customer,
  mail: TakenMail,
  { rounds, supportAddress: to }: Options,
  send: (customer: Customer, mail: NewMail) => void,
): void {
  const { 'message-id': replyId = '', 'in-reply-to': answers = '', references = '' } = readHeader(mail.data);
  const times = (customer.replies.get(replyId) ?? 0) + 1;
  customer.replies.set(replyId, times);
  if (!customer.tries.has(answers) || !hasFile(mail.data, makeAnswerFile(answers)))
    customer.damaged.push(replyId);
  // Somebody who reads the same reply again does not answer again.
  if (times > 1) return;
  if (customer.fate === 'reports a bounce')
    send(customer, makeReport(customer, mail, `<report-${customer.replies.size}-${replyId.slice(1)}`));
  else if (customer.tries.size < rounds) {
    const messageId = `<answer-${customer.tries.size}-${customer.number}@${CUSTOMER_DOMAIN}>`;
    const head = [
      `From: ${customer.address}`,
      `To: ${to}`,
      'Subject: Sv: your mail',
      `Message-ID: ${messageId}`,
      `In-Reply-To: ${replyId}`,
      `References: ${references} ${replyId}`,
    ];
    send(customer, {
      from: customer.address,
      to,
      messageId,
      raw: `${head.join('\r\n')}\r\n\r\nThanks, but why?\r\n`,
    });
  }
}

/** A report (RFC 3464) that the mailbox is gone, to the envelope's sender. */
function makeReport({ address }: Customer, { from }: TakenMail, messageId: string): NewMail {
  const raw = [
    `From: mailer-daemon@${CUSTOMER_DOMAIN}`,
    `To: ${from}`,
    'Subject: Undelivered mail',
    `Message-ID: ${messageId}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'The mailbox is gone.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    `Reporting-MTA: dns; mx.${CUSTOMER_DOMAIN}`,
    '',
    `Final-Recipient: rfc822; ${address}`,
    'Action: failed',
    'Status: 5.1.1',
    '',
    '--b--',
    '',
  ];
  return { from: '', to: from, messageId, raw: raw.join('\r\n') };
}

const PAUSE_MS = 50;

/** Tries again after a broken connection or a temporary refusal, as every mail server does. */
async function sendUntilAnswered(
  customer: Customer,
  { from, to, messageId, raw }: NewMail,
  findPort: () => number,
): Promise<void> {
  const isReport = from === '';
  for (;;) {
    if (!isReport) customer.tries.set(messageId, (customer.tries.get(messageId) ?? 0) + 1);
    try {
      using client = await SmtpClient.greet({ port: findPort() });
      await client.deliver(from, to, raw);
      if (!isReport) customer.answered.add(messageId);
      return;
    } catch (fault) {
      if (/was answered 5/.test((fault as Error).message)) throw fault;
      await Bun.sleep(PAUSE_MS);
    }
  }
}

function readHeader(data: string): Record<string, string> {
  const head = data.slice(0, data.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  const lines = head.split('\r\n').map((line) => /^([\w-]+):\s*(.*)$/.exec(line));
  return Object.fromEntries(lines.flatMap((line) => (line ? [[line[1]!.toLowerCase(), line[2]!]] : [])));
}

/** Whether a mail has this file as base64, in lines of 76 characters. */
function hasFile(data: string, file: Buffer): boolean {
  return data.includes(
    file
      .toString('base64')
      .match(/.{1,76}/g)!
      .join('\r\n'),
  );
}
